#include "workflows/score.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/host.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "training/metrics.h"
#include "workflows/score_sums.h"

namespace rwa::workflows {
namespace {

// The target of one prediction.
struct Truth {
  std::size_t label = 0;      // the class
  std::vector<float> values;  // [O]: 1 for true labels, else 0; or standardised numbers
};

// The Matthews correlation coefficient of a 2×2 confusion matrix.
double matthews(const std::vector<std::vector<std::int64_t>>& table) {
  const auto n = [&](std::size_t truth, std::size_t predicted) {
    return static_cast<double>(table[truth][predicted]);
  };
  const double product =
      (n(1, 1) + n(0, 1)) * (n(1, 1) + n(1, 0)) * (n(0, 0) + n(0, 1)) * (n(0, 0) + n(1, 0));
  return product > 0 ? (n(1, 1) * n(0, 0) - n(0, 1) * n(1, 0)) / std::sqrt(product) : 0.0;
}

}  // namespace

struct ScoreAccumulator::Impl {
  explicit Impl(const datasets::Encoding& of)
      : encoding(of),
        decoder(of),
        outputs(decoder.names().size()),
        counts(outputs),
        numbers(outputs),
        forecasts(of) {
    if (decoder.loss() == Loss::kSoftmax && outputs <= Scores::kMostConfused) {
      confusion.assign(outputs, std::vector<std::int64_t>(outputs));
    }
  }

  [[nodiscard]] std::size_t answers_to(const formats::Sequence& sequence) const;
  void read_truth(const formats::Sequence& sequence, std::size_t row);
  [[nodiscard]] double loss_of(std::span<const float> logits) const;
  Tally score(std::span<const float> logits);
  Tally score_class(std::span<const float> logits);
  Tally score_labels(std::span<const float> logits);
  HardExample example(const Sample& sample, std::size_t row, std::span<const float> logits);
  void describe_forecast(const Sample& sample, std::span<const float> logits, HardExample& made);
  [[nodiscard]] std::string chosen_words(std::span<const std::size_t> chosen) const;
  [[nodiscard]] std::string truth_words() const;

  const datasets::Encoding& encoding;
  const OutputDecoder decoder;
  const std::size_t outputs;
  Tally all;
  std::int64_t whole_sets = 0;  // multi-label: predictions with all labels correct
  LabelCounts counts;
  std::vector<std::vector<std::int64_t>> confusion;
  Calibration calibration;
  NumberSums numbers;
  ForecastSums forecasts;
  Lengths lengths;
  Hardest hardest;
  // Of the prediction being scored.
  Truth truth;
  Prediction prediction;
};

// The last step of a forecast has no target yet.
std::size_t ScoreAccumulator::Impl::answers_to(const formats::Sequence& sequence) const {
  if (decoder.is_of_forecasts()) return sequence.values.empty() ? 0 : 1;
  if (!decoder.every_step()) return 1;
  const auto steps = static_cast<std::size_t>(sequence.steps);
  return encoding.schema.target == formats::Target::kNone ? std::max<std::size_t>(steps, 1) - 1
                                                          : steps;
}

void ScoreAccumulator::Impl::read_truth(const formats::Sequence& sequence, std::size_t row) {
  const bool forecast = encoding.schema.target == formats::Target::kNone;
  switch (decoder.loss()) {
    case Loss::kSoftmax:
      truth.label =
          static_cast<std::size_t>(forecast ? sequence.symbols[row + 1] : sequence.labels[row]);
      break;
    case Loss::kSigmoid:
      truth.values.assign(outputs, 0.0f);
      for (const std::int32_t label : sequence.labels) {
        truth.values[static_cast<std::size_t>(label)] = 1;
      }
      break;
    case Loss::kSquaredError: {
      const auto values = forecast ? std::span(sequence.x).subspan((row + 1) * outputs, outputs)
                                   : std::span(sequence.values).subspan(row * outputs, outputs);
      truth.values.assign(values.begin(), values.end());
      break;
    }
    case Loss::kPinball:
      truth.values =
          datasets::targets_of(encoding.forecast, encoding.schema.features.size(), sequence);
      break;
  }
}

// In nats or squared, as in training, except that the softmax is computed in double.
double ScoreAccumulator::Impl::loss_of(std::span<const float> logits) const {
  if (decoder.loss() == Loss::kSoftmax) return log_sum_exp(logits) - logits[truth.label];
  Targets<float> targets;
  targets.values = truth.values.data();
  return host::loss_row<float>({decoder.loss(), encoding.forecast.interval},
                               static_cast<int>(outputs), 0, logits.data(), targets, 1, nullptr);
}

Tally ScoreAccumulator::Impl::score(std::span<const float> logits) {
  decoder.decode(logits, prediction);
  switch (decoder.loss()) {
    case Loss::kSoftmax:
      return score_class(logits);
    case Loss::kSigmoid:
      return score_labels(logits);
    case Loss::kSquaredError:
      numbers.add(truth.values, logits);
      break;
    case Loss::kPinball:
      break;  // add() sees the window
  }
  return {.answers = 1, .loss = loss_of(logits)};
}

Tally ScoreAccumulator::Impl::score_class(std::span<const float> logits) {
  const std::size_t predicted = prediction.chosen.front();
  const bool right = predicted == truth.label;
  counts.add_class(truth.label, predicted);
  if (!confusion.empty()) ++confusion[truth.label][predicted];
  calibration.add(prediction.values[predicted], right);
  return {.answers = 1, .decisions = 1, .right = right ? 1 : 0, .loss = loss_of(logits)};
}

Tally ScoreAccumulator::Impl::score_labels(std::span<const float> logits) {
  Tally tally{
      .answers = 1, .decisions = static_cast<std::int64_t>(outputs), .loss = loss_of(logits)};
  for (std::size_t i = 0; i < outputs; ++i) {
    const bool right = (logits[i] > 0) == (truth.values[i] > 0);
    calibration.add(std::max(prediction.values[i], 1 - prediction.values[i]), right);
    tally.right += right ? 1 : 0;
  }
  counts.add_labels(truth.values, prediction.chosen);
  whole_sets += tally.right == tally.decisions ? 1 : 0;
  return tally;
}

std::string ScoreAccumulator::Impl::chosen_words(std::span<const std::size_t> chosen) const {
  std::vector<std::string_view> words;
  for (const std::size_t i : chosen) words.push_back(decoder.names()[i]);
  return fmt::format("{}", fmt::join(words, "|"));
}

std::string ScoreAccumulator::Impl::truth_words() const {
  std::vector<std::size_t> chosen;
  std::vector<float> values;
  switch (decoder.loss()) {
    case Loss::kSoftmax:
      return decoder.names()[truth.label];
    case Loss::kSigmoid:
      for (std::size_t i = 0; i < outputs; ++i) {
        if (truth.values[i] > 0) chosen.push_back(i);
      }
      return chosen_words(chosen);
    case Loss::kSquaredError:
    case Loss::kPinball:
      for (std::size_t i = 0; i < outputs; ++i) {
        values.push_back(decoder.in_own_unit(i, truth.values[i]));
      }
      break;
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

// The first few numbers of a forecast.
void ScoreAccumulator::Impl::describe_forecast(const Sample& sample, std::span<const float> logits,
                                               HardExample& made) {
  constexpr std::size_t kMost = 4;
  const auto ranges = datasets::ranges_of(encoding.forecast, encoding.schema.features.size(),
                                          sample.sequence, logits);
  const std::size_t count = std::min(ranges.size(), kMost);
  for (std::size_t i = 0; i < count; ++i) {
    const char* before = i > 0 ? ", " : "";
    made.truth += before + report::in_digits(sample.sequence.values[i], 4);
    made.prediction += before + report::in_digits(ranges[i].median, 4);
  }
  if (count == ranges.size()) return;
  made.truth += ", …";
  made.prediction += ", …";
}

HardExample ScoreAccumulator::Impl::example(const Sample& sample, std::size_t row,
                                            std::span<const float> logits) {
  read_truth(sample.sequence, row);
  decoder.decode(logits.subspan(row * outputs, outputs), prediction);
  HardExample made{.id = sample.sequence.id, .from = sample.from};
  if (decoder.is_of_forecasts()) {
    describe_forecast(sample, logits, made);
    return made;
  }
  if (decoder.every_step()) made.step = step_of(sample.from, row);
  made.truth = truth_words();
  made.prediction = decoder.is_of_numbers() ? fmt::format("{}", fmt::join(prediction.values, ", "))
                                            : chosen_words(prediction.chosen);
  return made;
}

ScoreAccumulator::ScoreAccumulator(const datasets::Encoding& encoding)
    : impl_(std::make_unique<Impl>(encoding)) {}
ScoreAccumulator::~ScoreAccumulator() = default;

void ScoreAccumulator::add(const Sample& sample, std::span<const float> logits) {
  Impl& i = *impl_;
  Tally sum{.sequences = 1};
  double most = -1;
  std::size_t hardest = 0;
  for (std::size_t row = 0; row < i.answers_to(sample.sequence); ++row) {
    i.read_truth(sample.sequence, row);
    const Tally one = i.score(logits.subspan(row * i.outputs, i.outputs));
    if (one.loss > most) hardest = row;
    most = std::max(most, one.loss);
    sum += one;
  }
  i.all += sum;
  if (sum.answers == 0) return;
  if (i.decoder.is_of_forecasts()) {
    i.forecasts.add(sample.sequence,
                    datasets::ranges_of(i.encoding.forecast, i.encoding.schema.features.size(),
                                        sample.sequence, logits));
  } else {
    i.lengths.add(sample.sequence.steps, sum);
  }
  const double loss = training::in_unit(i.decoder.loss(), share(sum.loss, sum.answers));
  if (!i.hardest.wants(loss)) return;
  HardExample example = i.example(sample, hardest, logits);
  example.number = i.all.sequences - 1;
  example.loss = loss;
  i.hardest.add(std::move(example));
}

Scores ScoreAccumulator::finish() const {
  const Impl& i = *impl_;
  const Loss kind = i.decoder.loss();
  if (i.all.answers == 0) {
    throw InputError("found no targets, expected some to score the predictions against");
  }
  Scores scores{.sequences = i.all.sequences,
                .answers = i.all.answers,
                .loss = training::in_unit(kind, share(i.all.loss, i.all.answers)),
                .unit = std::string(training::unit_of(kind))};
  i.lengths.finish(kind, scores);
  scores.hardest = i.hardest.examples();
  if (i.decoder.is_of_numbers()) {
    if (kind == Loss::kSquaredError) i.numbers.finish(i.decoder, scores);
    if (kind == Loss::kPinball) i.forecasts.finish(scores);
    return scores;
  }
  scores.accuracy = share(static_cast<double>(i.all.right), i.all.decisions);
  i.counts.finish(i.decoder.names(), scores);
  i.calibration.finish(scores);
  scores.confusion = i.confusion;
  if (i.confusion.size() == 2) scores.matthews = matthews(i.confusion);
  if (kind == Loss::kSigmoid) {
    scores.subset_accuracy = share(static_cast<double>(i.whole_sets), i.all.answers);
  } else {
    scores.micro_f1.reset();  // for classes it equals the accuracy
  }
  return scores;
}

Scores score(const Trained& trained, const SampleSource& next, const PredictOptions& options) {
  ScoreAccumulator scores(trained.encoding);
  predict(trained, next, options,
          [&](const Sample& sample, std::span<const float> logits) { scores.add(sample, logits); });
  Scores made = scores.finish();
  const auto is_true = [](const LabelScore& label) { return label.support > 0; };
  if (!made.labels.empty() && std::ranges::none_of(made.labels, is_true)) {
    throw InputError("found no labels, expected some to score the predictions against");
  }
  return made;
}

}  // namespace rwa::workflows
