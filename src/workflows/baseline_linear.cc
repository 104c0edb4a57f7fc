// src/workflows/baseline_linear.cc: a linear model of what can be counted or summed over a sequence.
// Classes and labels are fitted as numbers, 1 or 0, one against the rest.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "workflows/baseline.h"
#include "workflows/predictions.h"
#include "workflows/ridge.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kMostColumns = 1024;
constexpr std::size_t kMostLeftOut = 256;

// The features of a linear model.
class Features {
 public:
  virtual ~Features() = default;
  [[nodiscard]] virtual std::size_t columns() const = 0;
  [[nodiscard]] virtual RidgeScale scale() const = 0;
  virtual void write(const formats::Sequence& encoded, RidgeRow& row) const = 0;
};

// Mean, deviation, minimum, maximum, first, last and slope of each feature; fewer of them if the
// features are many.
class Summaries final : public Features {
 public:
  Summaries(std::size_t width, std::size_t most_columns)
      : width_(width), kinds_(std::min(kKinds, most_columns / width)) {}

  [[nodiscard]] std::size_t columns() const override { return width_ * kinds_; }
  [[nodiscard]] RidgeScale scale() const override { return RidgeScale::kEach; }

  void write(const formats::Sequence& encoded, RidgeRow& row) const override {
    row.clear();
    if (encoded.steps == 0) return;
    for (std::size_t d = 0; d < width_; ++d) {
      const auto values = summaries(encoded, d);
      for (std::size_t i = 0; i < kinds_; ++i) row.push_back({d * kinds_ + i, values[i]});
    }
  }

 private:
  static constexpr std::size_t kKinds = 7;

  [[nodiscard]] std::array<double, kKinds> summaries(const formats::Sequence& encoded,
                                                     std::size_t d) const {
    const auto steps = static_cast<std::size_t>(encoded.steps);
    const auto x = [&](std::size_t t) { return static_cast<double>(encoded.x[t * width_ + d]); };
    const double middle = (static_cast<double>(steps) - 1) / 2;
    double sum = 0, squares = 0, along = 0, spread = 0, least = x(0), most = x(0);
    for (std::size_t t = 0; t < steps; ++t) {
      const double from_middle = static_cast<double>(t) - middle;
      sum += x(t);
      squares += x(t) * x(t);
      along += from_middle * x(t);
      spread += from_middle * from_middle;
      least = std::min(least, x(t));
      most = std::max(most, x(t));
    }
    const double mean = sum / static_cast<double>(steps);
    const double variance = squares / static_cast<double>(steps) - mean * mean;
    return {mean,         std::sqrt(std::max(0.0, variance)), least, most, x(0),
            x(steps - 1), spread > 0 ? along / spread : 0};
  }

  std::size_t width_, kinds_;
};

// Frequencies of single symbols, pairs and triples. Each length has its own columns: one per n-gram
// if there are enough, else n-grams share columns by a hash.
class NGrams final : public Features {
 public:
  NGrams(std::size_t alphabet, std::size_t most_columns) : alphabet_(alphabet) {
    double count = 1;
    for (std::size_t n = 0; n < kLongest; ++n) {
      count *= static_cast<double>(alphabet);
      const std::size_t share = (most_columns - begins_[n]) / (kLongest - n);
      hashed_[n] = count > static_cast<double>(share);
      begins_[n + 1] = begins_[n] + (hashed_[n] ? share : static_cast<std::size_t>(count));
    }
  }

  [[nodiscard]] std::size_t columns() const override { return begins_.back(); }
  [[nodiscard]] RidgeScale scale() const override { return RidgeScale::kAll; }

  void write(const formats::Sequence& encoded, RidgeRow& row) const override {
    std::vector<std::size_t> seen;
    const std::vector<std::int32_t>& symbols = encoded.symbols;
    for (std::size_t t = 0; t < symbols.size(); ++t) {
      for (std::size_t n = 0; n < std::min(kLongest, t + 1); ++n) {
        seen.push_back(column(std::span(symbols).subspan(t - n, n + 1)));
      }
    }
    std::ranges::sort(seen);
    row.clear();
    const double each = 1 / std::max(1.0, static_cast<double>(symbols.size()));
    for (const std::size_t column : seen) {
      if (row.empty() || row.back().column != column) row.push_back({column, 0});
      row.back().value += each;
    }
  }

 private:
  static constexpr std::size_t kLongest = 3;

  [[nodiscard]] std::size_t column(std::span<const std::int32_t> symbols) const {
    const std::size_t n = symbols.size() - 1;
    std::uint64_t number = 0;
    for (const std::int32_t symbol : symbols) {
      number = number * alphabet_ + static_cast<std::uint64_t>(symbol);
    }
    if (!hashed_[n]) return begins_[n] + number;
    // The last step of MurmurHash3.
    number = (number ^ (number >> 33)) * 0xff51afd7ed558ccdULL;
    number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return begins_[n] + (number ^ (number >> 33)) % (begins_[n + 1] - begins_[n]);
  }

  std::size_t alphabet_;
  std::array<std::size_t, kLongest + 1> begins_{};  // the first column of each length, and the end
  std::array<bool, kLongest> hashed_{};
};

// Targets as numbers.
void write_targets(const formats::Sequence& encoded, Loss loss, std::span<double> targets) {
  std::ranges::fill(targets, 0.0);
  if (loss == Loss::kSquaredError) {
    std::ranges::copy(encoded.values, targets.begin());
    return;
  }
  for (const std::int32_t label : encoded.labels) targets[static_cast<std::size_t>(label)] = 1;
}

// The loss in nats of logits that are `slope` times the fitted numbers.
double loss_with(double slope, Loss loss, std::span<const double> fitted,
                 std::span<const double> truth) {
  double sum = 0;
  std::vector<float> logits;
  for (const double value : fitted) logits.push_back(static_cast<float>(slope * value));
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    if (loss == Loss::kSoftmax) {
      sum -= truth[i] * static_cast<double>(logits[i]);
      continue;
    }
    const double logit = slope * (fitted[i] - 0.5);
    sum += std::log1p(std::exp(-std::abs(logit))) + std::max(logit, 0.0) - truth[i] * logit;
  }
  return loss == Loss::kSoftmax ? sum + log_sum_exp(logits) : sum;
}

// How steeply probabilities follow the fitted numbers: the best of a grid on rows left out.
double find_slope(const RidgeFit& fit, Loss loss, std::span<const double> truths) {
  constexpr double kFirst = 0.5, kFactor = 1.5;
  constexpr int kSlopes = 16;  // up to 219
  double best = kFirst;
  double least = std::numeric_limits<double>::infinity();
  double slope = kFirst;
  for (int step = 0; step < kSlopes; ++step, slope *= kFactor) {
    double sum = 0;
    for (std::size_t i = 0; i < truths.size(); i += fit.targets) {
      sum += loss_with(slope, loss, std::span(fit.left_out).subspan(i, fit.targets),
                       truths.subspan(i, fit.targets));
    }
    if (!(sum < least)) continue;
    least = sum;
    best = slope;
  }
  return best;
}

class LinearModel {
 public:
  LinearModel(const datasets::Files& files, std::unique_ptr<const Features> features,
              std::span<const std::int64_t> numbers)
      : features_(std::move(features)), loss_(files.encoding().shape().loss) {
    const auto outputs = static_cast<std::size_t>(files.encoding().shape().outputs);
    RidgeSums sums(features_->columns(), outputs);
    std::vector<double> targets(outputs), truths;
    RidgeRow row;
    const auto apart = (numbers.size() + kMostLeftOut - 1) / kMostLeftOut;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const formats::Sequence sequence = training_sequence(files, numbers[i]);
      features_->write(sequence, row);
      write_targets(sequence, loss_, targets);
      const bool leave_out = i % apart == 0;
      sums.add(row, targets, leave_out);
      if (leave_out) truths.insert(truths.end(), targets.begin(), targets.end());
    }
    fit_ = sums.fit(features_->scale());
    if (loss_ != Loss::kSquaredError) slope_ = find_slope(fit_, loss_, truths);
  }

  void predict(const formats::Sequence& encoded, std::vector<float>& outputs) const {
    RidgeRow row;
    features_->write(encoded, row);
    std::vector<double> fitted(fit_.targets);
    fit_.predict(row, fitted);
    const double zero = loss_ == Loss::kSigmoid ? 0.5 : 0;
    outputs.clear();
    for (const double value : fitted) {
      outputs.push_back(static_cast<float>(slope_ * (value - zero)));
    }
  }

 private:
  std::unique_ptr<const Features> features_;
  Loss loss_;
  RidgeFit fit_;
  double slope_ = 1;  // of logits
};

std::unique_ptr<const Features> features_of(const datasets::Encoding& encoding,
                                            std::size_t columns) {
  if (encoding.schema.symbols) return std::make_unique<NGrams>(encoding.width(), columns);
  return std::make_unique<Summaries>(encoding.width(), columns);
}

// The multiplications of fitting and scoring, roughly.
class Costs {
 public:
  Costs(const datasets::Files& files, std::size_t columns) : columns_(columns) {
    const datasets::Encoding& encoding = files.encoding();
    const datasets::Statistics& all = files.statistics();
    double steps = static_cast<double>(all.steps) / static_cast<double>(all.sequences);
    if (encoding.window > 0) steps = std::min(steps, static_cast<double>(encoding.window));
    const bool symbols = encoding.schema.symbols;
    constexpr double kStep = 30;
    reading_ = kStep * steps * (symbols ? 1 : static_cast<double>(encoding.width()));
    entries_ = static_cast<double>(columns);
    if (symbols) entries_ = std::min(entries_, 3 * steps);
    outputs_ = static_cast<std::size_t>(encoding.shape().outputs);
  }

  // The number of training sequences that can be used to score this many.
  [[nodiscard]] double most_used(std::int64_t scored, double work) const {
    const double scoring = reading_ + entries_ * static_cast<double>(outputs_);
    const double left = work - static_cast<double>(scored) * scoring -
                        RidgeSums::work(columns_, outputs_, kMostLeftOut);
    return left / (reading_ + entries_ * entries_ / 2);
  }

 private:
  std::size_t columns_, outputs_ = 0;
  double reading_ = 0, entries_ = 0;  // of a sequence
};

// As many as leave half of the work for the sequences.
std::size_t most_columns(std::size_t outputs, double work) {
  constexpr std::size_t kFewest = 16;
  std::size_t columns = kMostColumns;
  while (columns > kFewest && RidgeSums::work(columns, outputs, kMostLeftOut) > work / 2) {
    columns /= 2;
  }
  return columns;
}

}  // namespace

std::optional<FittedBaseline> fit_linear(const datasets::Files& files, std::int64_t scored,
                                         double work) {
  const datasets::Encoding& encoding = files.encoding();
  const auto outputs = static_cast<std::size_t>(encoding.shape().outputs);
  auto features = features_of(encoding, most_columns(outputs, work));
  if (features->columns() == 0) return std::nullopt;
  const double most = Costs(files, features->columns()).most_used(scored, work);
  const std::int64_t samples = files.size(datasets::Split::kTrain);
  const auto numbers = evenly_spaced(samples, most);
  if (numbers.empty()) return std::nullopt;
  const auto model = std::make_shared<const LinearModel>(files, std::move(features), numbers);
  const char* name = encoding.schema.symbols ? "linear model of n-grams" : "linear model";
  return FittedBaseline{name_with_count(name, std::ssize(numbers), samples),
                        [model](const formats::Sequence& encoded, std::vector<float>& outputs_of) {
                          model->predict(encoded, outputs_of);
                        }};
}

}  // namespace rwa::workflows
