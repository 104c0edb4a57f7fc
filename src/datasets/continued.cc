#include "datasets/continued.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace rwa::datasets {
namespace {

using formats::Sequence;

template <class T>
void prepend(const std::vector<T>& before, std::vector<T>& items) {
  items.insert(items.begin(), before.begin(), before.end());
}

int later_steps_begin(const Sequence& known, Sequence& series) {
  if (known.times.empty() || series.times.empty()) {
    const bool goes_on =
        series.steps > known.steps && std::equal(known.x.begin(), known.x.end(), series.x.begin());
    return goes_on ? known.steps : 0;
  }
  const double end = known.times.back();
  if (series.times.front() > end) {
    if (!known.filled.empty() || !series.filled.empty()) {
      std::vector<bool> filled = known.filled;
      filled.resize(known.x.size());
      series.filled.resize(series.x.size());
      prepend(filled, series.filled);
    }
    prepend(known.x, series.x);
    prepend(known.times, series.times);
    series.steps += known.steps;
    return known.steps;
  }
  const auto later = std::ranges::upper_bound(series.times, end);
  return later == series.times.end() ? 0 : static_cast<int>(later - series.times.begin());
}

}  // namespace

std::vector<int> continue_series(std::span<const Sequence> trained, std::vector<Sequence>& others) {
  std::map<std::string_view, const Sequence*> by_id;
  for (const Sequence& series : trained) by_id.emplace(series.id, &series);
  std::vector<int> first;
  for (Sequence& series : others) {
    const auto known = by_id.find(series.id);
    first.push_back(known == by_id.end() ? 0 : later_steps_begin(*known->second, series));
  }
  return first;
}

}  // namespace rwa::datasets
