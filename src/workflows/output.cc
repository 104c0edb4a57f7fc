#include "workflows/output.h"

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "io/write.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

io::Descriptor open_for_writing(const fs::path& file) {
  io::Descriptor descriptor(
      io::repeat_if_interrupted([&] { return ::open(file.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (!descriptor.is_open()) io::throw_refusal("open", file, errno);
  return descriptor;
}

bool is_file_or_absent(const fs::path& file) {
  std::error_code refused;  // then opening the file fails too
  const auto status = fs::status(file, refused);
  return status.type() == fs::file_type::regular || status.type() == fs::file_type::not_found;
}

}  // namespace

Output::Output(const fs::path& file) : file_(file.empty() ? "standard output" : file) {
  if (file.empty()) {
    descriptor_.emplace(::dup(STDOUT_FILENO));
    if (!descriptor_->is_open()) io::throw_refusal("write to", file_, errno);
  } else if (is_file_or_absent(file)) {
    replacement_.emplace(file);
  } else {
    descriptor_.emplace(open_for_writing(file));
  }
}

void Output::write(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  if (replacement_) {
    replacement_->write(bytes);
  } else {
    io::write_all(*descriptor_, bytes, file_);
  }
}

void Output::finish() {
  if (replacement_) {
    replacement_->finish();
  } else if (const int error = descriptor_->close(); error != 0) {
    io::throw_refusal("close", file_, error);
  }
}

}  // namespace rwa::workflows
