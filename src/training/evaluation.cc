#include "training/evaluation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/random.h"

namespace rwa::training {
namespace {

// The steps of a batch that have a target: the first `lengths` of each sequence; empty: all steps.
struct Answers {
  int steps = 1;
  std::span<const std::int32_t> lengths = {};

  [[nodiscard]] bool has(int step, std::size_t sequence) const {
    return lengths.empty() || step < lengths[sequence];
  }
};

Answers answers_of(const datasets::Shape& shape, const datasets::Batch& batch) {
  if (shape.says > 0) return {batch.target_steps, batch.target_lengths};
  if (shape.readout == Readout::kEvery) return {batch.steps, batch.lengths};
  return {};
}

using datasets::Split;

// Writes the sample numbers of draws first, first + 1, …, with replacement.
void draw(const Random& random, std::int64_t first, std::int64_t size,
          std::span<std::int64_t> samples) {
  for (std::int64_t& sample : samples) {
    sample = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(first++), static_cast<std::uint64_t>(size)));
  }
}

}  // namespace

Score& Score::operator+=(const Score& other) {
  loss += other.loss;
  answers += other.answers;
  judged += other.judged;
  right += other.right;
  return *this;
}

Metric to_metric(const Score& score, Loss loss, std::int64_t step, std::string split) {
  const auto mean = [](double sum, std::int64_t count) {
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
  };
  Metric metric;
  metric.step = step;
  metric.split = std::move(split);
  metric.loss = in_unit(loss, mean(score.loss, score.answers));
  metric.unit = unit_of(loss);
  if (score.judged > 0) metric.accuracy = mean(static_cast<double>(score.right), score.judged);
  return metric;
}

Evaluator::Evaluator(const Model& model, const datasets::Dataset& dataset,
                     const SessionOptions& options)
    : dataset_(dataset),
      classifies_(dataset.naive().accuracy.has_value()),
      session_(model, options) {}

Score Evaluator::score(datasets::Split split, std::span<const std::int64_t> samples,
                       const OutputListener& listener) {
  dataset_.fill(split, samples, batch_);
  const Answers answers = answers_of(dataset_.shape(), batch_);
  const std::size_t sequences = batch_.lengths.size();
  y_.resize(static_cast<std::size_t>(answers.steps) * sequences *
            static_cast<std::size_t>(dataset_.shape().outputs));
  const double mean = run();
  if (listener) listener(split, samples, batch_, y_);

  Score score;
  for (int t = 0; t < answers.steps; ++t) {
    for (std::size_t b = 0; b < sequences; ++b) {
      if (!answers.has(t, b)) continue;
      ++score.answers;
      if (classifies_) count_right(static_cast<std::size_t>(t) * sequences + b, score);
    }
  }
  score.loss = mean * static_cast<double>(score.answers);
  return score;
}

double Evaluator::run() {
  if (dataset_.shape().says == 0) return session_.loss(batch_.sequences(), batch_.targets(), y_);
  session_.run(batch_.sequences(), y_);
  return session_.loss(batch_.sequences(), batch_.targets());
}

void Evaluator::count_right(std::size_t row, Score& score) const {
  const auto outputs = static_cast<std::size_t>(dataset_.shape().outputs);
  const auto y = std::span(y_).subspan(row * outputs, outputs);
  switch (dataset_.shape().loss) {
    case Loss::kSoftmax:
      ++score.judged;
      score.right += std::ranges::max_element(y) - y.begin() == batch_.classes[row] ? 1 : 0;
      break;
    case Loss::kSigmoid:
      for (std::size_t o = 0; o < outputs; ++o) {
        ++score.judged;
        score.right += (y[o] > 0) == (batch_.values[row * outputs + o] > 0.5f) ? 1 : 0;
      }
      break;
    case Loss::kSquaredError:
    case Loss::kPinball:
      break;
  }
}

Scorer::Scorer(const Experiment& experiment, const Model& model, const datasets::Dataset& dataset,
               const SessionOptions& options, Link* link)
    : experiment_(experiment),
      dataset_(dataset),
      ranks_(link),
      evaluator_(model, dataset, options) {}

std::optional<Metric> Scorer::score_in_passing(std::int64_t step) {
  if (has(Split::kValid)) {
    const auto score = score_all(Split::kValid, false, {});
    return to_metric(*score, step, "valid");
  }
  const bool generated = !std::holds_alternative<datasets::FilesTask>(experiment_.task);
  if (generated && has(Split::kTest)) return to_metric(score_test_draws(step), step, "test");
  return std::nullopt;
}

std::optional<Metric> Scorer::score_at_end(std::int64_t step, const Watch& watch) {
  const Split split = has(Split::kTest) ? Split::kTest : Split::kValid;
  if (!has(split)) return std::nullopt;
  const auto score = score_all(split, experiment_.evaluation.final_draws, watch);
  if (!score) return std::nullopt;
  return to_metric(*score, step, "final");
}

// An early evaluation, at the end of a run, uses the samples of the next regular one.
Score Scorer::score_test_draws(std::int64_t step) {
  const std::int64_t every = experiment_.evaluation.every;
  const int count = experiment_.evaluation.samples;
  const std::int64_t number = step / every + (step % every != 0 ? 1 : 0);
  const auto choose = [&](std::int64_t /*batch*/) {
    samples_.resize(static_cast<std::size_t>(count));
    draw({experiment_.seed, Purpose::kTestDraws}, number * count, dataset_.size(Split::kTest),
         samples_);
  };
  return *score_batches(Split::kTest, 1, choose, {});
}

std::int64_t Scorer::batches_of(Split split) const {
  const std::int64_t most = experiment_.evaluation.samples;
  return (dataset_.size(split) + most - 1) / most;
}

void Scorer::choose_in_order(Split split, std::int64_t batch) {
  const std::int64_t most = experiment_.evaluation.samples;
  const std::int64_t first = batch * most;
  samples_.resize(static_cast<std::size_t>(std::min(most, dataset_.size(split) - first)));
  std::iota(samples_.begin(), samples_.end(), first);
}

void Scorer::show(Split split, const OutputListener& listener) {
  for (std::int64_t batch = 0; batch < batches_of(split); ++batch) {
    choose_in_order(split, batch);
    evaluator_.score(split, samples_, listener);
  }
}

std::optional<Score> Scorer::score_all(Split split, bool drawn, const Watch& watch) {
  const auto choose = [&](std::int64_t batch) {
    choose_in_order(split, batch);
    if (!drawn) return;
    draw({experiment_.seed, Purpose::kFinalDraws}, batch * experiment_.evaluation.samples,
         dataset_.size(split), samples_);
  };
  return score_batches(split, batches_of(split), choose, watch);
}

std::optional<Score> Scorer::score_batches(Split split, std::int64_t batches, const Choose& choose,
                                           const Watch& watch) {
  // Losses of other ranks' batches are 0 here, so that the sum over ranks is exact.
  std::vector<double> losses(static_cast<std::size_t>(batches));
  Score mine;
  bool stops = false;
  for (std::int64_t b = ranks_.rank(); b < batches; b += ranks_.size()) {
    stops = watch.stopped && watch.stopped();
    if (stops) break;
    choose(b);
    const Score score = evaluator_.score(split, samples_, watch.outputs);
    losses[static_cast<std::size_t>(b)] = score.loss;
    mine += score;
  }
  if (ranks_.any(stops)) return std::nullopt;
  ranks_.sum(losses);
  std::array counts = {static_cast<double>(mine.answers), static_cast<double>(mine.judged),
                       static_cast<double>(mine.right)};
  ranks_.sum(counts);  // exact: whole numbers
  return Score{.loss = std::accumulate(losses.begin(), losses.end(), 0.0),
               .answers = static_cast<std::int64_t>(counts[0]),
               .judged = static_cast<std::int64_t>(counts[1]),
               .right = static_cast<std::int64_t>(counts[2])};
}

Metric Scorer::to_metric(const Score& score, std::int64_t step, std::string split) const {
  return training::to_metric(score, dataset_.shape().loss, step, std::move(split));
}

}  // namespace rwa::training
