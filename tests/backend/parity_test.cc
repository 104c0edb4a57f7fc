// tests/backend/parity_test.cc: the CPU backend, with the instruction set of this process, agrees
// with the double reference, and Memory::kChunked gives the same bits as Memory::kFull.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backend/device.h"
#include "support/cases.h"
#include "support/errors.h"

namespace rwa {
namespace {

using cases::beyond;
using cases::gradient_errors;
using cases::Layer;
using cases::output_errors;

// Three times the largest relative error in norm of 10,000 generated cases per instruction
// set: 1.5e-6 for outputs, 1.1e-5 for gradients. The median is 2e-7; the largest are sums that
// nearly cancel.
constexpr double kOutputBound = 5e-6;
constexpr double kGradientBound = 3.3e-5;
// Three times the largest errors of the large layers, 3e-7 and 9.8e-7: nothing cancels there.
constexpr double kLargeOutputBound = 1e-6;
constexpr double kLargeGradientBound = 3e-6;

// Varies what has a gradient: the last step, every step, both, or the final state. The start is
// learned or given.
Layer varied(Layer layer) {
  cases::Draw draw(*rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
  const int readouts = *rc::gen::inRange(0, 5);
  if (readouts % 3 == 0) layer.dh_every.clear();
  if (readouts == 1) layer.dh_last.clear();
  if (readouts >= 3) cases::send_to_final_state(layer, draw);
  layer.wants_dh_total = true;
  if (*rc::gen::arbitrary<bool>()) {
    layer.initial_state = cases::make_state(layer.spec, layer.batch, draw);
  }
  return layer;
}

RC_GTEST_PROP(Parity, AgreesWithTheReference, ()) {
  const Layer layer = varied(cases::generated_layer(cases::generated_cell(), 40, 0, 40));
  const auto found = cases::run(*make_cpu_backend(1), layer);
  const auto exact = cases::run(*make_reference_backend(), layer);
  RC_ASSERT(beyond(output_errors(found, exact), kOutputBound) == "");
  RC_ASSERT(beyond(gradient_errors(layer.spec, found, exact), kGradientBound) == "");
}

// The paper's layer: several panels of units, tiles of rows and shards.
TEST(Parity, AgreesWithTheReferenceForALargeLayer) {
  for (const Cell cell : all_cells()) {
    cases::Draw draw(1);
    const Layer layer = cases::make_layer({cell, Activation::kTanh, 3, 250}, 30, 20, draw);
    const auto found = cases::run(*make_cpu_backend(2), layer);
    const auto exact = cases::run(*make_reference_backend(), layer);
    EXPECT_EQ(beyond(output_errors(found, exact), kLargeOutputBound), "") << to_string(cell);
    EXPECT_EQ(beyond(gradient_errors(layer.spec, found, exact), kLargeGradientBound), "")
        << to_string(cell);
  }
}

RC_GTEST_PROP(Parity, LittleMemoryGivesTheSameBits, ()) {
  const Layer layer = varied(cases::generated_layer(cases::generated_cell(), 40, 33, 100));
  const int threads = *rc::gen::inRange(1, 4);
  const auto full = cases::run(*make_cpu_backend(threads), layer, Memory::kFull);
  const auto chunked = cases::run(*make_cpu_backend(threads), layer, Memory::kChunked);
  RC_ASSERT(cases::same_outputs(full, chunked));
  RC_ASSERT(cases::same_bits(full.parameters, chunked.parameters));
  RC_ASSERT(cases::same_bits(full.x, chunked.x));
  RC_ASSERT(cases::same_bits(full.initial, chunked.initial));
  RC_ASSERT(cases::same_bits(full.dh_total, chunked.dh_total));
}

// Each step's share of the average; -1 where nothing was written, past the end.
template <class Real>
std::vector<Real> shares(Backend<Real>& backend, const Layer& layer, std::optional<Memory> keep) {
  const std::vector<Real> x(layer.x.begin(), layer.x.end());
  const auto weights = cases::load_weights(backend, layer.spec, layer.parameters);
  const auto feed =
      cases::load_feed(backend, x.data(), layer.spec.inputs, layer.rows(), layer.symbols.data());
  const std::vector<Real> none(cases::product(layer.steps, layer.batch, layer.spec.units), -1);
  cases::UnitRows<Real> share(backend, layer.spec, none);
  backend.make_pass(layer.spec)
      ->forward(*weights, {.in = feed->in(), .keep = keep, .share = share.data()});
  return share.read();
}

RC_GTEST_PROP(Parity, SharesAgreeWithTheReference, ()) {
  const Cell cell = *rc::gen::elementOf(cases::cells_that_average());
  const Layer layer = cases::generated_layer(cell, 40, 1, 70);
  const auto exact = shares(*make_reference_backend(), layer, {});
  const auto found = shares(*make_cpu_backend(2), layer, {});
  RC_ASSERT(cases::relative_error(found, exact) <= kOutputBound);
  for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
    RC_ASSERT(cases::same_bits(shares(*make_cpu_backend(1), layer, memory), found));
  }
}

// Chunks that are full, that have one step more, and that no sequence of a thread reaches.
TEST(Parity, LittleMemoryGivesTheSameBitsAtTheEdgesOfChunks) {
  for (const Cell cell : all_cells()) {
    for (const int longest : {0, 1, 31, 32, 33, 63, 64, 65, 97}) {
      cases::Draw draw(static_cast<std::uint64_t>(longest));
      RecurrentSpec spec{cell, Activation::kTanh, 2, 17};
      spec.symbols = longest % 2 == 1;
      spec.reverse = longest % 3 == 1;
      Layer layer = cases::make_layer(spec, longest, 11, draw);
      layer.lengths.front() = longest;
      layer.lengths.back() = 0;
      const auto full = cases::run(*make_cpu_backend(2), layer, Memory::kFull);
      const auto chunked = cases::run(*make_cpu_backend(2), layer, Memory::kChunked);
      EXPECT_TRUE(cases::same_outputs(full, chunked)) << to_string(cell) << " " << longest;
      EXPECT_TRUE(cases::same_bits(full.parameters, chunked.parameters))
          << to_string(cell) << " " << longest;
      EXPECT_TRUE(cases::same_bits(full.x, chunked.x)) << to_string(cell) << " " << longest;
    }
  }
}

}  // namespace
}  // namespace rwa
