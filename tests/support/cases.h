// tests/support/cases.h: recurrent layers with random weights and data, run on any backend, and
// ways to compare the results.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include "backend/array.h"

namespace rwa::cases {

// SplitMix64: the same everywhere, unlike the distributions of the standard library.
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

// One layer, its data, and a loss's gradients. Floats, which are exact in double.
struct Layer {
  RecurrentSpec spec;
  int steps = 0;
  int batch = 1;
  std::vector<std::int32_t> lengths;  // [B]
  std::vector<float> parameters;
  std::vector<float> x;               // [T,B,D], or empty:
  std::vector<std::int32_t> symbols;  // [T,B]
  std::vector<float> initial_state;   // [B, 1 + state, H], or empty
  std::vector<float> dh_every;        // [T,B,H], or empty
  std::vector<float> dh_last;         // [B,H], or empty
  std::vector<float> dfinal_state;    // [B, 1 + carry, H] instead of dh_last, or empty
  bool wants_dh_total = false;        // only on backends in host memory

  [[nodiscard]] Rows rows() const { return {steps, batch, lengths}; }
};

template <class Real>
struct Result {
  std::vector<Real> h_every, h_last, final_state;  // 0 if not written
  std::vector<Real> parameters, x, initial;        // gradients
  std::vector<Real> dh_total;                      // if wanted
};

// Weights in the paper's range, biases and start in the same range, features and gradients in
// [-1, 1], and lengths of 0 to T. Every step and the last one have a gradient.
inline Layer make_layer(const RecurrentSpec& spec, int steps, int batch, Draw& draw) {
  const float limit = std::sqrt(6.0F / static_cast<float>(spec.inputs + 2 * spec.units));
  return {.spec = spec,
          .steps = steps,
          .batch = batch,
          .lengths = draw.integers(product(batch, 1), 0, steps),
          .parameters = draw.numbers(spec.parameters(), limit),
          .x = draw.numbers(spec.symbols ? 0 : product(steps, batch, spec.inputs), 1.0F),
          .symbols = draw.integers(spec.symbols ? product(steps, batch) : 0, 0, spec.inputs - 1),
          .initial_state = {},
          .dh_every = draw.numbers(product(steps, batch, spec.units), 1.0F),
          .dh_last = draw.numbers(product(batch, spec.units), 1.0F),
          .dfinal_state = {}};
}

// Gives the whole final state a gradient, instead of the last step.
inline void send_to_final_state(Layer& layer, Draw& draw) {
  layer.dh_last.clear();
  layer.dfinal_state = draw.numbers(product(layer.batch, 1) * layer.spec.carried_size(), 1.0F);
}

// A state in the middle of a sequence. The rounding errors that averages carry are 0.
inline std::vector<float> make_state(const RecurrentSpec& spec, int batch, Draw& draw) {
  std::vector<float> state = draw.numbers(spec.state_size() * product(batch, 1), 1.0F);
  const auto names = spec.traits().state_names;
  const auto H = static_cast<std::size_t>(spec.units);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const std::size_t block = i / H % (1 + names.size());  // h, r, r_lo, L, L_lo
    if (block > 0 && std::string_view(names[block - 1]).ends_with("_lo")) state[i] = 0;
  }
  return state;
}

// On features or symbols, forward or in reverse, with or without gaps between its rows.
inline RecurrentSpec generated_spec(Cell cell, int most_units) {
  RecurrentSpec spec{.cell = cell};
  spec.activation = *rc::gen::element(Activation::kTanh, Activation::kIdentity);
  spec.inputs = *rc::gen::inRange(1, 21);
  spec.units = *rc::gen::inRange(1, most_units + 1);
  spec.symbols = *rc::gen::arbitrary<bool>();
  spec.reverse = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) spec.stride = spec.units + *rc::gen::inRange(0, 21);
  return spec;
}

inline Layer generated_layer(const RecurrentSpec& spec, int fewest_steps, int most_steps) {
  const int steps = *rc::gen::inRange(fewest_steps, most_steps + 1);
  const int batch = *rc::gen::inRange(1, 21);
  Draw draw(*rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
  return make_layer(spec, steps, batch, draw);
}
inline Layer generated_layer(Cell cell, int most_units, int fewest_steps, int most_steps) {
  return generated_layer(generated_spec(cell, most_units), fewest_steps, most_steps);
}

inline std::vector<Cell> cells_that_average() {
  std::vector<Cell> cells;
  for (const Cell cell : all_cells()) {
    if (cell_info(cell).averages) cells.push_back(cell);
  }
  return cells;
}

inline Cell generated_cell() {
  return *rc::gen::elementOf(std::vector<Cell>(all_cells().begin(), all_cells().end()));
}

// Spreads rows of `width` to rows of `stride`, with NaN between them.
template <class T>
std::vector<T> spread(const std::vector<T>& rows, int width, int stride) {
  const auto from = static_cast<std::size_t>(width);
  const auto to = static_cast<std::size_t>(stride);
  std::vector<T> out(rows.size() / from * to, std::numeric_limits<T>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i / from * to + i % from] = rows[i];
  return out;
}

// And back. Throws if something was written between the rows.
template <class T>
std::vector<T> gather(const std::vector<T>& rows, int width, int stride) {
  std::vector<T> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % static_cast<std::size_t>(stride) < static_cast<std::size_t>(width)) {
      out.push_back(rows[i]);
    } else if (!std::isnan(rows[i])) {
      throw std::logic_error("written between the rows");
    }
  }
  return out;
}

// Values in device memory, as the device's type.
template <class Real>
class Numbers {
 public:
  template <class T>
  Numbers(Backend<Real>& backend, const std::vector<T>& values)
      : array_(backend, values.size()), size_(values.size()) {
    array_.write(std::vector<Real>(values.begin(), values.end()));
  }
  Numbers(Backend<Real>& backend, std::size_t count, Real value = 0)
      : Numbers(backend, std::vector<Real>(count, value)) {}

  // Null if there are none.
  [[nodiscard]] Real* data() { return array_.data(); }
  [[nodiscard]] std::vector<Real> read() const {
    std::vector<Real> values(size_);
    array_.read(values);
    return values;
  }

 private:
  Array<Real> array_;
  std::size_t size_;
};

template <class Real, class T>
std::unique_ptr<LayerWeights<Real>> load_weights(Backend<Real>& backend, const RecurrentSpec& spec,
                                                 const std::vector<T>& parameters) {
  auto weights = backend.make_weights(spec);
  weights->load(Numbers<Real>(backend, parameters).data());
  return weights;
}

// Loads sequences without targets.
template <class Real>
std::unique_ptr<Feed<Real>> load_feed(Backend<Real>& backend, const Real* x, int inputs,
                                      const Rows& rows, const std::int32_t* symbols = nullptr) {
  auto feed = backend.make_feed();
  feed->load({x, rows, symbols}, inputs, {}, 0);
  return feed;
}

// Rows of h, or of its gradient, with the layer's stride.
template <class Real>
class UnitRows {
 public:
  template <class T>
  UnitRows(Backend<Real>& backend, const RecurrentSpec& spec, const std::vector<T>& rows)
      : spec_(spec), numbers_(backend, spread(rows, spec.units, spec.h_stride())) {}
  [[nodiscard]] Real* data() { return numbers_.data(); }
  [[nodiscard]] std::vector<Real> read() const {
    return gather(numbers_.read(), spec_.units, spec_.h_stride());
  }

 private:
  RecurrentSpec spec_;
  Numbers<Real> numbers_;
};

// Runs forward and, if the layer has gradients, backward.
template <class Real>
Result<Real> run(Backend<Real>& backend, const Layer& layer, Memory memory = Memory::kFull) {
  const RecurrentSpec& spec = layer.spec;
  const std::vector<Real> x(layer.x.begin(), layer.x.end());
  const auto feed = load_feed(backend, x.data(), spec.inputs, layer.rows(), layer.symbols.data());
  const auto weights = load_weights(backend, spec, layer.parameters);
  const auto pass = backend.make_pass(spec);
  const std::size_t every_size = product(layer.steps, layer.batch, spec.units);
  const std::vector<Real> no_h(every_size, 0), no_last(product(layer.batch, spec.units), 0);
  Numbers<Real> initial_state(backend, layer.initial_state);
  UnitRows<Real> h_every(backend, spec, no_h), h_last(backend, spec, no_last);
  Numbers<Real> final_state(backend, product(layer.batch, 1) * spec.state_size());
  pass->forward(*weights, {feed->in(), initial_state.data(), h_every.data(), h_last.data(),
                           final_state.data(), memory});

  UnitRows<Real> dh_every(backend, spec, layer.dh_every), dh_last(backend, spec, layer.dh_last);
  Numbers<Real> parameters(backend, spec.parameters()), dx(backend, x.size());
  Numbers<Real> initial(backend, product(layer.batch, 1 + spec.traits().carry, spec.units));
  Numbers<Real> dh_total(backend, layer.wants_dh_total ? every_size : 0);
  Numbers<Real> dfinal_state(backend, layer.dfinal_state);
  if (!layer.dh_every.empty() || !layer.dh_last.empty() || !layer.dfinal_state.empty()) {
    pass->backward(*weights, {feed->in(), initial_state.data(), dh_every.data(), dh_last.data(),
                              parameters.data(), dx.data(), initial.data(), dh_total.data(),
                              dfinal_state.data()});
  }
  return {h_every.read(), h_last.read(),  final_state.read(), parameters.read(),
          dx.read(),      initial.read(), dh_total.read()};
}

template <class A, class B>
double largest_difference(const std::vector<A>& a, const std::vector<B>& b) {
  double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = difference;  // NaN counts as the largest
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

// Stricter than ==, for which 0 equals -0 and NaN never equals NaN.
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
