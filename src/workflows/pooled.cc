#include "workflows/pooled.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "workflows/score_sums.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kMostHard = 10;

// a / count is the mean in the end.
template <class T>
void add_mean(std::optional<T>& sum, const std::optional<T>& one, double count) {
  if (one) sum = sum.value_or(0) + *one / count;
}

void add(std::vector<LabelScore>& sums, const std::vector<LabelScore>& labels) {
  sums.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const LabelScore& one = labels[i];
    LabelScore& sum = sums[i];
    const double both = sum.recall * static_cast<double>(sum.support) +
                        one.recall * static_cast<double>(one.support);
    sum.name = one.name;
    sum.support += one.support;
    sum.predicted += one.predicted;
    sum.precision = share(both, sum.predicted);
    sum.recall = share(both, sum.support);
    sum.f1 = share(2 * both, sum.support + sum.predicted);
  }
}

void add(std::vector<std::vector<std::int64_t>>& sums,
         const std::vector<std::vector<std::int64_t>>& confusion) {
  if (sums.empty()) sums.assign(confusion.size(), std::vector<std::int64_t>(confusion.size()));
  for (std::size_t i = 0; i < confusion.size(); ++i) {
    for (std::size_t k = 0; k < confusion.size(); ++k) sums[i][k] += confusion[i][k];
  }
}

void add(std::vector<ConfidenceBin>& sums, const std::vector<ConfidenceBin>& bins) {
  sums.resize(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sums[i].from = bins[i].from;
    join(sums[i], bins[i]);
  }
}

void add(std::vector<NumberScore>& sums, const std::vector<NumberScore>& numbers, double count) {
  sums.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const NumberScore& one = numbers[i];
    sums[i].name = one.name;
    sums[i].rmse += one.rmse / count;
    sums[i].mae += one.mae / count;
    add_mean(sums[i].r2, one.r2, count);
    sums[i].shown.insert(sums[i].shown.end(), one.shown.begin(), one.shown.end());
  }
}

void add(std::vector<ForecastScore>& sums, const std::vector<ForecastScore>& forecasts,
         double count) {
  sums.resize(forecasts.size());
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const ForecastScore& one = forecasts[i];
    sums[i].name = one.name;
    sums[i].mae += one.mae / count;
    sums[i].rmse += one.rmse / count;
    sums[i].smape += one.smape / count;
    sums[i].mase += one.mase / count;
    add_mean(sums[i].coverage, one.coverage, count);
    add_mean(sums[i].width, one.width, count);
  }
}

void add(std::vector<StepScore>& sums, const std::vector<StepScore>& steps, double count) {
  sums.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    sums[i].ahead = steps[i].ahead;
    sums[i].mase += steps[i].mase / count;
    add_mean(sums[i].coverage, steps[i].coverage, count);
  }
}

}  // namespace

datasets::Split held_out(const datasets::Files& files) {
  return files.size(datasets::Split::kTest) > 0 ? datasets::Split::kTest : datasets::Split::kValid;
}

Scores pooled(const std::vector<HeldOutPart>& parts) {
  if (parts.size() == 1) return *parts.front().scores;
  const auto count = static_cast<double>(parts.size());
  Scores all{.unit = parts.front().scores->unit};
  for (const HeldOutPart& part : parts) {
    const Scores& one = *part.scores;
    all.sequences += one.sequences;
    all.answers += one.answers;
    all.loss += one.loss / count;
    add_mean(all.accuracy, one.accuracy, count);
    add_mean(all.mase, one.mase, count);
    add_mean(all.smape, one.smape, count);
    add_mean(all.coverage, one.coverage, count);
    add(all.labels, one.labels);
    add(all.confusion, one.confusion);
    add(all.calibration, one.calibration);
    add(all.numbers, one.numbers, count);
    add(all.forecasts, one.forecasts, count);
    add(all.steps_ahead, one.steps_ahead, count);
  }
  for (const auto& [part, example] : hardest_of(parts)) all.hardest.push_back(*example);
  return all;
}

std::vector<HardInPart> hardest_of(const std::vector<HeldOutPart>& parts) {
  std::vector<HardInPart> all;
  for (const HeldOutPart& part : parts) {
    for (const HardExample& example : part.scores->hardest) all.push_back({&part, &example});
  }
  std::ranges::stable_sort(all, std::greater(),
                           [](const HardInPart& one) { return one.example->loss; });
  all.resize(std::min(all.size(), kMostHard));
  return all;
}

}  // namespace rwa::workflows
