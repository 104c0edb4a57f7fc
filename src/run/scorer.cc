#include "run/scorer.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/random.h"

namespace rwa::run {
namespace {

using data::Split;

// Numbers of samples drawn with replacement: those of draw `first` and the ones after it.
void draw(const Random& random, std::int64_t first, std::int64_t size,
          std::span<std::int64_t> samples) {
  for (std::int64_t& sample : samples) {
    sample = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(first++), static_cast<std::uint64_t>(size)));
  }
}

}  // namespace

Scorer::Scorer(const Experiment& experiment, const Model& model, const data::Dataset& dataset,
               const SessionOptions& options)
    : experiment_(experiment), dataset_(dataset), evaluator_(model, dataset, options) {}

std::optional<Metric> Scorer::score_in_passing(std::int64_t step) {
  if (has(Split::kValid)) {
    const auto score = score_all(Split::kValid, false, [] { return false; });
    return to_metric(*score, step, "valid");
  }
  if (has(Split::kTest)) return to_metric(score_test_draws(step), step, "test");
  return std::nullopt;
}

std::optional<Metric> Scorer::score_at_end(std::int64_t step,
                                           const std::function<bool()>& stopped) {
  const Split split = has(Split::kTest) ? Split::kTest : Split::kValid;
  if (!has(split)) return std::nullopt;
  const auto score = score_all(split, experiment_.evaluation.final_draws, stopped);
  if (!score) return std::nullopt;
  return to_metric(*score, step, "final");
}

// One that comes early, at the end of a run, has the samples of the next.
Score Scorer::score_test_draws(std::int64_t step) {
  const std::int64_t every = experiment_.evaluation.every;
  const int count = experiment_.evaluation.samples;
  const std::int64_t number = step / every + (step % every != 0 ? 1 : 0);
  samples_.resize(static_cast<std::size_t>(count));
  draw({experiment_.seed, Purpose::kTestDraws}, number * count, dataset_.size(Split::kTest),
       samples_);
  return evaluator_.score(Split::kTest, samples_);
}

std::optional<Score> Scorer::score_all(Split split, bool drawn,
                                       const std::function<bool()>& stopped) {
  const std::int64_t size = dataset_.size(split);
  const std::int64_t most = experiment_.evaluation.samples;
  Score total;
  for (std::int64_t first = 0; first < size; first += most) {
    if (stopped()) return std::nullopt;
    samples_.resize(static_cast<std::size_t>(std::min(most, size - first)));
    if (drawn) {
      draw({experiment_.seed, Purpose::kFinalDraws}, first, size, samples_);
    } else {
      std::iota(samples_.begin(), samples_.end(), first);
    }
    total += evaluator_.score(split, samples_);
  }
  return total;
}

Metric Scorer::to_metric(const Score& score, std::int64_t step, std::string split) const {
  return run::to_metric(score, dataset_.shape().loss, step, std::move(split));
}

}  // namespace rwa::run
