// src/datasets/store.h: stores sequences for training, in order. Small data stays in memory; larger
// data goes to an unnamed file in the caller's folder and is read back in blocks of whole
// sequences. The index has one entry per block, so that its size depends on the size of the data
// only, not on the number of sequences.
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

// Serialises a sequence for use by the same process or machine: numbers as in memory, symbols and
// labels in as few bytes as possible. Replaces the content of `record`.
void pack(const formats::Sequence& sequence, std::vector<std::byte>& record);
// Reverses pack(). The record must come from pack().
void unpack(std::span<const std::byte> record, formats::Sequence& sequence);

class Store {
 public:
  static constexpr std::size_t kMemory = std::size_t{256} << 20;  // bytes kept in memory
  static constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes, and at least one sequence

  // Ranks with the same keeper must append the same data; only the keeper writes to its folder.
  explicit Store(std::filesystem::path folder, std::size_t memory = kMemory, Keeper keeper = {});
  ~Store();

  void append(const formats::Sequence& sequence);
  // The same for a packed sequence. Throws ResourceError if the folder has no space.
  void append(std::span<const std::byte> record);
  // Ends appending. From now on any thread may read. All ranks must close their stores in the same
  // order. Throws ResourceError if the keeper's file cannot be opened.
  void close();
  [[nodiscard]] std::int64_t size() const;  // sequences
  [[nodiscard]] bool in_memory() const;
  [[nodiscard]] std::size_t memory() const;  // as given to the constructor

  // A block holds the sequences [first(block), first(block + 1)) and takes bytes(block) in memory.
  [[nodiscard]] std::int64_t blocks() const;
  [[nodiscard]] std::int64_t first(std::int64_t block) const;
  [[nodiscard]] std::int64_t block_of(std::int64_t sequence) const;
  [[nodiscard]] std::size_t bytes(std::int64_t block) const;
  // Reads one sequence. Caches the blocks read last: at least one, and up to memory() bytes. Throws
  // ResourceError.
  void read(std::int64_t number, formats::Sequence& sequence) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa::datasets
