// src/datasets/store_file.h: a file without a name, which is gone with the process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "datasets/store_keeper.h"
#include "io/descriptor.h"

namespace rwa::datasets {

class NamelessFile {
 public:
  // In this folder, or where its name is empty in the current one. Of ranks with one keeper, which all
  // append the same, that one alone creates and writes it. Throws ResourceError, as the others do.
  NamelessFile(std::filesystem::path folder, const Keeper& keeper);

  void append(std::span<const std::byte> bytes);
  // No more comes, and reading is allowed. All ranks call this.
  void share(Keeper& keeper) { keeper.share(descriptor_, size_); }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Fills `bytes` from this place on. From any thread.
  void read(std::uint64_t place, std::span<std::byte> bytes) const;

 private:
  std::string name_;  // in messages
  std::optional<io::Descriptor> descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace rwa::datasets
