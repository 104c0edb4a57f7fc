// tests/datasets/store_testing.h: random sequences for the tests of stores.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "formats/sequence.h"

namespace rwa::datasets {

// Equal values; NaN (a missing value) equals itself.
inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

inline bool same(const formats::Sequence& a, const formats::Sequence& b) {
  return a.id == b.id && a.line == b.line && a.steps == b.steps && a.symbols == b.symbols &&
         a.labels == b.labels && same(a.x, b.x) && same(a.values, b.values);
}

// Makes sequence `number`, of up to `longest` steps of two features and a symbol.
inline formats::Sequence made_sequence(std::int64_t number, int longest) {
  const Random random(7, Purpose::kTrainSamples, static_cast<std::uint32_t>(number));
  formats::Sequence sequence;
  sequence.id = "number " + std::to_string(number);
  sequence.line = number + 1;
  sequence.steps = static_cast<int>(random.below(0, static_cast<std::uint64_t>(longest) + 1));
  for (int t = 0; t < sequence.steps; ++t) {
    const auto four = random.normals(static_cast<std::uint64_t>(t) + 1);
    sequence.x.insert(sequence.x.end(), {four[0], four[1]});
    sequence.symbols.push_back(static_cast<std::int32_t>(four[2] * four[2] * 1000));
  }
  sequence.labels = {static_cast<std::int32_t>(number % 3)};
  sequence.values = {static_cast<float>(number) / 2};
  return sequence;
}

}  // namespace rwa::datasets
