// tests/formats/npy_testing.h: a fixture with a folder of .npy files.
#pragma once

#include <string>
#include <string_view>

#include "formats/array_testing.h"
#include "rwa/errors.h"

namespace rwa::formats {

using Words = std::vector<std::string>;
using Floats = std::vector<float>;

class NpyFiles : public ::testing::Test {
 protected:
  void put(std::string_view name, std::string_view content) {
    io::put(folder_.path() / name, content);
  }
  Content read(const Options& options = {}, std::string_view name = "x.npy") {
    return read_all(open_npy, folder_.path() / name, options);
  }
  Content read(std::string_view content, const Options& options = {}) {
    put("x.npy", content);
    return read(options);
  }
  template <typename Error = InputError>
  void expect_refusal(std::string_view content, std::string_view message,
                      const Options& options = {}) {
    const std::string whole = (folder_.path() / "x.npy").string() + ": " + std::string(message);
    io::expect_error<Error>([&] { read(content, options); }, {whole});
  }
  // With y.npy next to x.npy.
  void expect_refusal_of_labels(std::string_view y, std::string_view message,
                                const Options& options = {}) {
    put("y.npy", y);
    const std::string whole = (folder_.path() / "y.npy").string() + ": " + std::string(message);
    io::expect_error<InputError>([&] { read(options); }, {whole});
  }

  io::TempFolder folder_;
};

}  // namespace rwa::formats
