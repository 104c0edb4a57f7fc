// src/model/shares.h: what each step has of the average that a sequence ends with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/network_spec.h"

namespace rwa {

// In place, [T,B,width]: from the share w that each step had when it was taken in,
//   w_t Π_{s after t} (1 - w_s)
// in the order in which each direction reads; 0 past a sequence's length. The first share is 1, so
// that the sum over a sequence is.
template <class Real>
void to_final_shares(const LayerSpec& layer, const Rows& rows, Real* shares) {
  const auto width = static_cast<std::size_t>(layer.width());
  const auto row = [&](int t, int b) { return shares + rows.index(t, b) * width; };
  for (int b = 0; b < rows.batch; ++b) {
    const int length = rows.length(b);
    for (std::size_t d = 0; d < layer.directions.size(); ++d) {
      const auto& direction = layer.directions[d];
      std::vector<double> left(static_cast<std::size_t>(direction.units), 1.0);
      for (int i = length - 1; i >= 0; --i) {
        Real* w = row(direction.reverse ? length - 1 - i : i, b) + d * left.size();
        for (std::size_t j = 0; j < left.size(); ++j) {
          const double share = w[j];
          w[j] = static_cast<Real>(share * left[j]);
          left[j] *= 1 - share;
        }
      }
    }
    for (int t = length; t < rows.steps; ++t) std::fill_n(row(t, b), width, Real{0});
  }
}

}  // namespace rwa
