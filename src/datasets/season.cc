#include "datasets/season.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace rwa::datasets {
namespace {

constexpr int kRepeats = 3;                   // of a season in a series
constexpr int kShortest = 3, kLongest = 400;  // steps, of seasons that are not of the calendar
constexpr double kOfCalendar = 0.3;           // least autocorrelation
constexpr double kOfOthers = 0.4;
constexpr double kNearlyBest = 0.9;            // multiples of a season correlate, too
constexpr std::size_t kMostNumbers = 1 << 20;  // looked at

struct Natural {
  int months;
  double length;
  std::vector<int> seasons;  // steps, the likeliest first
};

const std::vector<Natural>& naturals() {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  static const std::vector<Natural> all = {{1, 0, {12}},
                                           {3, 0, {4}},
                                           {6, 0, {2}},
                                           {0, kDay, {7}},
                                           {0, 7 * kDay, {52}},
                                           {0, kHour, {24, 168}},
                                           {0, kHour / 2, {48, 336}},
                                           {0, kHour / 4, {96}},
                                           {0, 10 * kMinute, {144}},
                                           {0, 5 * kMinute, {288}}};
  return all;
}

std::vector<int> natural_seasons(const std::optional<formats::TimeStep>& step) {
  if (!step) return {};
  for (const Natural& natural : naturals()) {
    if (natural.months == step->months && natural.length == step->length) return natural.seasons;
  }
  return {};
}

// The changes of a feature from step to step, with mean 0: they have no trend.
std::vector<double> changes_of(const formats::Sequence& series, std::size_t features,
                               std::size_t feature) {
  std::vector<double> changes;
  const auto steps = std::min(static_cast<std::size_t>(series.steps), kMostNumbers);
  double mean = 0;
  for (std::size_t t = 1; t < steps; ++t) {
    const double change =
        double{series.x[t * features + feature]} - double{series.x[(t - 1) * features + feature]};
    changes.push_back(std::isfinite(change) ? change : 0);
    mean += changes.back();
  }
  for (double& change : changes) change -= mean / static_cast<double>(changes.size());
  return changes;
}

// The mean autocorrelation of the changes at each lag, over features and those series that repeat
// it often enough.
class Autocorrelation {
 public:
  void add(const std::vector<double>& changes) {
    double variance = 0;
    for (const double change : changes) variance += change * change;
    if (variance <= 0) return;
    const auto most = std::min<std::size_t>((changes.size() + 1) / kRepeats, kLongest);
    if (sums_.size() <= most) {
      sums_.resize(most + 1);
      counts_.resize(most + 1);
    }
    const auto size = static_cast<double>(changes.size());
    for (std::size_t lag = 1; lag <= most; ++lag) {
      double sum = 0;
      for (std::size_t t = lag; t < changes.size(); ++t) sum += changes[t] * changes[t - lag];
      sums_[lag] += sum / variance * size / (size - static_cast<double>(lag));
      counts_[lag] += 1;
    }
  }
  [[nodiscard]] int longest() const { return static_cast<int>(sums_.size()) - 1; }
  [[nodiscard]] double at(int lag) const {
    const auto i = static_cast<std::size_t>(lag);
    return lag <= longest() && counts_[i] > 0 ? sums_[i] / counts_[i] : 0;
  }
  [[nodiscard]] bool has_peak(int lag) const {
    return at(lag) >= at(lag - 1) && at(lag) >= at(lag + 1);
  }

 private:
  std::vector<double> sums_, counts_;
};

}  // namespace

Season find_season(std::span<const formats::Sequence> series, std::size_t features,
                   const std::optional<formats::TimeStep>& step) {
  Autocorrelation found;
  std::size_t seen = 0;
  for (const formats::Sequence& one : series) {
    if (seen > kMostNumbers) break;
    for (std::size_t i = 0; i < features; ++i) found.add(changes_of(one, features, i));
    seen += one.x.size();
  }
  const auto season = [&](int length) {
    return Season{length, fmt::format("autocorrelation {:.2f}", found.at(length))};
  };
  const std::vector<int> natural = natural_seasons(step);
  double highest = kOfCalendar;
  for (const int length : natural) highest = std::max(highest, found.at(length));
  for (const int length : natural) {
    if (found.at(length) >= std::max(kOfCalendar, kNearlyBest * highest)) return season(length);
  }
  if (!natural.empty()) return {};
  int best = 1;
  for (int lag = kShortest; lag < found.longest(); ++lag) {
    if (found.has_peak(lag) && (best == 1 || found.at(lag) > found.at(best))) best = lag;
  }
  if (best == 1 || found.at(best) < kOfOthers) return {};
  for (int lag = kShortest; lag < best; ++lag) {
    if (found.has_peak(lag) && found.at(lag) >= kNearlyBest * found.at(best)) return season(lag);
  }
  return season(best);
}

int natural_horizon(int given, int season, const std::optional<formats::TimeStep>& step,
                    int median_length) {
  constexpr int kUsual = 10, kOfYears = 6, kShare = 6;
  if (given > 0) return given;
  const std::vector<int> natural = natural_seasons(step);
  const int usual = !natural.empty()                                     ? natural.front()
                    : step && step->months % 12 == 0 && step->months > 0 ? kOfYears
                                                                         : kUsual;
  const bool is_natural = std::ranges::find(natural, season) != natural.end();
  return std::clamp(season > 1 && !is_natural ? season : usual, 1,
                    std::max(1, median_length / kShare));
}

}  // namespace rwa::datasets
