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
constexpr int kMostFolds = 1000;
constexpr double kLeastSplit = 0.01, kMostSplit = 0.5;

int folds_of(const FilesTask& task) {
  if (task.folds != 0) {
    check_range("folds", task.folds, 2, kMostFolds);
    check_range("fold", task.fold, 0, task.folds);
    if (task.valid.empty() && task.test.empty()) return task.folds;
    throw ConfigError(
        "--folds cannot be combined with --valid or --test: cross-validation splits the training "
        "data itself");
  }
  if (task.split == 0 || !task.valid.empty()) return 1;
  if (task.split >= kLeastSplit && task.split <= kMostSplit) {
    return static_cast<int>(std::lround(1 / task.split));
  }
  throw ConfigError(
      fmt::format("split is {}, expected 0, or {} to {}", task.split, kLeastSplit, kMostSplit));
}
}  // namespace

StratifiedSplit::StratifiedSplit(const FilesTask& task, std::uint64_t seed)
    : seed_(task.split_seed != 0 ? task.split_seed : seed),
      folds_(folds_of(task)),
      split_(task.folds == 0) {}

std::size_t StratifiedSplit::subsets() const {
  return split_ && folds_ > 1 ? 2 : static_cast<std::size_t>(folds_);
}

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
  // The first sequence of a class is always for training.
  if (split_ && first == 0 && folds[0] == 0) std::swap(folds[0], folds[1]);
  const std::size_t fold = folds[static_cast<std::size_t>(number - first)];
  return split_ ? std::min<std::size_t>(fold, 1) : fold;
}

}  // namespace rwa::datasets
