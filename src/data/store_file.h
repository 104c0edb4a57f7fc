// src/data/store_file.h: a file without a name, which is gone with the process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "io/descriptor.h"

namespace rwa::data {

class NamelessFile {
 public:
  // In this folder, or where its name is empty in the current one. Throws ResourceError, as the others
  // do.
  explicit NamelessFile(std::filesystem::path folder);

  void append(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Fills `bytes` from this place on. From any thread.
  void read(std::uint64_t place, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path folder_;
  io::Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace rwa::data
