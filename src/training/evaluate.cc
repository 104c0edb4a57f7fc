#include "training/evaluate.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rwa::training {
namespace {

// The steps of a batch that have an answer: `lengths` of each sequence, or all where it is empty.
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

Score Evaluator::score(datasets::Split split, std::span<const std::int64_t> samples) {
  dataset_.fill(split, samples, batch_);
  const Answers answers = answers_of(dataset_.shape(), batch_);
  const std::size_t sequences = batch_.lengths.size();
  y_.resize(static_cast<std::size_t>(answers.steps) * sequences *
            static_cast<std::size_t>(dataset_.shape().outputs));
  const double mean = run();

  Score score;
  for (int t = 0; t < answers.steps; ++t) {
    for (std::size_t b = 0; b < sequences; ++b) {
      if (!answers.has(t, b)) continue;
      ++score.answers;
      if (classifies_) judge(static_cast<std::size_t>(t) * sequences + b, score);
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

void Evaluator::judge(std::size_t row, Score& score) const {
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
      break;
  }
}

}  // namespace rwa::training
