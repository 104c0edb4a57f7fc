// tests/api/rank_batches.h: the part of a batch that belongs to one rank.
#pragma once

#include "rwa/trainer.h"
#include "support/batches.h"

namespace rwa::cases {

inline Data part_of(const Data& whole, const Link& link) {
  const RankRows rows = rank_rows(whole.batch, link.size(), link.rank());
  const auto part = [&]<class T>(const std::vector<T>& values, int steps) {
    std::vector<T> out;
    if (values.empty() || steps == 0) return out;
    const std::size_t width = values.size() / product(steps, whole.batch);
    for (int t = 0; t < steps; ++t) {
      const auto row = [&](int b) {
        const std::size_t at = product(t, whole.batch) + static_cast<std::size_t>(b);
        return values.begin() + static_cast<std::ptrdiff_t>(at * width);
      };
      out.insert(out.end(), row(rows.begin), row(rows.end));
    }
    return out;
  };
  const std::size_t sequences = product(whole.batch, 1);
  // Targets are per step or per sequence; classes have one value each.
  const int target_steps = static_cast<int>(whole.classes.size() / sequences);
  return {.steps = whole.steps,
          .batch = rows.end - rows.begin,
          .x = part(whole.x, whole.steps),
          .symbols = part(whole.symbols, whole.steps),
          .lengths = part(whole.lengths, 1),
          .classes = part(whole.classes, target_steps),
          .values = part(whole.values, target_steps),
          .target_steps = whole.target_steps,
          .target_lengths = part(whole.target_lengths, 1)};
}

}  // namespace rwa::cases
