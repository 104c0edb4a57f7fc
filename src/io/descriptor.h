// src/io/descriptor.h: shared by reading and replacing files: an owning file descriptor, system
// calls restarted after a signal, and the message of a failed system call.
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

// Takes the error number as an argument, because formatting may change errno.
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
    // Reached only after an error or after reading: nothing is lost if close() fails.
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // Returns 0 or the error number: some file systems report a failed write only here. Never
  // restarted, since Linux frees the descriptor even if a signal interrupts the call.
  int close() {
    const int result = ::close(std::exchange(number_, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int number_;
};

}  // namespace rwa::io
