#include "training/scorer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/random.h"

namespace rwa::training {
namespace {

using datasets::Split;

// Numbers of samples drawn with replacement: those of draw `first` and the ones after it.
void draw(const Random& random, std::int64_t first, std::int64_t size,
          std::span<std::int64_t> samples) {
  for (std::int64_t& sample : samples) {
    sample = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(first++), static_cast<std::uint64_t>(size)));
  }
}

bool never() { return false; }

}  // namespace

Scorer::Scorer(const Experiment& experiment, const Model& model, const datasets::Dataset& dataset,
               const SessionOptions& options, Link* link)
    : experiment_(experiment),
      dataset_(dataset),
      ranks_(link),
      evaluator_(model, dataset, options) {}

std::optional<Metric> Scorer::score_in_passing(std::int64_t step) {
  if (has(Split::kValid)) {
    const auto score = score_all(Split::kValid, false, never);
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
  const auto choose = [&](std::int64_t /*batch*/) {
    samples_.resize(static_cast<std::size_t>(count));
    draw({experiment_.seed, Purpose::kTestDraws}, number * count, dataset_.size(Split::kTest),
         samples_);
  };
  return *score_batches(Split::kTest, 1, choose, never);
}

std::optional<Score> Scorer::score_all(Split split, bool drawn, const Stopped& stopped) {
  const std::int64_t size = dataset_.size(split);
  const std::int64_t most = experiment_.evaluation.samples;
  const auto choose = [&](std::int64_t batch) {
    const std::int64_t first = batch * most;
    samples_.resize(static_cast<std::size_t>(std::min(most, size - first)));
    if (drawn) {
      draw({experiment_.seed, Purpose::kFinalDraws}, first, size, samples_);
    } else {
      std::iota(samples_.begin(), samples_.end(), first);
    }
  };
  return score_batches(split, (size + most - 1) / most, choose, stopped);
}

std::optional<Score> Scorer::score_batches(Split split, std::int64_t batches, const Choose& choose,
                                           const Stopped& stopped) {
  // What other ranks score is 0 here, and adding it changes nothing.
  std::vector<double> losses(static_cast<std::size_t>(batches));
  Score mine;
  bool stops = false;
  for (std::int64_t b = ranks_.rank(); b < batches; b += ranks_.size()) {
    stops = stopped();
    if (stops) break;
    choose(b);
    const Score score = evaluator_.score(split, samples_);
    losses[static_cast<std::size_t>(b)] = score.loss;
    mine += score;
  }
  if (ranks_.any(stops)) return std::nullopt;
  ranks_.sum(losses);
  std::array counts = {static_cast<double>(mine.answers), static_cast<double>(mine.judged),
                       static_cast<double>(mine.right)};
  ranks_.sum(counts);  // of whole numbers, exact
  return Score{.loss = std::accumulate(losses.begin(), losses.end(), 0.0),
               .answers = static_cast<std::int64_t>(counts[0]),
               .judged = static_cast<std::int64_t>(counts[1]),
               .right = static_cast<std::int64_t>(counts[2])};
}

Metric Scorer::to_metric(const Score& score, std::int64_t step, std::string split) const {
  return training::to_metric(score, dataset_.shape().loss, step, std::move(split));
}

}  // namespace rwa::training
