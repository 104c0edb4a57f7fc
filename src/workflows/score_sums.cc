#include "workflows/score_sums.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "training/metrics.h"

namespace rwa::workflows {
namespace {

// Fewer say too little about a bin.
constexpr std::int64_t kFewestInBin = 10;

}  // namespace

void join(ConfidenceBin& bin, const ConfidenceBin& next) {
  const std::int64_t answers = bin.answers + next.answers;
  const auto mean = [&](double a, double b) {
    return share(a * static_cast<double>(bin.answers) + b * static_cast<double>(next.answers),
                 answers);
  };
  bin.confidence = mean(bin.confidence, next.confidence);
  bin.accuracy = mean(bin.accuracy, next.accuracy);
  bin.answers = answers;
  bin.to = next.to;
}

std::vector<ConfidenceBin> joined(const std::vector<ConfidenceBin>& bins) {
  std::vector<ConfidenceBin> kept;
  for (const ConfidenceBin& bin : bins) {
    if (!kept.empty() && kept.back().answers < kFewestInBin) {
      join(kept.back(), bin);
    } else {
      kept.push_back(bin);
    }
  }
  if (kept.size() > 1 && kept.back().answers < kFewestInBin) {
    join(kept[kept.size() - 2], kept.back());
    kept.pop_back();
  }
  return kept;
}

void Calibration::add(double confidence, bool right) {
  Bin& bin = bins_[std::min(static_cast<std::size_t>(confidence * kBins), kBins - 1)];
  ++bin.answers;
  bin.right += right ? 1 : 0;
  bin.confidence += confidence;
}

void Calibration::finish(Scores& scores) const {
  std::int64_t answers = 0;
  double error = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    const Bin& bin = bins_[i];
    answers += bin.answers;
    error += std::abs(bin.confidence - static_cast<double>(bin.right));
    scores.calibration.push_back({.from = static_cast<double>(i) / kBins,
                                  .to = static_cast<double>(i + 1) / kBins,
                                  .answers = bin.answers,
                                  .confidence = share(bin.confidence, bin.answers),
                                  .accuracy = share(static_cast<double>(bin.right), bin.answers)});
  }
  scores.calibration_error = share(error, answers);
}

void LabelCounts::add_class(std::size_t truth, std::size_t predicted) {
  ++counts_[truth].true_ones;
  ++counts_[predicted].predicted;
  if (truth == predicted) ++counts_[truth].both;
}

void LabelCounts::add_labels(std::span<const float> truth, std::span<const std::size_t> predicted) {
  for (std::size_t i = 0; i < truth.size(); ++i) counts_[i].true_ones += truth[i] > 0 ? 1 : 0;
  for (const std::size_t i : predicted) {
    ++counts_[i].predicted;
    counts_[i].both += truth[i] > 0 ? 1 : 0;
  }
}

void LabelCounts::finish(std::span<const std::string> names, Scores& scores) const {
  // 2 P R / (P + R), also if P and R are 0.
  const auto f1 = [](const Count& c) {
    return share(2.0 * static_cast<double>(c.both), c.true_ones + c.predicted);
  };
  Count all;
  std::int64_t seen = 0;
  double sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const Count& count = counts_[i];
    const auto both = static_cast<double>(count.both);
    scores.labels.push_back({.name = names[i],
                             .support = count.true_ones,
                             .predicted = count.predicted,
                             .precision = share(both, count.predicted),
                             .recall = share(both, count.true_ones),
                             .f1 = f1(count)});
    all.true_ones += count.true_ones;
    all.predicted += count.predicted;
    all.both += count.both;
    if (count.true_ones + count.predicted == 0) continue;
    ++seen;
    sum += f1(count);
  }
  scores.macro_f1 = share(sum, seen);
  scores.micro_f1 = f1(all);
}

// When there are too many, every other one is dropped, and half as many follow.
void NumberSums::show(std::span<const float> truth, std::span<const float> predicted) {
  constexpr std::size_t kMost = 1000;  // even
  if (count_ % every_ != 0) return;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].shown.push_back({truth[i], predicted[i]});
  if (sums_.front().shown.size() < kMost) return;
  every_ *= 2;
  for (Sum& sum : sums_) {
    for (std::size_t k = 0; k < kMost / 2; ++k) sum.shown[k] = sum.shown[2 * k];
    sum.shown.resize(kMost / 2);
  }
}

void NumberSums::add(std::span<const float> truth, std::span<const float> predicted) {
  show(truth, predicted);
  ++count_;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    Sum& sum = sums_[i];
    const double error = static_cast<double>(predicted[i]) - truth[i];
    sum.error += std::abs(error);
    sum.squared_error += error * error;
    const double deviation = truth[i] - sum.mean;
    sum.mean += deviation / static_cast<double>(count_);
    sum.squared_deviation += deviation * (truth[i] - sum.mean);
  }
}

void NumberSums::finish(const OutputDecoder& decoder, Scores& scores) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Sum& sum = sums_[i];
    NumberScore score{.name = decoder.names()[i],
                      .rmse = decoder.scale(i) * std::sqrt(share(sum.squared_error, count_)),
                      .mae = decoder.scale(i) * share(sum.error, count_)};
    if (sum.squared_deviation > 0) score.r2 = 1 - sum.squared_error / sum.squared_deviation;
    for (const auto& [truth, predicted] : sum.shown) {
      score.shown.push_back({decoder.in_own_unit(i, truth), decoder.in_own_unit(i, predicted)});
    }
    scores.numbers.push_back(std::move(score));
  }
}

void ForecastSums::add(const formats::Sequence& window, std::span<const datasets::Range> ranges) {
  const std::size_t targets = encoding_.forecast.targets.size();
  features_.resize(targets);
  ahead_.resize(ranges.size() / targets);
  double scaled = 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!window.filled.empty() && window.filled[i]) continue;  // nobody knows the truth
    const double truth = window.values[i];
    const auto& [low, median, high] = ranges[i];
    const double error = std::abs(median - truth);
    const double size = (std::abs(truth) + std::abs(median)) / 2;
    const double unit = datasets::change_of(window, encoding_.forecast.targets[i % targets]);
    for (Sum* sum : {&features_[i % targets], &ahead_[i / targets]}) {
      ++sum->count;
      sum->inside += low <= truth && truth <= high ? 1 : 0;
      sum->error += error;
      sum->squared_error += error * error;
      sum->share += size > 0 ? error / size : 0;
      sum->scaled += error / unit;
      sum->width += high - low;
    }
    scaled += error / unit;
    ++count;
  }
  windows_.push_back(static_cast<float>(share(scaled, count)));
}

void ForecastSums::finish(Scores& scores) const {
  const auto coverage = [](const Sum& sum) -> std::optional<double> {
    if (sum.width == 0) return {};
    return share(static_cast<double>(sum.inside), sum.count);
  };
  Sum all;
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const Sum& sum = features_[k];
    ForecastScore& score = scores.forecasts.emplace_back();
    score.name = encoding_.schema.features[encoding_.forecast.targets[k]];
    score.mae = share(sum.error, sum.count);
    score.rmse = std::sqrt(share(sum.squared_error, sum.count));
    score.smape = share(sum.share, sum.count);
    score.mase = share(sum.scaled, sum.count);
    score.coverage = coverage(sum);
    if (score.coverage) score.width = share(sum.width, sum.count);
    all.count += sum.count;
    all.inside += sum.inside;
    all.share += sum.share;
    all.scaled += sum.scaled;
    all.width += sum.width;
  }
  scores.window_errors = windows_;
  scores.mase = share(all.scaled, all.count);
  scores.smape = share(all.share, all.count);
  scores.coverage = coverage(all);
  for (std::size_t step = 0; step < ahead_.size(); ++step) {
    scores.steps_ahead.push_back({static_cast<int>(step) + 1,
                                  share(ahead_[step].scaled, ahead_[step].count),
                                  coverage(ahead_[step])});
  }
}

Tally& Tally::operator+=(const Tally& other) {
  sequences += other.sequences;
  answers += other.answers;
  decisions += other.decisions;
  right += other.right;
  loss += other.loss;
  return *this;
}

// Bins are as equal as lengths allow: each ends when it has its share of all sequences.
std::vector<Lengths::Bin> Lengths::bins() const {
  constexpr std::int64_t kBins = 10;
  std::int64_t sequences = 0;
  for (const auto& [steps, tally] : tallies_) sequences += tally.sequences;
  std::vector<Bin> bins;
  std::int64_t seen = 0;
  bool is_full = true;
  for (const auto& [steps, tally] : tallies_) {
    if (is_full) bins.push_back({.shortest = steps});
    Bin& bin = bins.back();
    bin.longest = steps;
    bin.sum += tally;
    seen += tally.sequences;
    is_full = seen * kBins >= static_cast<std::int64_t>(bins.size()) * sequences &&
              bin.sum.sequences >= kFewestInBin;
  }
  if (bins.size() > 1 && bins.back().sum.sequences < kFewestInBin) {
    Bin& last = bins[bins.size() - 2];
    last.longest = bins.back().longest;
    last.sum += bins.back().sum;
    bins.pop_back();
  }
  return bins;
}

void Lengths::finish(Loss loss, Scores& scores) const {
  for (const auto& [shortest, longest, sum] : bins()) {
    LengthBin made{.shortest = shortest,
                   .longest = longest,
                   .sequences = sum.sequences,
                   .loss = training::in_unit(loss, share(sum.loss, sum.answers))};
    if (sum.decisions > 0) made.accuracy = share(static_cast<double>(sum.right), sum.decisions);
    scores.lengths.push_back(made);
  }
}

bool Hardest::wants(double loss) const {
  return examples_.size() < kMost || loss > examples_.back().loss;
}

void Hardest::add(HardExample example) {
  const auto at =
      std::ranges::upper_bound(examples_, example.loss, std::greater(), &HardExample::loss);
  examples_.insert(at, std::move(example));
  if (examples_.size() > kMost) examples_.pop_back();
}

}  // namespace rwa::workflows
