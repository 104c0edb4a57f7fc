#include "backend/reference/recurrence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

namespace rwa::reference {
namespace {

// The functions that cells need, for V = double.
double tanh(double x) { return std::tanh(x); }
double exp(double x) { return std::exp(x); }
double log1p(double x) { return std::log1p(x); }
double abs(double x) { return std::abs(x); }
double select(bool mask, double yes, double no) { return mask ? yes : no; }

#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL

class Weights final : public LayerWeights<double> {
 public:
  explicit Weights(const RecurrentSpec& spec) : spec_(spec), values_(spec.parameters()) {}
  void load(const double* parameters) override {
    std::copy_n(parameters, values_.size(), values_.begin());
  }

  // Indices of the weights and the bias of a unit's pre-activation, if it has them.
  [[nodiscard]] std::size_t x_index(int preactivation, int unit) const {
    return spec_.weight_x() + row(spec_.traits().x.before(preactivation), unit) * inputs();
  }
  [[nodiscard]] std::size_t h_index(int preactivation, int unit) const {
    return spec_.weight_h() + row(spec_.traits().h.before(preactivation), unit) * units();
  }
  [[nodiscard]] std::size_t bias_index(int preactivation, int unit) const {
    return spec_.bias() + row(spec_.traits().bias.before(preactivation), unit);
  }
  [[nodiscard]] double operator[](std::size_t index) const { return values_[index]; }
  [[nodiscard]] const double* start() const { return &values_[spec_.start()]; }

 private:
  [[nodiscard]] std::size_t row(int block, int unit) const {
    return static_cast<std::size_t>(block) * units() + static_cast<std::size_t>(unit);
  }
  [[nodiscard]] std::size_t inputs() const { return static_cast<std::size_t>(spec_.inputs); }
  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(spec_.units); }

  RecurrentSpec spec_;
  std::vector<double> values_;
};

// One step of one sequence, saved for backward.
template <class C>
struct Step {
  std::vector<double> h_before;                      // [H]
  std::vector<double> h;                             // [H]
  std::vector<std::array<double, C::kSaved>> saved;  // [H]
  std::vector<std::array<double, C::kInputs + 1>>
      inputs;                         // [H] the pre-activations that see x only
  std::vector<double> memory_before;  // [H]
};

template <class C>
class ReferencePass final : public RecurrentPass<double> {
 public:
  explicit ReferencePass(const RecurrentSpec& spec)
      : spec_(spec),
        D_(static_cast<std::size_t>(spec.inputs)),
        H_(static_cast<std::size_t>(spec.units)),
        stride_(static_cast<std::size_t>(spec.h_stride())) {}

  void forward(const LayerWeights<double>& weights, const RecurrentForward<double>& call) override {
    const auto& w = static_cast<const Weights&>(weights);
    tapes_.assign(static_cast<std::size_t>(call.in.rows.batch), {});
    for (std::size_t b = 0; b < tapes_.size(); ++b) {
      forward_sequence(w, call, b);
    }
  }

  void backward(const LayerWeights<double>& weights,
                const RecurrentBackward<double>& call) override {
    const auto& w = static_cast<const Weights&>(weights);
    for (std::size_t b = 0; b < tapes_.size(); ++b) {
      backward_sequence(w, call, b);
    }
  }

 private:
  static constexpr int kPre = C::kGates + C::kInputs;
  using State = std::vector<std::array<double, C::kState>>;

  // Sets h_0 and the state before the first step.
  void start(const Weights& w, const double* initial, std::vector<double>& h, State& state) const {
    for (std::size_t j = 0; j < H_; ++j) {
      if (initial != nullptr) {
        h[j] = initial[j];
        for (std::size_t s = 0; s < C::kState; ++s) state[j][s] = initial[(s + 1) * H_ + j];
      } else {
        h[j] = C::kLearnedStart ? C::Activation::apply(w.start()[j]) : 0.0;
        for (std::size_t s = 0; s < C::kState; ++s) state[j][s] = C::kInitialState[s];
      }
    }
  }

  // The row of a [T,B,·] array for step t of the pass.
  [[nodiscard]] std::size_t at(const Rows& rows, std::size_t t, std::size_t b) const {
    const auto length = static_cast<std::size_t>(rows.length(static_cast<int>(b)));
    return (spec_.reverse ? length - 1 - t : t) * static_cast<std::size_t>(rows.batch) + b;
  }

  // Calls f(d, x_d) for the features of a row: all of them, or the one that a symbol sets to 1.
  template <class F>
  void for_each_input(const Sequences<double>& in, std::size_t row, F&& f) const {
    if (spec_.symbols) {
      f(static_cast<std::size_t>(in.symbols[row]), 1.0);
    } else {
      for (std::size_t d = 0; d < D_; ++d) f(d, in.x[row * D_ + d]);
    }
  }

  // W x + W h + b for one unit's pre-activation, with the terms that it has.
  [[nodiscard]] double preactivation(const Weights& w, int p, std::size_t unit,
                                     const Sequences<double>& in, std::size_t row,
                                     const std::vector<double>& h) const {
    const int j = static_cast<int>(unit);
    const std::size_t x_row = w.x_index(p, j);
    const std::size_t h_row = w.h_index(p, j);
    double sum = C::kHasBias[p] ? w[w.bias_index(p, j)] : 0.0;
    if (C::kSeesX[p]) {
      for_each_input(in, row, [&](std::size_t d, double x) { sum += w[x_row + d] * x; });
    }
    for (std::size_t k = 0; C::kSeesH[p] && k < H_; ++k) sum += w[h_row + k] * h[k];
    return sum;
  }

  void forward_sequence(const Weights& w, const RecurrentForward<double>& call, std::size_t b) {
    std::vector<double> h(H_);
    State state(H_);
    const std::size_t state_size = spec_.state_size();
    start(w, call.initial_state ? call.initial_state + b * state_size : nullptr, h, state);
    for (std::size_t t = 0; call.in.rows.has(static_cast<int>(t), static_cast<int>(b)); ++t) {
      const std::size_t row = at(call.in.rows, t, b);
      Step<C> step{h, std::vector<double>(H_), {}, {}, {}};
      for (std::size_t j = 0; j < H_; ++j) {
        std::array<double, kPre> pre{};
        for (int p = 0; p < kPre; ++p) {
          pre[static_cast<std::size_t>(p)] = preactivation(w, p, j, call.in, row, h);
        }
        step.memory_before.push_back(state[j][0]);
        step.h[j] = C::forward(pre.data(), state[j].data(), step.saved.emplace_back().data());
        if constexpr (C::kShare >= 0) {
          if (call.share) call.share[row * stride_ + j] = step.saved[j][C::kShare];
        }
        std::copy(pre.begin() + C::kGates, pre.end(), step.inputs.emplace_back().begin());
      }
      h = step.h;
      if (call.h_every) std::copy(h.begin(), h.end(), call.h_every + row * stride_);
      tapes_[b].push_back(std::move(step));
    }
    if (call.h_last) std::copy(h.begin(), h.end(), call.h_last + b * stride_);
    if (call.final_state) write_state(h, state, call.final_state + b * state_size);
  }

  void write_state(const std::vector<double>& h, const State& state, double* out) const {
    for (std::size_t j = 0; j < H_; ++j) {
      out[j] = h[j];
      for (std::size_t s = 0; s < C::kState; ++s) out[(s + 1) * H_ + j] = state[j][s];
    }
  }

  void backward_sequence(const Weights& w, const RecurrentBackward<double>& call, std::size_t b) {
    std::vector<double> dh(H_, 0.0);
    std::vector<std::array<double, C::kCarry>> carry(H_);
    const auto last = call.last(spec_);
    if (last.dh) std::copy_n(last.dh + b * last.stride, H_, dh.begin());
    for (std::size_t j = 0; call.dfinal_state && j < H_; ++j) {
      const double* from = call.dfinal_state + b * spec_.carried_size() + j;
      for (std::size_t s = 0; s < C::kCarry; ++s) carry[j][s] = from[(s + 1) * H_];
    }
    for (std::size_t t = tapes_[b].size(); t-- > 0;) {
      Step<C>& step = tapes_[b][t];
      const std::size_t row = at(call.in.rows, t, b);
      for (std::size_t j = 0; j < H_; ++j) {
        if (call.dh_every) dh[j] += call.dh_every[row * stride_ + j];
        if (call.dh_total) {
          call.dh_total[row * H_ + j] = dh[j] + (C::kCarriesOutput ? carry[j][0] : 0.0);
        }
        C::backward(dh[j], step.h[j], step.inputs[j].data(), step.memory_before[j],
                    step.saved[j].data(), carry[j].data());
      }
      std::fill(dh.begin(), dh.end(), 0.0);
      for (int p = 0; p < kPre; ++p) {
        for (std::size_t j = 0; j < H_; ++j) {
          spread(w, call, row, p, static_cast<int>(j), step, dh);
        }
      }
    }
    finish(call, b, dh, carry, w);
  }

  // Propagates one pre-activation's gradient to its weights, its bias, x and the previous h.
  void spread(const Weights& w, const RecurrentBackward<double>& call, std::size_t row, int p,
              int j, const Step<C>& step, std::vector<double>& dh) const {
    const double delta = step.saved[static_cast<std::size_t>(j)][static_cast<std::size_t>(p)];
    const std::size_t x_row = w.x_index(p, j);
    const std::size_t h_row = w.h_index(p, j);
    if (C::kSeesX[p]) {
      for_each_input(call.in, row, [&](std::size_t d, double x) {
        call.parameters[x_row + d] += delta * x;
        if (call.x) call.x[row * D_ + d] += delta * w[x_row + d];
      });
    }
    for (std::size_t k = 0; C::kSeesH[p] && k < H_; ++k) {
      call.parameters[h_row + k] += delta * step.h_before[k];
      dh[k] += delta * w[h_row + k];
    }
    if (C::kHasBias[p]) call.parameters[w.bias_index(p, j)] += delta;
  }

  void finish(const RecurrentBackward<double>& call, std::size_t b, const std::vector<double>& dh,
              const std::vector<std::array<double, C::kCarry>>& carry, const Weights& w) const {
    for (std::size_t j = 0; j < H_; ++j) {
      if (call.initial) {
        double* out = call.initial + b * spec_.carried_size();
        out[j] += dh[j];
        for (std::size_t s = 0; s < C::kCarry; ++s) out[(s + 1) * H_ + j] += carry[j][s];
      }
      if (C::kLearnedStart && call.initial_state == nullptr) {
        call.parameters[spec_.start() + j] +=
            dh[j] * C::Activation::slope(C::Activation::apply(w.start()[j]));
      }
    }
  }

  RecurrentSpec spec_;
  std::size_t D_, H_, stride_;
  std::vector<std::vector<Step<C>>> tapes_;  // [sequence][step]
};

}  // namespace

std::unique_ptr<LayerWeights<double>> make_weights(const RecurrentSpec& spec) {
  return std::make_unique<Weights>(spec);
}

std::unique_ptr<RecurrentPass<double>> make_pass(const RecurrentSpec& spec) {
  return visit_cell(spec.cell, spec.activation,
                    [&]<class C>() -> std::unique_ptr<RecurrentPass<double>> {
                      return std::make_unique<ReferencePass<C>>(spec);
                    });
}

}  // namespace rwa::reference
