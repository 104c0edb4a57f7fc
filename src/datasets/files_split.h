// src/datasets/files_split.h: which sequences of the training files are for validation. Of each
// class as many consecutive ones as there are folds have one fold each, in random order; so every
// fold has its share of every class and of every stretch of the files, and nothing must be known of
// their end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/files_task.h"

namespace rwa::datasets {

class StratifiedSplit {
 public:
  // Throws ConfigError for a task whose split or folds cannot be.
  StratifiedSplit(const FilesTask& task, std::uint64_t seed);

  // 1: nothing is divided. 2: the first is for validation. Else each is a fold.
  [[nodiscard]] std::size_t subsets() const;
  // That of the next sequence of this class.
  std::size_t subset_of(std::int32_t label);

 private:
  std::uint64_t seed_;
  int folds_;  // 1: nothing is divided
  bool split_;
  std::vector<std::int64_t> seen_;  // of each class
};

}  // namespace rwa::datasets
