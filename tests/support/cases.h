// tests/support/cases.h: recurrent layers with random weights and data, run on any backend, and
// ways to compare what comes out.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <rapidcheck.h>

#include "backend/backend.h"

namespace rwa::cases {

// SplitMix64: unlike the distributions of the standard library, the same everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  float uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(next() >> 40) * 0x1p-24F;
  }
  std::int32_t integer(std::int32_t low, std::int32_t high) {  // both ends included
    return low + static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::vector<float> numbers(std::size_t count, float limit) {
    std::vector<float> out(count);
    for (float& v : out) v = uniform(-limit, limit);
    return out;
  }
  std::vector<std::int32_t> integers(std::size_t count, std::int32_t low, std::int32_t high) {
    std::vector<std::int32_t> out(count);
    for (auto& v : out) v = integer(low, high);
    return out;
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

inline std::size_t product(int a, int b, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

// One layer, its data, and what a loss would send back. Floats, which double holds exactly.
struct Layer {
  RecurrentSpec spec;
  int steps = 0;
  int batch = 1;
  std::vector<std::int32_t> lengths;  // [B]
  std::vector<float> parameters;
  std::vector<float> x;              // [T,B,D]
  std::vector<float> initial_state;  // [B, 1 + state, H], or empty
  std::vector<float> dh_every;       // [T,B,H], or empty
  std::vector<float> dh_last;        // [B,H], or empty

  [[nodiscard]] Rows rows() const { return {steps, batch, lengths}; }
};

template <class Real>
struct Result {
  std::vector<Real> h_every, h_last, final_state;  // 0 where nothing was written
  std::vector<Real> parameters, x, initial;        // gradients
};

// Weights as wide as the paper's, biases and start of the same width, features and gradients in
// [-1, 1], and lengths of 0 to T. A gradient comes to every step and to the last one.
inline Layer make_layer(const RecurrentSpec& spec, int steps, int batch, Draw& draw) {
  const float limit = std::sqrt(6.0F / static_cast<float>(spec.inputs + 2 * spec.units));
  return {.spec = spec,
          .steps = steps,
          .batch = batch,
          .lengths = draw.integers(product(batch, 1), 0, steps),
          .parameters = draw.numbers(spec.parameters(), limit),
          .x = draw.numbers(product(steps, batch, spec.inputs), 1.0F),
          .initial_state = {},
          .dh_every = draw.numbers(product(steps, batch, spec.units), 1.0F),
          .dh_last = draw.numbers(product(batch, spec.units), 1.0F)};
}

// A state in the middle of some sequence, with nothing in the rounding errors that RWA carries.
inline std::vector<float> make_state(const RecurrentSpec& spec, int batch, Draw& draw) {
  std::vector<float> state = draw.numbers(spec.state_size() * product(batch, 1), 1.0F);
  if (spec.cell != Cell::kRwa) return state;
  const auto H = static_cast<std::size_t>(spec.units);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::size_t block = i / H % 5;  // h, r, r_lo, L, L_lo
    if (block == 2 || block == 4) state[i] = 0;
  }
  return state;
}

inline Layer generated_layer(Cell cell, int most_units, int fewest_steps, int most_steps) {
  const auto activation = *rc::gen::element(Activation::kTanh, Activation::kIdentity);
  const int inputs = *rc::gen::inRange(1, 21);
  const int units = *rc::gen::inRange(1, most_units + 1);
  const int steps = *rc::gen::inRange(fewest_steps, most_steps + 1);
  const int batch = *rc::gen::inRange(1, 21);
  Draw draw(*rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
  return make_layer({cell, activation, inputs, units}, steps, batch, draw);
}

inline Cell generated_cell() { return *rc::gen::element(Cell::kRwa, Cell::kLstm); }

// Forward and, where a gradient comes from somewhere, backward.
template <class Real>
Result<Real> run(Backend<Real>& backend, const Layer& layer, Memory memory = Memory::kFull) {
  const auto real = [](const std::vector<float>& v) {
    return std::vector<Real>(v.begin(), v.end());
  };
  const auto given = [](const std::vector<Real>& v) { return v.empty() ? nullptr : v.data(); };
  const RecurrentSpec& spec = layer.spec;
  const auto x = real(layer.x), initial_state = real(layer.initial_state);
  const auto dh_every = real(layer.dh_every), dh_last = real(layer.dh_last);
  const auto weights = backend.make_weights(spec);
  weights->load(real(layer.parameters).data());

  Result<Real> out;
  out.h_every.resize(product(layer.steps, layer.batch, spec.units));
  out.h_last.resize(product(layer.batch, spec.units));
  out.final_state.resize(product(layer.batch, 1) * spec.state_size());
  out.parameters.resize(spec.parameters());
  out.x.resize(x.size());
  out.initial.resize(product(layer.batch, 1 + spec.traits().carry, spec.units));
  const auto pass = backend.make_pass(spec);
  const Sequences<Real> in{x.data(), layer.rows()};
  pass->forward(*weights, {in, given(initial_state), out.h_every.data(), out.h_last.data(),
                           out.final_state.data(), memory});
  if (dh_every.empty() && dh_last.empty()) return out;
  pass->backward(*weights, {in, given(initial_state), given(dh_every), given(dh_last),
                            out.parameters.data(), out.x.data(), out.initial.data()});
  return out;
}

template <class A, class B>
double largest_difference(const std::vector<A>& a, const std::vector<B>& b) {
  double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = difference;  // NaN is the largest of all
  }
  return largest;
}

// |found - exact| / |exact| with Euclidean norms.
template <class A, class B>
double relative_error(std::span<const A> found, std::span<const B> exact) {
  double error = 0;
  double norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double difference = static_cast<double>(found[i]) - static_cast<double>(exact[i]);
    error += difference * difference;
    norm += static_cast<double>(exact[i]) * static_cast<double>(exact[i]);
  }
  return error == 0 ? 0 : std::sqrt(error / norm);
}
template <class A, class B>
double relative_error(const std::vector<A>& found, const std::vector<B>& exact) {
  return relative_error(std::span<const A>(found), std::span<const B>(exact));
}

// Stricter than ==, which takes 0 for -0 and no NaN for another.
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return same_bits(std::span<const T>(a), std::span<const T>(b));
}

template <class Real>
bool same_outputs(const Result<Real>& a, const Result<Real>& b) {
  return same_bits(a.h_every, b.h_every) && same_bits(a.h_last, b.h_last) &&
         same_bits(a.final_state, b.final_state);
}

template <class Real>
bool all_finite(const std::vector<Real>& values) {
  for (const Real v : values) {
    if (!std::isfinite(v)) return false;
  }
  return true;
}

}  // namespace rwa::cases
