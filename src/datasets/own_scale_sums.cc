#include "datasets/own_scale_sums.h"

#include <algorithm>
#include <cmath>

namespace rwa::datasets {
namespace {

// A bin holds deviations that differ by less than a factor of 2^(1/8), 9 %.
constexpr double kBinsPerOctave = 8;
int bin_of(double deviation) {
  return static_cast<int>(std::floor(kBinsPerOctave * std::log2(deviation)));
}
double start_of(int bin) { return std::exp2(bin / kBinsPerOctave); }

// Deviations a thousand times below nearly all others count as noise.
constexpr double kLowShare = 0.1, kHighShare = 0.9, kNoise = 1e-3;
constexpr double kFewest = 10;

}  // namespace

void OwnScaleSums::add(std::span<const float> x, std::size_t features) {
  features_.resize(features);
  const std::vector<Level> levels = levels_of(x, features);
  for (std::size_t i = 0; i < features; ++i) {
    if (levels[i].count == 0) continue;
    const double deviation = levels[i].deviation;
    features_[i].means.add({.count = 1, .mean = levels[i].mean});
    if (deviation > 0) {
      features_[i].varying[bin_of(deviation)].add({.count = 1, .mean = std::log(deviation)});
    } else {
      features_[i].constant.add({.count = 1});
    }
  }
}

void OwnScaleSums::add(const OwnScaleSums& others) {
  features_.resize(std::max(features_.size(), others.features_.size()));
  for (std::size_t i = 0; i < others.features_.size(); ++i) {
    features_[i].means.add(others.features_[i].means);
    features_[i].constant.add(others.features_[i].constant);
    for (const auto& [bin, logs] : others.features_[i].varying) features_[i].varying[bin].add(logs);
  }
}

double OwnScaleSums::Feature::count() const {
  double count = 0;
  for (const auto& [bin, logs] : varying) count += logs.count;
  return count;
}

double OwnScaleSums::Feature::percentile(double share) const {
  double before = std::floor(share * (count() - 1));
  for (const auto& [bin, logs] : varying) {
    if (before < logs.count) return std::exp(logs.mean);
    before -= logs.count;
  }
  return 1;  // all are constant
}

// The least deviation is the start of a bin: the sums of all bins above it are exact.
OwnScale OwnScaleSums::scale(std::size_t features) const {
  OwnScale scale;
  for (std::size_t i = 0; i < features; ++i) {
    const Feature feature = i < features_.size() ? features_[i] : Feature();
    const int first = bin_of(kNoise * feature.percentile(kLowShare));
    const double least = start_of(first);
    Moment logs{.count = feature.constant.count, .mean = std::log(least)};
    for (const auto& [bin, some] : feature.varying) {
      logs.add(bin < first ? Moment{.count = some.count, .mean = std::log(least)} : some);
    }
    scale.least.push_back(least);
    scale.means.mean.push_back(feature.means.mean);
    scale.means.scale.push_back(feature.means.deviation());
    scale.deviations.mean.push_back(logs.mean);
    scale.deviations.scale.push_back(logs.deviation());
  }
  return scale;
}

std::optional<double> OwnScaleSums::spread() const {
  std::optional<double> most;
  for (const Feature& feature : features_) {
    if (feature.count() < kFewest) continue;
    const double ratio = feature.percentile(kHighShare) / feature.percentile(kLowShare);
    most = std::max(most.value_or(ratio), ratio);
  }
  return most;
}

}  // namespace rwa::datasets
