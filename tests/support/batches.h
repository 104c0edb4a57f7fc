// tests/support/batches.h: networks and batches for tests of the public interface.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rwa/model.h"
#include "support/cases.h"

namespace rwa::cases {

// A batch with targets, in memory of its own.
struct Data {
  int steps, batch;
  std::vector<float> x;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> classes;
  std::vector<float> values;

  [[nodiscard]] BatchView view() const { return {x, steps, batch, lengths}; }
  [[nodiscard]] TargetView targets() const { return {classes, values}; }
};

inline Data make_data(const ModelConfig& config, int steps, int batch, std::uint64_t seed) {
  Draw draw(seed);
  const int rows = config.readout == Readout::kEvery ? steps : 1;
  return {.steps = steps,
          .batch = batch,
          .x = draw.numbers(product(steps, batch, config.inputs), 1.0F),
          .lengths = draw.integers(product(batch, 1), 0, steps),
          .classes = draw.integers(product(rows, batch), 0, config.outputs - 1),
          .values = draw.numbers(product(rows, batch, config.outputs), 1.0F)};
}

// Sizes that no vector width, tile or shard divides.
inline ModelConfig uneven(Cell cell, Readout readout) {
  return {.cell = cell, .inputs = 3, .units = 33, .outputs = 5, .readout = readout};
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
