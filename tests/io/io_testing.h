// tests/io/io_testing.h: test helpers: a temporary folder, files and bytes as text, and a check of
// an error's type and message.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

#include <gtest/gtest.h>

namespace rwa::io {

class TempFolder {
 public:
  TempFolder() : path_(::testing::TempDir() + "rwa-io-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path path() const { return path_; }

  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Do not use the code under test.
inline void put(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline std::string get(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Expects exactly this type of error, with all of these parts in its message.
template <typename Error, typename Call>
void expect_error(Call call, std::initializer_list<std::string_view> parts) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(typeid(error), typeid(Error));
    for (const std::string_view part : parts) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
          << "message: " << error.what() << "\nlacks: " << part;
    }
    return;
  } catch (const std::exception& error) {
    FAIL() << "another type of error: " << error.what();
  }
  FAIL() << "no error";
}

}  // namespace rwa::io
