// tests/backend/layer_forms_test.cc: other forms of a recurrent layer. Symbols equal one-hot
// features, a layer in reverse equals a layer on reversed sequences, and the total gradient of each
// h is the derivative with respect to it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "support/cases.h"
#include "support/derivative.h"

namespace rwa {
namespace {

using cases::Draw;
using cases::Layer;
using cases::Result;

constexpr Memory kMemories[] = {Memory::kFull, Memory::kChunked};

// A layer with sequences of unequal length over several chunks.
Layer make_layer(Cell cell, bool symbols, bool reverse) {
  Draw draw(17);
  RecurrentSpec spec{cell, Activation::kTanh, 7, 21};
  spec.symbols = symbols;
  spec.reverse = reverse;
  Layer layer = cases::make_layer(spec, 41, 13, draw);
  layer.wants_dh_total = true;
  return layer;
}

template <class Real>
void expect_same(const Result<Real>& a, const Result<Real>& b, Cell cell) {
  SCOPED_TRACE(to_string(cell));
  EXPECT_TRUE(cases::same_outputs(a, b));
  EXPECT_TRUE(cases::same_bits(a.parameters, b.parameters));
  EXPECT_TRUE(cases::same_bits(a.x, b.x));
  EXPECT_TRUE(cases::same_bits(a.initial, b.initial));
  EXPECT_TRUE(cases::same_bits(a.dh_total, b.dh_total));
}

// Runs f(backend, memory) on all backends of the host.
template <class F>
void on_all_backends(F&& f) {
  f(*make_reference_backend(), Memory::kFull);
  for (const Memory memory : kMemories) {
    f(*make_cpu_backend(1), memory);
    f(*make_cpu_backend(3), memory);
  }
}

Layer written_out(const Layer& layer) {
  Layer out = layer;
  const auto D = static_cast<std::size_t>(layer.spec.inputs);
  out.spec.symbols = false;
  out.symbols.clear();
  out.x.assign(layer.symbols.size() * D, 0.0F);
  for (std::size_t row = 0; row < layer.symbols.size(); ++row) {
    out.x[row * D + static_cast<std::size_t>(layer.symbols[row])] = 1.0F;
  }
  return out;
}

TEST(Symbols, AreOneHotFeatures) {
  for (const Cell cell : all_cells()) {
    const Layer layer = make_layer(cell, true, false);
    on_all_backends([&]<class Real>(Backend<Real>& backend, Memory memory) {
      auto expected = cases::run(backend, written_out(layer), memory);
      expected.x.clear();
      expect_same(cases::run(backend, layer, memory), expected, cell);
    });
  }
}

// More symbols than steps, so that most occur in at most one shard.
TEST(Symbols, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const Cell cell : all_cells()) {
    Draw draw(18);
    RecurrentSpec spec{cell, Activation::kTanh, 1000, 21};
    spec.symbols = true;
    const Layer layer = cases::make_layer(spec, 20, 30, draw);
    const auto one = cases::run(*make_cpu_backend(1), layer);
    for (const int threads : {2, 3, 5, 8}) {
      expect_same(cases::run(*make_cpu_backend(threads), layer), one, cell);
    }
    const auto exact = cases::run(*make_reference_backend(), layer);
    EXPECT_LE(cases::relative_error(one.parameters, exact.parameters), 1e-6) << to_string(cell);
  }
}

// [T,B,·] with the steps of each sequence reversed.
template <class T>
std::vector<T> reversed(const std::vector<T>& values, const Rows& rows) {
  std::vector<T> out = values;
  const std::size_t width = values.size() / rows.index(rows.steps, 0);
  for (int b = 0; b < rows.batch; ++b) {
    for (int t = 0; t < rows.length(b); ++t) {
      const std::size_t from = rows.index(rows.length(b) - 1 - t, b) * width;
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), width,
                  out.begin() + static_cast<std::ptrdiff_t>(rows.index(t, b) * width));
    }
  }
  return out;
}

TEST(Reverse, IsTheLayerOnReversedSequences) {
  for (const Cell cell : all_cells()) {
    for (const bool symbols : {false, true}) {
      const Layer layer = make_layer(cell, symbols, true);
      const Rows rows = layer.rows();
      Layer by_hand = layer;
      by_hand.spec.reverse = false;
      by_hand.x = reversed(layer.x, rows);
      by_hand.symbols = reversed(layer.symbols, rows);
      by_hand.dh_every = reversed(layer.dh_every, rows);
      on_all_backends([&]<class Real>(Backend<Real>& backend, Memory memory) {
        auto expected = cases::run(backend, by_hand, memory);
        expected.h_every = reversed(expected.h_every, rows);
        expected.x = reversed(expected.x, rows);
        expected.dh_total = reversed(expected.dh_total, rows);
        expect_same(cases::run(backend, layer, memory), expected, cell);
      });
    }
  }
}

TEST(Stride, OnlyMovesTheRows) {
  for (const Cell cell : all_cells()) {
    const Layer layer = make_layer(cell, false, false);
    Layer apart = layer;
    apart.spec.stride = 2 * layer.spec.units + 3;
    on_all_backends([&]<class Real>(Backend<Real>& backend, Memory memory) {
      expect_same(cases::run(backend, apart, memory), cases::run(backend, layer, memory), cell);
    });
  }
}

// One sequence whose h of step t is shifted before it reaches the loss and the later steps.
class Moved {
 public:
  Moved(const Layer& layer, int step) : layer_(layer), backend_(make_reference_backend()) {
    state_ = cases::run(*backend_, piece(0, step + 1)).final_state;
    weights_ = cases::load_weights(*backend_, layer.spec, layer.parameters);
    after_ = piece(step + 1, layer.steps);
    for (int j = 0; j < layer.spec.units; ++j) {
      probe_.push_back(
          layer.dh_every[cases::product(step, layer.spec.units) + static_cast<std::size_t>(j)]);
      if (step + 1 == layer.steps) probe_.back() += layer.dh_last[static_cast<std::size_t>(j)];
    }
  }

  // The derivative by h_t; if the cell's state is h, the state is shifted with it.
  double derivative_by(int unit) {
    const auto j = static_cast<std::size_t>(unit);
    double move = 0;
    return derivative(
        [&] {
          std::vector<double> state = state_;
          state[j] += move;
          if (layer_.spec.traits().state_is_output) state[probe_.size() + j] += move;
          return loss(state);
        },
        move);
  }

 private:
  [[nodiscard]] Layer piece(int begin, int end) const {
    Layer out = layer_;
    out.steps = end - begin;
    out.lengths.clear();
    const auto cut = [&](std::vector<float>& values, int width) {
      const auto at = [&](int step) {
        return values.begin() + static_cast<std::ptrdiff_t>(cases::product(step, width));
      };
      values = std::vector<float>(at(begin), at(end));
    };
    cut(out.x, out.spec.inputs);
    cut(out.dh_every, out.spec.units);
    return out;
  }

  double loss(const std::vector<double>& state) {
    double sum = 0;
    for (std::size_t j = 0; j < probe_.size(); ++j) sum += probe_[j] * state[j];
    if (after_.steps == 0) return sum;
    const std::vector<double> x(after_.x.begin(), after_.x.end());
    const auto feed = cases::load_feed(*backend_, x.data(), after_.spec.inputs, after_.rows());
    cases::Numbers<double> initial(*backend_, state);
    cases::Numbers<double> h(*backend_, after_.dh_every.size());
    cases::Numbers<double> h_last(*backend_, after_.dh_last.size());
    backend_->make_pass(after_.spec)
        ->forward(*weights_, {.in = feed->in(),
                              .initial_state = initial.data(),
                              .h_every = h.data(),
                              .h_last = h_last.data()});
    const auto every = h.read();
    const auto last = h_last.read();
    for (std::size_t i = 0; i < every.size(); ++i) sum += after_.dh_every[i] * every[i];
    for (std::size_t i = 0; i < last.size(); ++i) sum += after_.dh_last[i] * last[i];
    return sum;
  }

  Layer layer_, after_;
  std::unique_ptr<Backend<double>> backend_;
  std::unique_ptr<LayerWeights<double>> weights_;
  std::vector<double> state_, probe_;
};

TEST(DhTotal, IsTheDerivativeByTheOutput) {
  for (const Cell cell : all_cells()) {
    Draw draw(19);
    Layer layer = cases::make_layer({cell, Activation::kTanh, 2, 4}, 6, 1, draw);
    layer.lengths.clear();
    layer.wants_dh_total = true;
    const auto found = cases::run(*make_reference_backend(), layer).dh_total;
    for (int t = 0; t < layer.steps; ++t) {
      Moved moved(layer, t);
      for (int j = 0; j < layer.spec.units; ++j) {
        EXPECT_NEAR(found[cases::product(t, layer.spec.units) + static_cast<std::size_t>(j)],
                    moved.derivative_by(j), 1e-9)
            << to_string(cell) << " step " << t << " unit " << j;
      }
    }
  }
}

}  // namespace
}  // namespace rwa
