#include "datasets/files_sums.h"

#include <algorithm>
#include <cmath>

namespace rwa::datasets {
namespace {

double bits(double share) { return share > 0 ? -share * std::log2(share) : 0; }

// The baseline for one class among several, from their frequencies.
Naive one_of(const Counts& counts) {
  std::int64_t total = 0, most = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    total += counts.of(i);
    most = std::max(most, counts.of(i));
  }
  const auto share = [&](std::int64_t count) {
    return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
  };
  Naive naive{.loss = 0, .accuracy = share(most)};
  for (std::size_t i = 0; i < counts.size(); ++i) naive.loss += bits(share(counts.of(i)));
  return naive;
}

// The baseline for independent yes/no labels.
Naive each_of(std::size_t labels, const Counts& counts, std::int64_t samples) {
  Naive naive{.loss = 0, .accuracy = 0};
  for (std::size_t i = 0; i < labels; ++i) {
    const double yes = static_cast<double>(counts.of(i)) / static_cast<double>(samples);
    naive.loss += (bits(yes) + bits(1 - yes)) / static_cast<double>(labels);
    *naive.accuracy += std::max(yes, 1 - yes) / static_cast<double>(labels);
  }
  return naive;
}

}  // namespace

void Moments::add(std::span<const float> rows, std::size_t columns) {
  columns_.resize(columns);
  const std::vector<Moment> part = moments_of(rows, columns);
  for (std::size_t i = 0; i < columns; ++i) columns_[i].add(part[i]);
}

void Moments::add(const Moments& others) {
  columns_.resize(std::max(columns_.size(), others.columns_.size()));
  for (std::size_t i = 0; i < others.columns_.size(); ++i) columns_[i].add(others.columns_[i]);
}

Normal Moments::normal(std::size_t columns) const {
  Normal normal{.mean = std::vector<double>(columns, 0), .scale = std::vector<double>(columns, 1)};
  for (std::size_t i = 0; i < std::min(columns, columns_.size()); ++i) {
    normal.mean[i] = columns_[i].mean;
    normal.scale[i] = columns_[i].deviation();
  }
  return normal;
}

double Moments::naive_error(std::size_t columns) const {
  const auto varying =
      std::ranges::count_if(columns_, [](const Moment& column) { return column.squares > 0; });
  return static_cast<double>(varying) / static_cast<double>(columns);
}

double Moments::variance(std::size_t columns) const {
  double sum = 0;
  for (const Moment& column : columns_) sum += column.squares / std::max(column.count, 1.0);
  return sum / static_cast<double>(columns);
}

void Counts::add(std::int32_t number, std::int64_t times) {
  const auto place = static_cast<std::size_t>(number);
  if (place >= counts_.size()) counts_.resize(place + 1);
  counts_[place] += times;
}

void Counts::add(const Counts& others) {
  for (std::size_t i = 0; i < others.size(); ++i) add(static_cast<std::int32_t>(i), others.of(i));
}

void Sums::add(const Sums& others) {
  samples += others.samples;
  steps += others.steps;
  longest = std::max(longest, others.longest);
  features.add(others.features);
  own.add(others.own);
  targets.add(others.targets);
  labels.add(others.labels);
  symbols.add(others.symbols);
  seen.add(others.seen);
}

Naive naive_of(const Encoding& encoding, const Sums& sums) {
  const Shape shape = encoding.shape();
  const auto outputs = static_cast<std::size_t>(shape.outputs);
  const bool forecast = encoding.schema.target == formats::Target::kNone;
  switch (shape.loss) {
    case Loss::kSoftmax:
      return one_of(forecast ? sums.symbols : sums.labels);
    case Loss::kSigmoid:
      return each_of(outputs, sums.labels, sums.samples);
    case Loss::kPinball:
      return {};
    case Loss::kSquaredError:
      break;
  }
  if (forecast && encoding.scale == Scale::kNone) {
    return {.loss = sums.features.variance(outputs), .accuracy = {}};
  }
  return {.loss = (forecast ? sums.features : sums.targets).naive_error(outputs), .accuracy = {}};
}

}  // namespace rwa::datasets
