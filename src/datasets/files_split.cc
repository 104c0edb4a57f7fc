#include "datasets/files_split.h"

#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "datasets/dataset.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {

int folds_of(const FilesTask& task) {
  check_split(task, 2);
  if (task.folds != 0) return task.folds;
  if (task.split == 0 || !task.valid.empty()) return 1;
  return static_cast<int>(std::lround(1 / task.split));
}
}  // namespace

void check_split(const FilesTask& task, int least_folds) {
  if (task.folds != 0) {
    if (task.folds < least_folds || task.folds > kMostFolds) {
      throw ConfigError(fmt::format("--folds is {}, expected 0, or {} to {}", task.folds,
                                    least_folds, kMostFolds));
    }
    check_range("fold", task.fold, 0, task.folds);
    if (task.valid.empty()) return;
    throw ConfigError(
        "--folds cannot be combined with --valid: cross-validation splits the training data "
        "itself");
  }
  if (task.split == 0 || (task.split >= kLeastSplit && task.split <= kMostSplit)) return;
  throw ConfigError(
      fmt::format("split is {}, expected 0, or {} to {}", task.split, kLeastSplit, kMostSplit));
}

StratifiedSplit::StratifiedSplit(const FilesTask& task, std::uint64_t seed)
    : seed_(task.split_seed != 0 ? task.split_seed : seed), folds_(folds_of(task)) {}

std::size_t StratifiedSplit::subsets() const { return static_cast<std::size_t>(folds_); }

std::size_t StratifiedSplit::subset_of(std::int32_t label) {
  if (folds_ == 1) return 0;
  const auto place = static_cast<std::size_t>(label);
  if (place >= seen_.size()) seen_.resize(place + 1);
  const std::int64_t number = seen_[place]++;
  const std::int64_t first =
      number / folds_ * folds_;  // of the group that has one sequence per fold
  const Random random(seed_, Purpose::kSplit, static_cast<std::uint32_t>(label));
  std::vector<std::size_t> folds(static_cast<std::size_t>(folds_));
  std::iota(folds.begin(), folds.end(), 0);
  for (std::size_t i = folds.size(); i > 1; --i) {  // Fisher-Yates
    std::swap(folds[i - 1], folds[random.below(static_cast<std::uint64_t>(first) + i - 1, i)]);
  }
  // A split validates on fold 0: the first sequence of a class is always for training.
  if (first == 0 && folds[0] == 0) std::swap(folds[0], folds[1]);
  return folds[static_cast<std::size_t>(number - first)];
}

}  // namespace rwa::datasets
