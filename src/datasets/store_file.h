// src/datasets/store_file.h: a file without a name, which is gone with the process, however that
// ends. Of the ranks on one machine the lowest keeps, once for all of them, what does not fit into
// memory; the others read its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "comm/ranks.h"
#include "io/descriptor.h"

namespace rwa::datasets {

// The same text exactly where one process can open the files of another through /proc; empty where
// that cannot be known.
std::string this_machine();

class Keeper {
 public:
  // This process is alone.
  Keeper() = default;
  // All ranks of the link call this; it must outlive the last share(). Null: this process is alone.
  explicit Keeper(Link* link, const std::string& machine = this_machine());

  [[nodiscard]] int rank() const { return rank_; }  // that keeps the files of this machine
  [[nodiscard]] bool is_here() const { return rank_ == ranks_.rank(); }

  // All ranks call this, keepers with a file of `size` bytes, to which nothing is added any more.
  // The others get that of their keeper, for reading. Throws ResourceError.
  void share(std::optional<io::Descriptor>& file, std::uint64_t size);

 private:
  [[nodiscard]] io::Descriptor open(const std::string& path, std::uint64_t size) const;

  Ranks ranks_;
  int rank_ = 0;
};

class NamelessFile {
 public:
  // In this folder, or where its name is empty in memory. Of ranks with one keeper, which
  // all append the same, that one alone creates and writes it. Throws ResourceError, as the others
  // do.
  NamelessFile(const std::filesystem::path& folder, const Keeper& keeper);

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
