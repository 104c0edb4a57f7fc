// src/paper/part_file.h: a transfer that is under way: what has arrived so far, safe from other
// processes, and still there after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "io/descriptor.h"

namespace rwa::paper {

// Throws ResourceError where the system refuses or another process has the same part open.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  // Stays where there is something to continue.
  ~PartFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  void append(std::span<const std::byte> bytes);
  void clear();

 private:
  std::filesystem::path path_;
  io::Descriptor descriptor_;
  std::uint64_t size_;
};

}  // namespace rwa::paper
