// src/io/unpacked.h: reads a file that may be compressed with gzip or zstd. It decompresses piece
// by piece, so that a decompression bomb costs no more memory than the reader requests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace rwa::io {

// Recognises compression by the first bytes, not by the name. Throws ResourceError if the file
// cannot be read, and InputError if compressed data is damaged, truncated, followed by anything
// else, or needs a window of more than 128 MiB.
class Unpacked {
 public:
  explicit Unpacked(const std::filesystem::path& file);  // "-": standard input
  ~Unpacked();

  [[nodiscard]] const std::string& name() const;  // for messages

  // Fills `bytes` with the next bytes of the content. Returns how many were read: fewer only at the
  // end, where the checksum and trailing bytes are checked.
  std::size_t read(std::span<std::byte> bytes);
  // The same without waiting for more than is available; 0 only at the end.
  std::size_t read_some(std::span<std::byte> bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa::io
