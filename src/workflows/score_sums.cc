#include "workflows/score_sums.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "training/metrics.h"

namespace rwa::workflows {

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

void NumberSums::add(std::span<const float> truth, std::span<const float> predicted) {
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
    scores.numbers.push_back(std::move(score));
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

void Lengths::finish(Loss loss, Scores& scores) const {
  constexpr std::int64_t kBins = 10;
  std::int64_t sequences = 0;
  for (const auto& [steps, tally] : tallies_) sequences += tally.sequences;
  Tally bin;
  std::int64_t before = 0;  // sequences in completed bins
  int shortest = 0;
  for (auto at = tallies_.begin(); at != tallies_.end(); ++at) {
    if (bin.sequences == 0) shortest = at->first;
    bin += at->second;
    // A bin ends when it has its share of all sequences, so bins are as equal as lengths allow.
    const auto full = static_cast<std::int64_t>(scores.lengths.size() + 1) * sequences;
    if ((before + bin.sequences) * kBins < full && std::next(at) != tallies_.end()) continue;
    LengthBin made{.shortest = shortest,
                   .longest = at->first,
                   .sequences = bin.sequences,
                   .loss = training::in_unit(loss, share(bin.loss, bin.answers))};
    if (bin.decisions > 0) made.accuracy = share(static_cast<double>(bin.right), bin.decisions);
    scores.lengths.push_back(made);
    before += bin.sequences;
    bin = {};
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
