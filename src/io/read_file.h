// src/io/read_file.h: reads a regular file piece by piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "io/descriptor.h"

namespace rwa::io {

// Throws ResourceError, naming the file, if it cannot be read or is not a regular file: a pipe
// would block, and a device would never end.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file);

  // Size in bytes when the file was opened.
  std::uint64_t size() const { return size_; }

  // Fills all of `bytes` with the next bytes of the file.
  void read(std::span<std::byte> bytes);

 private:
  std::filesystem::path file_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
};

// Reads a file of any size.
std::string read_whole(const std::filesystem::path& file);

// Reads TOML or JSON, which may take a hundred times its size when it is parsed. Throws InputError
// if the file is larger than kMostText.
inline constexpr std::uint64_t kMostText = std::uint64_t{4} << 20;
std::string read_text(const std::filesystem::path& file);

}  // namespace rwa::io
