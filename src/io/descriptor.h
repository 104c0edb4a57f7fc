// src/io/descriptor.h: what reading and replacing a file share: a descriptor that closes itself,
// calls repeated when a signal interrupts them, and the one form of a system's refusal.
#pragma once

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "rwa/errors.h"

namespace rwa::io {

// Takes the error number as an argument: errno itself would not survive the formatting.
[[noreturn]] inline void throw_refusal(std::string_view operation,
                                       const std::filesystem::path& file, int error) {
  throw ResourceError(fmt::format("{}: cannot {}: {}", file.string(), operation,
                                  std::generic_category().message(error)));
}

template <typename Call>
auto repeat_if_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    // Only a failure or a file that was read ends here: nothing is lost if close() fails.
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // Returns 0, or the error number: some file systems report a failed write only here. Never
  // repeated, since Linux frees the number even when a signal interrupts the call.
  int close() {
    const int result = ::close(std::exchange(number_, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int number_;
};

}  // namespace rwa::io
