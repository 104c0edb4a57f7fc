// tests/support/batches.h: networks and batches for tests of the public interface.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rwa/model.h"
#include "support/cases.h"

namespace rwa::cases {

// A batch with targets that owns its memory.
struct Data {
  int steps, batch;
  std::vector<float> x;
  std::vector<std::int32_t> symbols;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> classes;
  std::vector<float> values;
  int target_steps;  // of a decoder; else 0
  std::vector<std::int32_t> target_lengths;

  [[nodiscard]] BatchView view() const { return {x, steps, batch, lengths, symbols}; }
  [[nodiscard]] TargetView targets() const {
    return {classes, values, target_steps, target_lengths};
  }
};

// A decoder's targets have as many steps as the inputs, but their own lengths.
inline Data make_data(const ModelConfig& config, int steps, int batch, std::uint64_t seed) {
  Draw draw(seed);
  const bool symbols = config.input == Input::kSymbols;
  const bool decodes = config.code > 0;
  const int rows = decodes || config.readout == Readout::kEvery ? steps : 1;
  const auto count = product(steps, batch);
  return {.steps = steps,
          .batch = batch,
          .x = draw.numbers(symbols ? 0 : product(steps, batch, config.inputs), 1.0F),
          .symbols = draw.integers(symbols ? count : 0, 0, config.inputs - 1),
          .lengths = draw.integers(product(batch, 1), 0, steps),
          .classes = draw.integers(product(rows, batch), 0, config.outputs - 1),
          .values = draw.numbers(product(rows, batch, config.outputs), 1.0F),
          .target_steps = decodes ? steps : 0,
          .target_lengths = draw.integers(decodes ? product(batch, 1) : 0, 0, steps)};
}

// Sizes that no vector width, tile or shard divides.
inline ModelConfig uneven(Cell cell, Readout readout) {
  return {.inputs = 3, .cell = cell, .units = 33, .readout = readout, .outputs = 5};
}
inline constexpr int kUnevenSteps = 45;
inline constexpr int kUnevenBatch = 37;

inline std::vector<ModelConfig> all_uneven() {
  std::vector<ModelConfig> all;
  for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      all.push_back(uneven(cell, readout));
    }
  }
  return all;
}

inline std::string name(const ModelConfig& config) {
  return std::string(to_string(config.cell)) + ", " + std::string(to_string(config.readout));
}

inline std::vector<float> copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace rwa::cases
