// tests/api/stream_bits_test.cc: a stream and a session give the same bits for a sequence, for any
// batch, lengths, network and number of threads.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/rwa.h"
#include "support/batches.h"

namespace rwa {
namespace {

using cases::Data;
using cases::product;

// Changes all weights: some are initialised to 0.
Model moved(const ModelConfig& config) {
  Model model(config);
  std::vector<float> weights = cases::copy(model.weights());
  cases::Draw draw(5);
  for (float& w : weights) w += draw.uniform(-0.2F, 0.2F);
  model.set_weights(weights);
  return model;
}

// Runs all sequences of a batch through one stream, one after the other.
void expect_same_bits(const Model& model, const Data& data, const std::vector<float>& y) {
  const ModelConfig& c = model.config();
  const auto D = static_cast<std::size_t>(c.inputs), O = static_cast<std::size_t>(c.outputs);
  Stream stream(model);
  std::vector<float> out(O);
  for (int b = 0; b < data.batch; ++b) {
    stream.reset();
    const int length = data.lengths[static_cast<std::size_t>(b)];
    for (int t = 0; t < length; ++t) {
      const std::size_t row = product(t, data.batch) + static_cast<std::size_t>(b);
      if (c.input == Input::kSymbols) {
        stream.step(data.symbols[row], out);
      } else {
        stream.step(std::span(data.x).subspan(row * D, D), out);
      }
      if (c.readout == Readout::kLast && t + 1 < length) continue;
      const std::size_t at = c.readout == Readout::kLast ? static_cast<std::size_t>(b) : row;
      ASSERT_TRUE(cases::same_bits<float>(std::span(out), std::span(y).subspan(at * O, O)))
          << "batch of " << data.batch << ", sequence " << b << ", step " << t;
    }
  }
}

void expect_same_bits(const ModelConfig& config) {
  SCOPED_TRACE(cases::name(config) + ", " + std::string(to_string(config.input)) + ", " +
               std::to_string(config.layers) + " layers of " + std::to_string(config.units));
  const Model model = moved(config);
  Session one(model), several(model, {.threads = 3});
  for (const int batch : {1, 3, 100}) {
    Data data = cases::make_data(config, 12, batch, static_cast<unsigned>(batch));
    for (auto& length : data.lengths) length = std::max(length, 1);
    data.lengths.front() = data.steps;
    std::vector<float> y(data.values.size()), again(y);
    one.run(data.view(), y);
    several.run(data.view(), again);
    EXPECT_TRUE(cases::same_bits(again, y));
    expect_same_bits(model, data, y);
  }
}

TEST(StreamBits, AreThoseOfABatch) {
  for (const Cell cell : all_cells()) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      for (const int layers : {1, 3}) {
        ModelConfig config{.inputs = 5,
                           .cell = cell,
                           .units = 33,
                           .layers = layers,
                           .dropout = layers > 1 ? 0.5 : 0.0,  // has no effect outside training
                           .readout = readout,
                           .outputs = 7};
        expect_same_bits(config);
        config.input = Input::kSymbols;
        expect_same_bits(config);
        config.embedding = 4;
        expect_same_bits(config);
      }
    }
  }
}

TEST(StreamBits, AreThoseOfABatchWithAStem) {
  ModelConfig config{.inputs = 5, .stem = {15, 4}, .channels = 20, .units = 33, .outputs = 7};
  expect_same_bits(config);
  config.readout = Readout::kEvery;
  config.input = Input::kSymbols;
  config.embedding = 4;
  expect_same_bits(config);
}

// Sizes that use tiles of every shape, and several panels at a time.
TEST(StreamBits, AreThoseOfABatchForAnySize) {
  for (const Cell cell : all_cells()) {
    for (const int units : {1, 16, 100, 250}) {
      expect_same_bits({.inputs = units == 16 ? 70 : 1,
                        .cell = cell,
                        .activation = units == 100 ? Activation::kIdentity : Activation::kTanh,
                        .units = units,
                        .outputs = units == 1 ? 1 : units / 2});
    }
  }
}

}  // namespace
}  // namespace rwa
