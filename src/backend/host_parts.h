// src/backend/host_parts.h: the operations around recurrent layers, as plain loops over host
// memory: table lookup, convolutions without their products, averages over steps, dropout. Each function does a part of the work, a
// range of sequences or columns. Parts may run at once: splitting the work changes the order of no
// sum. Rows past a sequence's length are neither read nor written.
#pragma once

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "base/random.h"
#include "base/shards.h"

namespace rwa::host {
#define RWA_INLINE inline
#include "backend/dropout-inl.h"
#undef RWA_INLINE

// The first value of a row; rows are `width` wide.
template <class Real>
Real* row_at(Real* values, std::size_t row, int width) {
  return values + row * static_cast<std::size_t>(width);
}

// The table row used at step t of sequence b.
inline std::size_t symbol_at(const Rows& rows, const Symbols& symbols, int t, int b) {
  if (!symbols.of_step_before) return static_cast<std::size_t>(symbols.of[rows.index(t, b)]);
  return t == 0 ? 0 : static_cast<std::size_t>(symbols.of[rows.index(t - 1, b)]) + 1;
}

// Calls f(t, b) for each row of these sequences that counts, ordered by step, then sequence.
template <class F>
void for_each_row(const Rows& rows, Range sequences, F&& f) {
  for (int t = 0; t < rows.steps; ++t) {
    for (int b = sequences.begin; b < sequences.end; ++b) {
      if (rows.has(t, b)) f(t, b);
    }
  }
}

template <class Real>
void lookup(int width, const Rows& rows, Range sequences, const Symbols& symbols, const Real* table,
            const Real* base, Real* out) {
  for_each_row(rows, sequences, [&](int t, int b) {
    const Real* from = row_at(table, symbol_at(rows, symbols, t, b), width);
    const Real* plus = base == nullptr ? nullptr : row_at(base, static_cast<std::size_t>(b), width);
    Real* to = row_at(out, rows.index(t, b), width);
    for (int c = 0; c < width; ++c) to[c] = plus == nullptr ? from[c] : from[c] + plus[c];
  });
}

// Adds what these sequences contribute to row_of(symbol), the gradient of the symbol's table row.
template <class Real, class RowOf>
void lookup_backward(int width, const Rows& rows, Range sequences, const Symbols& symbols,
                     const Real* dout, RowOf&& row_of, Real* dbase) {
  for (int b = sequences.begin; dbase != nullptr && b < sequences.end; ++b) {
    std::fill_n(row_at(dbase, static_cast<std::size_t>(b), width), width, Real{0});
  }
  for_each_row(rows, sequences, [&](int t, int b) {
    const Real* from = row_at(dout, rows.index(t, b), width);
    Real* to = row_of(symbol_at(rows, symbols, t, b));
    for (int c = 0; c < width; ++c) to[c] += from[c];
    if (dbase == nullptr) return;
    Real* sum = row_at(dbase, static_cast<std::size_t>(b), width);
    for (int c = 0; c < width; ++c) sum[c] += from[c];
  });
}

// Each row is the row of the step before, shifted by one step.
template <class Real>
void unfold(int width, int kernel, const Rows& rows, Range sequences, const Real* before,
            const Real* x, Real* out) {
  const int older = (kernel - 1) * width;
  for_each_row(rows, sequences, [&](int t, int b) {
    const std::size_t row = rows.index(t, b);
    Real* to = std::copy_n(row_at(x, row, width), width, row_at(out, row, kernel * width));
    if (t > 0) {
      std::copy_n(row_at(out, rows.index(t - 1, b), kernel * width), older, to);
    } else if (before != nullptr) {
      std::copy_n(row_at(before, static_cast<std::size_t>(b), older), older, to);
    } else {
      std::fill_n(to, older, Real{0});
    }
  });
}

template <class Real>
void unfold_backward(int width, int kernel, const Rows& rows, Range sequences, const Real* dout,
                     Real* dx) {
  for_each_row(rows, sequences, [&](int t, int b) {
    Real* to = row_at(dx, rows.index(t, b), width);
    const int seen = std::min(kernel, rows.length(b) - t);  // by this step and those after it
    for (int later = 0; later < seen; ++later) {
      const Real* from = row_at(dout, rows.index(t + later, b), kernel * width) + later * width;
      for (int c = 0; c < width; ++c) to[c] += from[c];
    }
  });
}

template <class Real>
void last_steps(int width, int kernel, const Rows& rows, Range sequences, const Real* before,
                const Real* x, Real* after) {
  const int older = (kernel - 1) * width;
  for (int b = sequences.begin; b < sequences.end; ++b) {
    Real* to = row_at(after, static_cast<std::size_t>(b), older);
    const int last = rows.length(b) - 1;
    const int fresh = std::min(kernel - 1, last + 1);
    for (int ago = 0; ago < fresh; ++ago) {
      to = std::copy_n(row_at(x, rows.index(last - ago, b), width), width, to);
    }
    const int rest = older - fresh * width;
    if (before != nullptr) {
      std::copy_n(row_at(before, static_cast<std::size_t>(b), older), rest, to);
    } else {
      std::fill_n(to, rest, Real{0});
    }
  }
}

// Keeps what is not a number, so that a divergence shows.
template <class Real>
void rectify(int width, const Rows& rows, Range sequences, Real* values) {
  for_each_row(rows, sequences, [&](int t, int b) {
    Real* row = row_at(values, rows.index(t, b), width);
    for (int c = 0; c < width; ++c) row[c] = row[c] < 0 ? Real{0} : row[c];
  });
}

template <class Real>
void rectify_backward(int width, const Rows& rows, Range sequences, const Real* values,
                      Real* gradient) {
  for_each_row(rows, sequences, [&](int t, int b) {
    const Real* value = row_at(values, rows.index(t, b), width);
    Real* row = row_at(gradient, rows.index(t, b), width);
    for (int c = 0; c < width; ++c) row[c] = value[c] == 0 ? Real{0} : row[c];
  });
}

template <class Real>
double dot(int width, const Real* a, const Real* b) {
  double sum = 0;
  for (int c = 0; c < width; ++c) sum += static_cast<double>(a[c]) * b[c];
  return sum;
}

// Each step's share of the average of sequence b: a softmax, shifted by the largest score so that
// nothing overflows.
template <class Real>
std::vector<double> shares(int width, const Rows& rows, int b, const Real* score, const Real* h) {
  const int length = rows.length(b);
  std::vector<double> values(static_cast<std::size_t>(length), 1.0 / std::max(length, 1));
  if (score == nullptr || length == 0) return values;
  for (int t = 0; t < length; ++t) {
    values[static_cast<std::size_t>(t)] = dot(width, score, row_at(h, rows.index(t, b), width));
  }
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
  return values;
}

template <class Real>
void average(int width, const Rows& rows, Range sequences, const Real* score, const Real* h,
             Real* share, Real* out) {
  for (int b = sequences.begin; b < sequences.end; ++b) {
    std::vector<double> sum(static_cast<std::size_t>(width), 0.0);
    const std::vector<double> weights = shares(width, rows, b, score, h);
    for (int t = 0; t < rows.length(b); ++t) {
      const double weight = weights[static_cast<std::size_t>(t)];
      const Real* from = row_at(h, rows.index(t, b), width);
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weight * from[c];
      share[rows.index(t, b)] = static_cast<Real>(weight);
    }
    Real* to = row_at(out, static_cast<std::size_t>(b), width);
    for (std::size_t c = 0; c < sum.size(); ++c) to[c] = static_cast<Real>(sum[c]);
  }
}

// Writes dh and, to dscores [T,B], the gradient of each step's score · h:
//   share_t (dout · h_t - Σ_i share_i dout · h_i)
template <class Real>
void average_backward(int width, const Rows& rows, Range sequences, const Real* score,
                      const Real* h, const Real* share, const Real* dout, double* dscores,
                      Real* dh) {
  for (int b = sequences.begin; b < sequences.end; ++b) {
    const Real* from = row_at(dout, static_cast<std::size_t>(b), width);
    double mean = 0;
    for (int t = 0; score != nullptr && t < rows.length(b); ++t) {
      const std::size_t row = rows.index(t, b);
      dscores[row] = dot(width, from, row_at(h, row, width));
      mean += share[row] * dscores[row];
    }
    for (int t = 0; t < rows.length(b); ++t) {
      const std::size_t row = rows.index(t, b);
      Real* to = row_at(dh, row, width);
      for (int c = 0; c < width; ++c) to[c] = share[row] * from[c];
      if (score == nullptr) continue;
      dscores[row] = share[row] * (dscores[row] - mean);
      for (int c = 0; c < width; ++c) to[c] += static_cast<Real>(dscores[row]) * score[c];
    }
  }
}

// dscore += Σ dscores · h for some columns: in double within a shard, then over the shards in the
// order of the tree of base/shards.h.
template <class Real>
void score_gradient(int width, const Rows& rows, Range columns, const Real* h,
                    const double* dscores, Real* dscore) {
  const auto count = static_cast<std::size_t>(columns.size());
  const Cut cut = rows.cut();
  std::vector<std::array<Real, kShards>> shards(count);  // [column]
  for (int s = 0; s < cut.count(); ++s) {
    std::vector<double> sum(count, 0.0);
    for_each_row(rows, cut.rows(s), [&](int t, int b) {
      const std::size_t row = rows.index(t, b);
      const Real* from = row_at(h, row, width) + columns.begin;
      for (std::size_t c = 0; c < count; ++c) sum[c] += dscores[row] * from[c];
    });
    for (std::size_t c = 0; c < count; ++c) {
      shards[c][static_cast<std::size_t>(s)] = static_cast<Real>(sum[c]);
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    const std::span<const Real> leaves(shards[c].data(), static_cast<std::size_t>(cut.count()));
    dscore[static_cast<std::size_t>(columns.begin) + c] += tree_sum(leaves);
  }
}

template <class Real>
void drop(double rate, const DropoutKey& key, int width, const Rows& rows, Range sequences,
          Real* values) {
  const Dropout dropout(rate, key);
  const Real scale = static_cast<Real>(1 / (1 - rate));
  for_each_row(rows, sequences, [&](int t, int b) {
    const std::uint64_t begin = rows.place(t, b) * static_cast<std::uint64_t>(width);
    const std::uint64_t end = begin + static_cast<std::uint64_t>(width);
    Real* row = row_at(values, rows.index(t, b), width);
    for (std::uint64_t group = begin / 4; group * 4 < end; ++group) {
      const unsigned hidden = dropout.hidden(group);
      for (std::uint64_t i = std::max(begin, group * 4); i < std::min(end, group * 4 + 4); ++i) {
        Real& value = row[i - begin];
        value = (hidden >> i % 4 & 1) != 0 ? Real{0} : value * scale;
      }
    }
  });
}

}  // namespace rwa::host
