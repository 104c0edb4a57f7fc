// tests/backend/properties_test.cc: properties of a recurrent layer for any weights and data: what
// changes nothing, what stays finite, and what gives the same bits.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backend/device.h"
#include "rwa/model.h"
#include "support/cases.h"

namespace rwa {
namespace {

using cases::Draw;
using cases::Layer;
using cases::Result;

std::uint32_t generated_seed() { return *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()); }

// A layer on features, for tests that set them and their weights.
Layer generated_attention() {
  RecurrentSpec spec = cases::generated_spec(Cell::kRwa, 20);
  spec.symbols = false;
  return cases::generated_layer(spec, 0, 40);
}

// The weight on feature d of one of RWA's pre-activations: 0 is g, 1 is a, 2 is u.
float& weight_x(Layer& layer, int preactivation, int unit, int feature) {
  const RecurrentSpec& s = layer.spec;
  return layer.parameters[s.weight_x() + cases::product(preactivation * s.units + unit, s.inputs) +
                          static_cast<std::size_t>(feature)];
}

// Sets the weight of a on feature 0 to ±logit and its other weights to 0, and lets nothing else see
// feature 0: a is then exact in every precision if feature 0 is.
void attend_to_feature_0_only(Layer& layer, float logit) {
  const RecurrentSpec& s = layer.spec;
  for (int j = 0; j < s.units; ++j) {
    for (int d = 0; d < s.inputs; ++d) weight_x(layer, 1, j, d) = 0;
    weight_x(layer, 0, j, 0) = 0;
    weight_x(layer, 1, j, 0) = j % 2 == 0 ? logit : -logit;
    weight_x(layer, 2, j, 0) = 0;
  }
  const auto on_h = layer.parameters.begin() + static_cast<std::ptrdiff_t>(s.weight_h());
  const auto block = static_cast<std::ptrdiff_t>(cases::product(s.units, s.units));
  std::fill(on_h + block, on_h + 2 * block, 0.0F);
}

template <class F>
void set_feature_0(Layer& layer, F&& value) {
  const auto D = static_cast<std::size_t>(layer.spec.inputs);
  for (std::size_t i = 0; i < layer.x.size(); i += D) layer.x[i] = value();
}

bool finite_everywhere(const Result<float>& r) {
  return cases::all_finite(r.h_every) && cases::all_finite(r.h_last) &&
         cases::all_finite(r.parameters) && cases::all_finite(r.x) && cases::all_finite(r.initial);
}

RC_GTEST_PROP(Attention, AConstantAddedToEveryLogitChangesNothing, ()) {
  Layer layer = generated_attention();
  set_feature_0(layer, [] { return 1.0F; });
  Draw draw(generated_seed());
  Layer shifted = layer;
  for (int j = 0; j < layer.spec.units; ++j) {
    weight_x(shifted, 1, j, 0) += draw.uniform(-20, 20);
  }
  const auto reference = make_reference_backend();
  const auto cpu = make_cpu_backend(1);
  const auto exact = cases::run(*reference, layer);
  const auto exact_shifted = cases::run(*reference, shifted);
  const auto found = cases::run(*cpu, layer);
  const auto found_shifted = cases::run(*cpu, shifted);
  RC_ASSERT(cases::largest_difference(exact.h_every, exact_shifted.h_every) <= 1e-12);
  RC_ASSERT(cases::relative_error(exact.parameters, exact_shifted.parameters) <= 1e-12);
  RC_ASSERT(cases::largest_difference(found.h_every, found_shifted.h_every) <= 1e-5);
  RC_ASSERT(cases::relative_error(found.parameters, found_shifted.parameters) <= 1e-5);
}

RC_GTEST_PROP(Attention, LargeLogitsAreRight, ()) {
  Layer layer = generated_attention();
  Draw draw(generated_seed());
  const int largest = *rc::gen::element(1, 10, 100, 1000, 10000);
  attend_to_feature_0_only(layer, 1.0F);
  set_feature_0(layer, [&] { return static_cast<float>(draw.integer(-largest, largest)); });
  const auto found = cases::run(*make_cpu_backend(1), layer);
  const auto exact = cases::run(*make_reference_backend(), layer);
  RC_ASSERT(cases::largest_difference(found.h_every, exact.h_every) <= 1e-5);
  RC_ASSERT(cases::relative_error(found.parameters, exact.parameters) <= 1e-5);
  RC_ASSERT(finite_everywhere(found));
}

// Logits near the limits of floats; only a few values, so that the largest occurs more than once.
RC_GTEST_PROP(Attention, HugeLogitsAreFinite, ()) {
  Layer layer = generated_attention();
  Draw draw(generated_seed());
  attend_to_feature_0_only(layer, 1e30F);
  set_feature_0(layer, [&] { return static_cast<float>(draw.integer(-1, 1)); });
  const auto found = cases::run(*make_cpu_backend(1), layer);
  const auto exact = cases::run(*make_reference_backend(), layer);
  RC_ASSERT(cases::largest_difference(found.h_every, exact.h_every) <= 1e-5);
  RC_ASSERT(finite_everywhere(found));
}

RC_GTEST_PROP(Recurrence, LargeWeightsStayFinite, ()) {
  Layer layer = cases::generated_layer(cases::generated_cell(), 40, 0, 40);
  // With the identity h is unbounded: it may grow at every step and rightly overflow.
  layer.spec.activation = Activation::kTanh;
  Draw draw(generated_seed());
  for (std::size_t i = layer.spec.weight_h(); i < layer.spec.bias(); ++i) {
    layer.parameters[i] = draw.uniform(-100, 100);
  }
  RC_ASSERT(finite_everywhere(cases::run(*make_cpu_backend(1), layer)));
}

// Permutes the rows of [groups, B, width]: out[b] = in[order[b]].
template <class T>
std::vector<T> permuted(const std::vector<T>& in, const std::vector<int>& order,
                        std::size_t width) {
  std::vector<T> out(in.size());
  const std::size_t B = order.size();
  for (std::size_t row = 0; row < in.size() / width; ++row) {
    const std::size_t from = row / B * B + static_cast<std::size_t>(order[row % B]);
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                out.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  return out;
}

// Some rows of a batch, in any order, with repetitions.
Layer select_rows(const Layer& layer, const std::vector<int>& rows) {
  Layer out = layer;
  out.batch = static_cast<int>(rows.size());
  out.x.clear();
  out.symbols.clear();
  out.dh_every.clear();
  out.dh_last.clear();
  out.lengths.clear();
  const auto copy = [](const std::vector<float>& from, std::size_t row, int width,
                       std::vector<float>& to) {
    const auto w = static_cast<std::size_t>(width);
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * w);
    to.insert(to.end(), first, first + width);
  };
  for (const int b : rows) {
    const auto row = static_cast<std::size_t>(b);
    out.lengths.push_back(layer.lengths[row]);
    copy(layer.dh_last, row, layer.spec.units, out.dh_last);
  }
  for (int t = 0; t < layer.steps; ++t) {
    for (const int b : rows) {
      const std::size_t row = cases::product(t, layer.batch) + static_cast<std::size_t>(b);
      if (layer.spec.symbols) {
        out.symbols.push_back(layer.symbols[row]);
      } else {
        copy(layer.x, row, layer.spec.inputs, out.x);
      }
      copy(layer.dh_every, row, layer.spec.units, out.dh_every);
    }
  }
  return out;
}

RC_GTEST_PROP(Batch, PermutingItPermutesTheResult, ()) {
  const Layer layer = cases::generated_layer(cases::generated_cell(), 40, 0, 40);
  std::vector<int> order(cases::product(layer.batch, 1));
  std::iota(order.begin(), order.end(), 0);
  Draw draw(generated_seed());
  for (int i = layer.batch - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(draw.integer(0, i))]);
  }
  const auto cpu = make_cpu_backend(2);
  const auto before = cases::run(*cpu, layer);
  const auto after = cases::run(*cpu, select_rows(layer, order));
  const auto H = static_cast<std::size_t>(layer.spec.units);
  const auto D = static_cast<std::size_t>(layer.spec.inputs);
  RC_ASSERT(cases::same_bits(permuted(before.h_every, order, H), after.h_every));
  RC_ASSERT(cases::same_bits(permuted(before.h_last, order, H), after.h_last));
  RC_ASSERT(cases::same_bits(permuted(before.final_state, order, layer.spec.state_size()),
                             after.final_state));
  RC_ASSERT(cases::same_bits(permuted(before.x, order, D), after.x));
  // Sums over the batch are formed in another order.
  RC_ASSERT(cases::relative_error(before.parameters, after.parameters) <= 1e-5);
}

// The values of one sequence in a [groups, B, width] array.
template <class T>
std::vector<T> row_of(const std::vector<T>& values, int batch, int row, std::size_t width) {
  std::vector<T> out;
  const std::size_t stride = cases::product(batch, 1) * width;
  for (std::size_t at = static_cast<std::size_t>(row) * width; at < values.size(); at += stride) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return out;
}

void expect_rows_alone_as_in_batch(const Layer& layer, const std::vector<int>& rows) {
  const auto cpu = make_cpu_backend(1);
  const auto all = cases::run(*cpu, layer);
  const auto H = static_cast<std::size_t>(layer.spec.units);
  const auto D = static_cast<std::size_t>(layer.spec.inputs);
  const auto carry = cases::product(1 + layer.spec.traits().carry, layer.spec.units);
  for (const int row : rows) {
    const auto alone = cases::run(*cpu, select_rows(layer, {row}));
    const auto part = [&](const std::vector<float>& v, std::size_t width) {
      return row_of(v, layer.batch, row, width);
    };
    SCOPED_TRACE(::testing::Message() << to_string(layer.spec.cell) << " H " << layer.spec.units
                                      << " B " << layer.batch << " row " << row);
    EXPECT_TRUE(cases::same_bits(part(all.h_every, H), alone.h_every));
    EXPECT_TRUE(cases::same_bits(part(all.h_last, H), alone.h_last));
    EXPECT_TRUE(
        cases::same_bits(part(all.final_state, layer.spec.state_size()), alone.final_state));
    EXPECT_TRUE(cases::same_bits(part(all.x, D), alone.x));
    EXPECT_TRUE(cases::same_bits(part(all.initial, carry), alone.initial));
  }
}

TEST(Batch, ARowAloneHasTheBitsOfTheRowInTheBatch) {
  for (const Cell cell : all_cells()) {
    for (const int units : {7, 16, 33, 250}) {
      for (const int batch : {1, 2, 3, 5, 8, 12, 13, 24, 25, 64, 100, 130}) {
        Draw draw(static_cast<std::uint64_t>(units * 1000 + batch));
        RecurrentSpec spec{cell, Activation::kTanh, 3, units};
        spec.symbols = draw.integer(0, 1) == 1;
        spec.reverse = draw.integer(0, 1) == 1;
        const Layer layer = cases::make_layer(spec, units > 100 ? 4 : 9, batch, draw);
        expect_rows_alone_as_in_batch(layer, {0, batch / 3, batch / 2, batch - 1});
      }
    }
  }
}

RC_GTEST_PROP(Lengths, NaNPastTheEndChangesNothing, ()) {
  const Layer layer = cases::generated_layer(cases::generated_cell(), 40, 0, 70);
  const auto memory = *rc::gen::element(Memory::kFull, Memory::kChunked);
  // Reading an invalid symbol would read outside the table.
  const auto padded_with = [&](float value, std::int32_t symbol) {
    Layer out = layer;
    const auto D = static_cast<std::size_t>(layer.spec.inputs);
    const auto H = static_cast<std::size_t>(layer.spec.units);
    for (std::size_t row = 0; row < cases::product(layer.steps, layer.batch); ++row) {
      const auto b = static_cast<int>(row % static_cast<std::size_t>(layer.batch));
      if (layer.rows().has(static_cast<int>(row) / layer.batch, b)) continue;
      if (layer.spec.symbols) {
        out.symbols[row] = symbol;
      } else {
        std::fill_n(out.x.begin() + static_cast<std::ptrdiff_t>(row * D), D, value);
      }
      std::fill_n(out.dh_every.begin() + static_cast<std::ptrdiff_t>(row * H), H, value);
    }
    return out;
  };
  const auto cpu = make_cpu_backend(2);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::int32_t kNoSymbol = std::numeric_limits<std::int32_t>::max();
  const auto zeros = cases::run(*cpu, padded_with(0, 0), memory);
  const auto nans = cases::run(*cpu, padded_with(kNan, kNoSymbol), memory);
  RC_ASSERT(cases::same_outputs(zeros, nans));
  RC_ASSERT(cases::same_bits(zeros.parameters, nans.parameters));
  RC_ASSERT(cases::same_bits(zeros.x, nans.x));
  RC_ASSERT(cases::same_bits(zeros.initial, nans.initial));
}

// Neither h nor the gradient of x is written there: both keep the caller's 0.
RC_GTEST_PROP(Lengths, NothingIsWrittenPastTheEnd, ()) {
  const Layer layer = cases::generated_layer(cases::generated_cell(), 40, 0, 40);
  const auto found = cases::run(*make_cpu_backend(1), layer);
  const auto H = static_cast<std::size_t>(layer.spec.units);
  const auto D = static_cast<std::size_t>(layer.spec.inputs);
  const auto zero = [](float v) { return v == 0; };
  for (std::size_t row = 0; row < cases::product(layer.steps, layer.batch); ++row) {
    const auto b = static_cast<int>(row % static_cast<std::size_t>(layer.batch));
    if (layer.rows().has(static_cast<int>(row) / layer.batch, b)) continue;
    RC_ASSERT(std::ranges::all_of(std::span(found.h_every).subspan(row * H, H), zero));
    if (layer.spec.symbols) continue;
    RC_ASSERT(std::ranges::all_of(std::span(found.x).subspan(row * D, D), zero));
  }
}

TEST(Lengths, ASequenceOfLength0EndsWhereItStarts) {
  Draw draw(5);
  for (const int steps : {0, 4}) {
    Layer layer = cases::make_layer({Cell::kRwa, Activation::kTanh, 2, 19}, steps, 3, draw);
    layer.lengths = {steps, 0, steps};
    const auto found = cases::run(*make_cpu_backend(1), layer);
    for (std::size_t j = 0; j < 19; ++j) {
      const double start = layer.parameters[layer.spec.start() + j];
      EXPECT_NEAR(found.h_last[19 + j], std::tanh(start), 1e-7) << "T " << steps << " unit " << j;
    }
  }
}

// Runs forward from `state` over steps begin … end-1 of every sequence, and updates `state`.
void advance(Backend<float>& backend, const Layer& layer, int begin, int end,
             std::vector<float>& state, std::vector<float>& h_every) {
  const auto weights = cases::load_weights(backend, layer.spec, layer.parameters);
  const auto rows = cases::product(begin, layer.batch);
  const bool symbols = layer.spec.symbols;
  const auto feed = cases::load_feed<float>(
      backend, symbols ? nullptr : layer.x.data() + rows * cases::product(layer.spec.inputs, 1),
      layer.spec.inputs, {end - begin, layer.batch, {}},
      symbols ? layer.symbols.data() + rows : nullptr);
  cases::Numbers<float> carried(backend, state);
  cases::Numbers<float> h(backend, cases::product(end - begin, layer.batch, layer.spec.units));
  backend.make_pass(layer.spec)
      ->forward(*weights, {.in = feed->in(),
                           .initial_state = carried.data(),
                           .h_every = h.data(),
                           .final_state = carried.data()});
  state = carried.read();
  const auto at = cases::product(begin, layer.batch, layer.spec.units);
  std::ranges::copy(h.read(), h_every.begin() + static_cast<std::ptrdiff_t>(at));
}

// Checks that a layer run in pieces that end at these steps has the same bits as the whole.
void check_pieces(const Layer& layer, const std::vector<int>& ends) {
  const auto cpu = make_cpu_backend(1);
  const auto whole = cases::run(*cpu, layer);
  std::vector<float> h(whole.h_every.size());
  Layer empty = layer;
  empty.steps = 0;
  empty.lengths.clear();
  std::vector<float> state = cases::run(*cpu, empty).final_state;
  int begin = 0;
  for (const int end : ends) {
    advance(*cpu, layer, begin, end, state, h);
    begin = end;
  }
  RC_ASSERT(cases::same_bits(h, whole.h_every));
  RC_ASSERT(cases::same_bits(state, whole.final_state));
}

Layer generated_stream() {
  RecurrentSpec spec = cases::generated_spec(cases::generated_cell(), 40);
  spec.reverse = false;
  spec.stride = 0;
  Layer layer = cases::generated_layer(spec, 1, 40);
  layer.lengths.clear();
  layer.dh_every.clear();
  layer.dh_last.clear();
  return layer;
}

RC_GTEST_PROP(Streaming, StepByStepHasTheBitsOfTheBatch, ()) {
  const Layer layer = generated_stream();
  std::vector<int> ends(cases::product(layer.steps, 1));
  std::iota(ends.begin(), ends.end(), 1);
  check_pieces(layer, ends);
}

RC_GTEST_PROP(Streaming, ASplitSequenceHasTheBitsOfTheWhole, ()) {
  const Layer layer = generated_stream();
  const int split = *rc::gen::inRange(0, layer.steps + 1);
  check_pieces(layer, {split, layer.steps});
}

RC_GTEST_PROP(Streaming, AStreamHasTheBitsOfASession, ()) {
  ModelConfig config{.cell = cases::generated_cell(), .readout = Readout::kEvery};
  config.inputs = *rc::gen::inRange(1, 21);
  config.units = *rc::gen::inRange(1, 41);
  config.outputs = *rc::gen::inRange(1, 21);
  config.seed = generated_seed();
  const int steps = *rc::gen::inRange(1, 41);
  const int stop = *rc::gen::inRange(0, steps);
  const Model model(config);
  const auto x = Draw(config.seed).numbers(cases::product(steps, config.inputs), 1.0F);
  std::vector<float> y(cases::product(steps, config.outputs));
  Session(model).run({.x = x, .steps = steps, .batch = 1}, y);

  std::vector<float> streamed(y.size());
  Stream stream(model);
  for (int t = 0; t < steps; ++t) {
    if (t == stop) {  // continue with another stream that has seen other data
      Stream next(model);
      next.step(std::span(x).first(cases::product(config.inputs, 1)),
                std::span(streamed).first(cases::product(config.outputs, 1)));
      next.set_state(stream.state());
      stream = std::move(next);
      if (t == 0) stream.reset();
    }
    stream.step(std::span(x).subspan(cases::product(t, config.inputs), config.inputs),
                std::span(streamed).subspan(cases::product(t, config.outputs), config.outputs));
  }
  RC_ASSERT(cases::same_bits(y, streamed));
}

}  // namespace
}  // namespace rwa
