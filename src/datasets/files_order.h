// src/datasets/files_order.h: the order of training samples, a function of the seed and the
// position. Each epoch has every sample once. Its blocks come in random order, in groups that fit
// into the memory of their stores; samples are shuffled within a group. So a file on disk is read
// once per epoch, a block at a time, and data in memory is one group, shuffled as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "datasets/store.h"

namespace rwa::datasets {

// The order of samples in memory: all are shuffled in each epoch.
class ShuffledOrder {
 public:
  explicit ShuffledOrder(std::int64_t size) : size_(size) {}

  // As SampleOrder::draw().
  void draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const;

 private:
  std::int64_t size_;
  mutable std::mutex mutex_;
  mutable std::uint64_t seed_ = 0;
  mutable std::int64_t epoch_ = -1;
  mutable std::vector<std::int64_t> shuffled_;
};

class SampleOrder {
 public:
  // Samples are numbered through all stores. Balanced: samples are drawn from a group with
  // replacement, first a class with equal probability, then one of its samples.
  SampleOrder(std::vector<const Store*> stores, bool balanced);

  // Writes the samples at positions first, first + 1, …. Thread-safe. Fastest if calls continue
  // where the last one ended.
  void draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const;

 private:
  struct Block {
    std::size_t store;
    std::int64_t first, count;  // samples, numbered within the store
    std::size_t bytes;
  };
  // The current epoch: its blocks in order, the first block of each group, and the position of each
  // group in the epoch. The last entries are the ends.
  struct Epoch {
    std::uint64_t seed = 0;
    std::int64_t number = -1;
    std::vector<Block> blocks;
    std::vector<std::size_t> begins;
    std::vector<std::int64_t> places;
  };
  // The current group of blocks. Samples are numbered within the group from 0, in block order.
  struct Group {
    static constexpr std::size_t kNone = -1;
    std::size_t number = kNone;
    std::vector<std::int64_t> firsts;                 // first sample of each block, and the end
    std::vector<std::uint32_t> shuffled;              // one sample per position
    std::vector<std::vector<std::uint32_t>> classes;  // or the samples of each class
  };

  void look_at(std::uint64_t seed, std::int64_t place) const;
  void begin_epoch(std::uint64_t seed, std::int64_t number) const;
  void begin_group(std::size_t number) const;
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> classes_of(std::size_t group) const;
  [[nodiscard]] std::int64_t sample(std::int64_t place) const;

  std::vector<const Store*> stores_;
  std::vector<std::int64_t> offsets_;  // number of each store's first sample
  std::vector<Block> blocks_;
  std::int64_t size_ = 0;
  bool balanced_;
  mutable std::mutex mutex_;
  mutable Epoch epoch_;
  mutable Group group_;
};

}  // namespace rwa::datasets
