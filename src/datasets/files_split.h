// src/datasets/files_split.h: assigns the sequences of the training files to folds. Each run of
// `folds` consecutive sequences of a class is spread over all folds in random order. So every fold
// has its share of every class and of every part of the files, in a single pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/files_task.h"

namespace rwa::datasets {

// Throws ConfigError if the split or the folds of a task are out of range.
void check_split(const FilesTask& task, int least_folds);

class StratifiedSplit {
 public:
  // Throws ConfigError if the split or the folds of the task are invalid.
  StratifiedSplit(const FilesTask& task, std::uint64_t seed);

  // One per fold; without folds round(1 / split), the first for validation; 1: no split.
  [[nodiscard]] std::size_t subsets() const;
  // Returns the subset of the next sequence of this class.
  std::size_t subset_of(std::int32_t label);

 private:
  std::uint64_t seed_;
  int folds_;                       // 1: no split
  std::vector<std::int64_t> seen_;  // sequences so far, per class
};

}  // namespace rwa::datasets
