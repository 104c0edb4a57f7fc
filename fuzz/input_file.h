// fuzz/input_file.h: the content of an input as an in-memory file or as text.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/descriptor.h"
#include "targets.h"

namespace rwa::fuzz {

class InputFile {
 public:
  explicit InputFile(Bytes content) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    const auto size = static_cast<ssize_t>(content.size());
    if (::write(descriptor_.get(), content.data(), content.size()) != size) std::abort();
  }

  [[nodiscard]] std::filesystem::path path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_.get());
  }

 private:
  io::Descriptor descriptor_;
};

inline std::string_view as_text(Bytes content) {
  if (content.empty()) return "";  // a text is never at a null pointer
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

// Checks an invariant that holds for any input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace rwa::fuzz
