// src/io/read_file.h: a regular file, read piece by piece from its beginning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "io/descriptor.h"

namespace rwa::io {

// Throws ResourceError, which names the file, where it cannot be read or is not a regular file: a
// pipe would block, and a device would never end.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file);

  // In bytes, when it was opened.
  std::uint64_t size() const { return size_; }

  // Fills the whole of `bytes` with the next ones of the file.
  void read(std::span<std::byte> bytes);

 private:
  std::filesystem::path file_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
};

// The whole of a small file.
std::string read_text(const std::filesystem::path& file);

}  // namespace rwa::io
