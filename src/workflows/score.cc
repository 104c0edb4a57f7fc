#include "workflows/score.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rwa/errors.h"
#include "training/metrics.h"
#include "workflows/answers_text.h"
#include "workflows/score_sums.h"

namespace rwa::workflows {
namespace {

// What one answer should have been.
struct Truth {
  std::size_t label = 0;      // the class
  std::vector<float> values;  // [O]: of labels 1 where it holds, else 0; numbers made normal
};

// The losses of one answer, in nats or squared; as include/rwa/types.h has them.
double softmax_loss(std::span<const float> logits, std::size_t truth) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - most);
  return std::log(sum) + most - logits[truth];
}

double sigmoid_loss(std::span<const float> logits, std::span<const float> truth) {
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double y = logits[i];
    sum += std::max(y, 0.0) - y * truth[i] + std::log1p(std::exp(-std::abs(y)));
  }
  return sum / static_cast<double>(logits.size());
}

double squared_error(std::span<const float> y, std::span<const float> truth) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = static_cast<double>(y[i]) - truth[i];
    sum += error * error;
  }
  return sum / static_cast<double>(y.size());
}

// The correlation of the truth with what was said, of a table of two.
double matthews(const std::vector<std::vector<std::int64_t>>& table) {
  const auto n = [&](std::size_t truth, std::size_t said) {
    return static_cast<double>(table[truth][said]);
  };
  const double product =
      (n(1, 1) + n(0, 1)) * (n(1, 1) + n(1, 0)) * (n(0, 0) + n(0, 1)) * (n(0, 0) + n(1, 0));
  return product > 0 ? (n(1, 1) * n(0, 0) - n(0, 1) * n(1, 0)) / std::sqrt(product) : 0.0;
}

}  // namespace

struct Scorer::Impl {
  explicit Impl(const datasets::Encoding& of)
      : encoding(of),
        answers(of),
        outputs(answers.names().size()),
        counts(outputs),
        numbers(outputs) {
    if (answers.loss() == Loss::kSoftmax && outputs <= Scores::kMostConfused) {
      confusion.assign(outputs, std::vector<std::int64_t>(outputs));
    }
  }

  [[nodiscard]] std::size_t answers_to(const formats::Sequence& sequence) const;
  void read_truth(const formats::Sequence& sequence, std::size_t row);
  Tally judge(std::span<const float> logits);
  Tally judge_class(std::span<const float> logits);
  Tally judge_labels(std::span<const float> logits);
  HardExample example(const Sample& sample, std::size_t row, std::span<const float> logits);
  [[nodiscard]] std::string chosen_words(std::span<const std::size_t> chosen) const;
  [[nodiscard]] std::string truth_words() const;

  const datasets::Encoding& encoding;
  const Answers answers;
  const std::size_t outputs;
  Tally all;
  std::int64_t whole_sets = 0;  // of labels: answers that have all of them right
  LabelCounts counts;
  std::vector<std::vector<std::int64_t>> confusion;
  Calibration calibration;
  NumberSums numbers;
  Lengths lengths;
  Hardest hardest;
  Truth truth;    // of the answer that is judged
  Answer answer;  // which is this
};

// The last step of a forecast has no answer yet.
std::size_t Scorer::Impl::answers_to(const formats::Sequence& sequence) const {
  if (!answers.every_step()) return 1;
  const auto steps = static_cast<std::size_t>(sequence.steps);
  return encoding.schema.target == formats::Target::kNone ? std::max<std::size_t>(steps, 1) - 1
                                                          : steps;
}

void Scorer::Impl::read_truth(const formats::Sequence& sequence, std::size_t row) {
  const bool forecast = encoding.schema.target == formats::Target::kNone;
  switch (answers.loss()) {
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
  }
}

Tally Scorer::Impl::judge(std::span<const float> logits) {
  answers.read(logits, answer);
  switch (answers.loss()) {
    case Loss::kSoftmax:
      return judge_class(logits);
    case Loss::kSigmoid:
      return judge_labels(logits);
    case Loss::kSquaredError:
      break;
  }
  numbers.add(truth.values, logits);
  return {.answers = 1, .loss = squared_error(logits, truth.values)};
}

Tally Scorer::Impl::judge_class(std::span<const float> logits) {
  const std::size_t said = answer.chosen.front();
  const bool right = said == truth.label;
  counts.add_class(truth.label, said);
  if (!confusion.empty()) ++confusion[truth.label][said];
  calibration.add(answer.values[said], right);
  return {
      .answers = 1, .judged = 1, .right = right ? 1 : 0, .loss = softmax_loss(logits, truth.label)};
}

Tally Scorer::Impl::judge_labels(std::span<const float> logits) {
  Tally tally{.answers = 1,
              .judged = static_cast<std::int64_t>(outputs),
              .loss = sigmoid_loss(logits, truth.values)};
  for (std::size_t i = 0; i < outputs; ++i) {
    const bool right = (logits[i] > 0) == (truth.values[i] > 0);
    calibration.add(std::max(answer.values[i], 1 - answer.values[i]), right);
    tally.right += right ? 1 : 0;
  }
  counts.add_labels(truth.values, answer.chosen);
  whole_sets += tally.right == tally.judged ? 1 : 0;
  return tally;
}

std::string Scorer::Impl::chosen_words(std::span<const std::size_t> chosen) const {
  std::vector<std::string_view> words;
  for (const std::size_t i : chosen) words.push_back(answers.names()[i]);
  return fmt::format("{}", fmt::join(words, "|"));
}

std::string Scorer::Impl::truth_words() const {
  std::vector<std::size_t> chosen;
  std::vector<float> values;
  switch (answers.loss()) {
    case Loss::kSoftmax:
      return answers.names()[truth.label];
    case Loss::kSigmoid:
      for (std::size_t i = 0; i < outputs; ++i) {
        if (truth.values[i] > 0) chosen.push_back(i);
      }
      return chosen_words(chosen);
    case Loss::kSquaredError:
      for (std::size_t i = 0; i < outputs; ++i) {
        values.push_back(answers.in_own_unit(i, truth.values[i]));
      }
      break;
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

HardExample Scorer::Impl::example(const Sample& sample, std::size_t row,
                                  std::span<const float> logits) {
  read_truth(sample.sequence, row);
  answers.read(logits.subspan(row * outputs, outputs), answer);
  HardExample made{.id = sample.sequence.id, .from = sample.from};
  if (answers.every_step()) made.step = step_of(sample.from, row);
  made.truth = truth_words();
  made.prediction = answers.loss() == Loss::kSquaredError
                        ? fmt::format("{}", fmt::join(answer.values, ", "))
                        : chosen_words(answer.chosen);
  return made;
}

Scorer::Scorer(const datasets::Encoding& encoding) : impl_(std::make_unique<Impl>(encoding)) {}
Scorer::~Scorer() = default;

void Scorer::see(const Sample& sample, std::span<const float> logits) {
  Impl& i = *impl_;
  Tally sum{.sequences = 1};
  double most = -1;
  std::size_t hardest = 0;
  for (std::size_t row = 0; row < i.answers_to(sample.sequence); ++row) {
    i.read_truth(sample.sequence, row);
    const Tally one = i.judge(logits.subspan(row * i.outputs, i.outputs));
    if (one.loss > most) hardest = row;
    most = std::max(most, one.loss);
    sum += one;
  }
  i.all += sum;
  if (sum.answers == 0) return;
  i.lengths.add(sample.sequence.steps, sum);
  const double loss = training::in_unit(i.answers.loss(), share(sum.loss, sum.answers));
  if (!i.hardest.wants(loss)) return;
  HardExample example = i.example(sample, hardest, logits);
  example.loss = loss;
  i.hardest.add(std::move(example));
}

Scores Scorer::finish() const {
  const Impl& i = *impl_;
  const Loss kind = i.answers.loss();
  if (i.all.answers == 0) throw InputError("found no answers, expected some to compare with");
  if (kind == Loss::kSigmoid && i.counts.support() == 0) {
    throw InputError("found no label of any sequence, expected some to compare with");
  }
  Scores scores{.sequences = i.all.sequences,
                .answers = i.all.answers,
                .loss = training::in_unit(kind, share(i.all.loss, i.all.answers)),
                .unit = std::string(training::unit_of(kind))};
  i.lengths.finish(kind, scores);
  scores.hardest = i.hardest.examples();
  if (kind == Loss::kSquaredError) {
    i.numbers.finish(i.answers, scores);
    return scores;
  }
  scores.accuracy = share(static_cast<double>(i.all.right), i.all.judged);
  i.counts.finish(i.answers.names(), scores);
  i.calibration.finish(scores);
  scores.confusion = i.confusion;
  if (i.confusion.size() == 2) scores.matthews = matthews(i.confusion);
  if (kind == Loss::kSigmoid) {
    scores.subset_accuracy = share(static_cast<double>(i.whole_sets), i.all.answers);
  } else {
    scores.micro_f1.reset();  // of classes it is the accuracy
  }
  return scores;
}

Scores score(const Trained& trained, const Samples& next, const PredictOptions& options) {
  Scorer scorer(trained.encoding);
  predict(trained, next, options,
          [&](const Sample& sample, std::span<const float> logits) { scorer.see(sample, logits); });
  return scorer.finish();
}

}  // namespace rwa::workflows
