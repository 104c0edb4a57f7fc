// src/datasets/files_order.h: the order in which samples are trained on, as a function of the seed
// and the place in it. Each epoch has every sample once. Its blocks come in a random order, in
// groups that fit into the memory of their stores; inside a group the samples are shuffled. So a
// file on the disk is read once per epoch, a block at a time, and what is in memory is one group:
// shuffled as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "datasets/store.h"

namespace rwa::datasets {

class SampleOrder {
 public:
  // Samples are numbered through the stores. Balanced: those of a group are drawn from it with
  // replacement, first a class, each as often as any other, and then one of its samples.
  SampleOrder(std::vector<const Store*> stores, bool balanced);

  // The samples at `first` and the places after it. From any thread; fastest for a caller that goes
  // on where the last one ended.
  void draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const;

 private:
  struct Block {
    std::size_t store;
    std::int64_t first, count;  // samples, numbered in the store
    std::size_t bytes;
  };
  // An epoch that was looked at: its blocks in their order, where its groups begin among them, and
  // at which place of the epoch; the last is the end.
  struct Epoch {
    std::uint64_t seed = 0;
    std::int64_t number = -1;
    std::vector<Block> blocks;
    std::vector<std::size_t> begins;
    std::vector<std::int64_t> places;
  };
  // A group of it. Its samples have numbers of their own, from 0 on in the order of its blocks.
  struct Group {
    static constexpr std::size_t kNone = -1;
    std::size_t number = kNone;
    std::vector<std::int64_t> firsts;                 // of each block, and the end
    std::vector<std::uint32_t> shuffled;              // one for each place
    std::vector<std::vector<std::uint32_t>> classes;  // or those of each class
  };

  void look_at(std::uint64_t seed, std::int64_t place) const;
  void begin_epoch(std::uint64_t seed, std::int64_t number) const;
  void begin_group(std::size_t number) const;
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> classes_of(std::size_t group) const;
  [[nodiscard]] std::int64_t sample(std::int64_t place) const;

  std::vector<const Store*> stores_;
  std::vector<std::int64_t> offsets_;  // the number of the first sample of each store
  std::vector<Block> blocks_;
  std::int64_t size_ = 0;
  bool balanced_;
  mutable std::mutex mutex_;
  mutable Epoch epoch_;
  mutable Group group_;
};

}  // namespace rwa::datasets
