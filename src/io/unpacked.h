// src/io/unpacked.h: the content of a file that may be packed with gzip or zstd, read piece by piece,
// so that a small file that unpacks to a large one costs no more memory than its reader asks for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace rwa::io {

// Whether a file is packed is told by its first bytes, not by its name. Throws ResourceError where
// it cannot be read, and InputError where a packed one is damaged, cut short or followed by
// something else, or where its window would take more than 128 MiB.
class Unpacked {
 public:
  explicit Unpacked(const std::filesystem::path& file);  // "-": the standard input
  ~Unpacked();

  [[nodiscard]] const std::string& name() const;  // for messages

  // Fills `bytes` with the next ones of the content. Returns their number, which is less than asked
  // for only at the end; the checksum and what may follow are looked at when it is reached.
  std::size_t read(std::span<std::byte> bytes);
  // The same with those that are there, without waiting for more: none only at the end.
  std::size_t read_some(std::span<std::byte> bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa::io
