// src/datasets/store_file.h: an unnamed file, which vanishes with the process in any case. On each
// machine, the lowest rank (the keeper) stores the data that does not fit into memory; the other
// ranks read its files.
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

// Returns an identifier that is equal for processes that can open each other's files through /proc;
// empty if unknown.
std::string this_machine();

class Keeper {
 public:
  // Without other ranks.
  Keeper() = default;
  // Called by all ranks of the link, which must outlive the last share(). Null: no other ranks.
  explicit Keeper(Link* link, const std::string& machine = this_machine());

  [[nodiscard]] int rank() const { return rank_; }  // the keeper of this machine
  [[nodiscard]] bool is_here() const { return rank_ == ranks_.rank(); }

  // Called by all ranks. Keepers pass their complete file of `size` bytes; the other ranks get
  // their keeper's file, opened for reading. Throws ResourceError.
  void share(std::optional<io::Descriptor>& file, std::uint64_t size);

 private:
  [[nodiscard]] io::Descriptor open(const std::string& path, std::uint64_t size) const;

  Ranks ranks_;
  int rank_ = 0;
};

class NamelessFile {
 public:
  // Creates a file in this folder or, while that does not exist, in the nearest one above it; in
  // memory if the path is empty. Ranks with the same keeper must append the same data; only the
  // keeper creates and writes the file. All members throw ResourceError.
  NamelessFile(const std::filesystem::path& folder, const Keeper& keeper);

  void append(std::span<const std::byte> bytes);
  // Ends appending and allows reading. Called by all ranks.
  void share(Keeper& keeper) { keeper.share(descriptor_, size_); }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Fills `bytes` from this offset. Thread-safe.
  void read(std::uint64_t place, std::span<std::byte> bytes) const;

 private:
  std::string name_;  // for messages
  std::optional<io::Descriptor> descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace rwa::datasets
