// src/datasets/store.h: sequences kept for training, in the order in which they came. A few lie in
// memory; what is more than that goes to a file without a name in a folder of the caller's, from
// which blocks of whole sequences are read again. The index has one entry per block, so that a
// billion short sequences cost no more of it than a thousand long ones of the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "datasets/store_file.h"
#include "formats/sequence.h"

namespace rwa::datasets {

// A sequence as bytes, for one machine and one run of the program: numbers as they lie in memory,
// symbols and labels in as few bytes as they need. Replaces the content of `record`.
void pack(const formats::Sequence& sequence, std::vector<std::byte>& record);
// What pack() has made, and nothing else.
void unpack(std::span<const std::byte> record, formats::Sequence& sequence);

class Store {
 public:
  static constexpr std::size_t kMemory = std::size_t{256} << 20;  // bytes that stay in memory
  static constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes, and at least one sequence

  // Of ranks with one keeper, to all of which the same comes, that one alone writes to its folder.
  explicit Store(std::filesystem::path folder, std::size_t memory = kMemory, Keeper keeper = {});
  ~Store();

  void append(const formats::Sequence& sequence);
  // The same for one that is packed already. Throws ResourceError where the folder has
  // no room.
  void append(std::span<const std::byte> record);
  // No more comes. Reading is allowed from now on, from any thread. All ranks close their stores,
  // in the same order. Throws ResourceError where the keeper's file cannot be opened.
  void close();
  [[nodiscard]] std::int64_t size() const;  // sequences
  [[nodiscard]] bool in_memory() const;
  [[nodiscard]] std::size_t memory() const;  // as the constructor was told

  // Blocks: sequences [first(block), first(block + 1)), and the bytes they take in memory.
  [[nodiscard]] std::int64_t blocks() const;
  [[nodiscard]] std::int64_t first(std::int64_t block) const;
  [[nodiscard]] std::int64_t block_of(std::int64_t sequence) const;
  [[nodiscard]] std::size_t bytes(std::int64_t block) const;
  // One sequence. The blocks read last stay in memory, up to memory() bytes and at least one.
  // Throws ResourceError.
  void read(std::int64_t number, formats::Sequence& sequence) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa::datasets
