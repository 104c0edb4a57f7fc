// src/io/gzip.h: the content of a file that may be packed with gzip, read piece by piece, so that
// a small file that unpacks to a large one costs no more memory than its reader asks for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace rwa::io {

// Whether a file is packed is told by its first bytes, not by its name. Throws ResourceError where
// it cannot be read, and InputError where a packed one is damaged, cut short or followed by
// something else.
class UnpackedFile {
 public:
  explicit UnpackedFile(const std::filesystem::path& file);
  ~UnpackedFile();

  // Fills `bytes` with the next ones of the content. Returns their number, which is less than asked
  // for only at the end; the checksum and what may follow are looked at when it is reached.
  std::size_t read(std::span<std::byte> bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa::io
