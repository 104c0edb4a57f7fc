// src/model/network_spec.cc: from a description to the parts of a network, their names and first
// weights.
#include <fmt/format.h>

#include <cmath>

#include "base/random.h"
#include "model/network.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
// Far beyond any use; keeps every product of sizes within 63 bits.
constexpr int kMostSize = 1 << 20;

int checked(std::string_view name, int value) {
  if (value < 1 || value > kMostSize) {
    throw ConfigError(fmt::format("{} is {}, expected 1 to {}", name, value, kMostSize));
  }
  return value;
}

// Fills blocks of weights one after the other; each draws from a stream of its own.
class Initialiser {
 public:
  Initialiser(std::uint64_t seed, std::vector<float>& values) : seed_(seed), values_(values) {}

  void uniform(std::size_t offset, std::size_t count, int fan_in, int fan_out) {
    const Random random = next();
    const double limit = std::sqrt(6.0 / (static_cast<double>(fan_in) + fan_out));
    for (std::size_t i = 0; i < count; ++i) {
      values_[offset + i] = static_cast<float>(limit * (2 * random.uniform(i) - 1));
    }
  }
  void normal(std::size_t offset, std::size_t count) {
    const Random random = next();
    for (std::size_t i = 0; i < count; ++i) {
      values_[offset + i] = static_cast<float>(random.normal(i));
    }
  }

 private:
  Random next() { return {seed_, Purpose::kWeights, stream_++}; }

  std::uint64_t seed_;
  std::uint32_t stream_ = 0;
  std::vector<float>& values_;
};
}  // namespace

NetworkSpec::NetworkSpec(const ModelConfig& config)
    : recurrent{config.cell, config.activation, checked("inputs", config.inputs),
                checked("units", config.units)},
      output{config.units, checked("outputs", config.outputs)},
      readout(config.readout),
      loss(config.loss) {
  // Asking for the names refuses values that are none of the enumerations'.
  (void)to_string(config.cell);
  (void)to_string(config.activation);
  (void)to_string(config.readout);
  (void)to_string(config.loss);
}

std::vector<ParameterInfo> NetworkSpec::describe() const {
  const CellTraits& cell = recurrent.traits();
  const std::int64_t D = recurrent.inputs;
  const std::int64_t H = recurrent.units;
  const std::int64_t O = output.outputs;
  std::vector<ParameterInfo> all;
  const auto add = [&](std::string name, std::vector<std::int64_t> shape, std::size_t offset) {
    std::size_t size = 1;
    for (const auto n : shape) size *= static_cast<std::size_t>(n);
    all.push_back({std::move(name), std::move(shape), offset, size});
  };
  add("layers.0.weight_x", {cell.preactivations() * H, D}, recurrent.weight_x());
  add("layers.0.weight_h", {cell.gates * H, H}, recurrent.weight_h());
  add("layers.0.bias", {cell.biases() * H}, recurrent.bias());
  if (cell.learned_start) add("layers.0.start", {H}, recurrent.start());
  add("output.weight", {O, H}, output_offset());
  add("output.bias", {O}, output_offset() + output.bias());
  return all;
}

std::vector<float> initial_weights(const NetworkSpec& spec, std::uint64_t seed) {
  const RecurrentSpec& r = spec.recurrent;
  const CellTraits& cell = r.traits();
  const auto H = static_cast<std::size_t>(r.units);
  const auto D = static_cast<std::size_t>(r.inputs);
  std::vector<float> values(spec.parameters(), 0.0f);
  Initialiser init(seed, values);
  std::size_t bias = r.bias();
  for (std::size_t p = 0; p < static_cast<std::size_t>(cell.preactivations()); ++p) {
    const bool gate = p < static_cast<std::size_t>(cell.gates);
    const int fan_in = r.inputs + (gate ? r.units : 0);
    init.uniform(r.weight_x() + p * H * D, H * D, fan_in, r.units);
    if (gate) init.uniform(r.weight_h() + p * H * H, H * H, fan_in, r.units);
    if (!cell.has_bias[p]) continue;
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(bias), H, cell.initial_bias[p]);
    bias += H;
  }
  if (cell.learned_start) init.normal(r.start(), H);
  init.uniform(spec.output_offset(), spec.output.bias(), spec.output.inputs, spec.output.outputs);
  return values;
}

}  // namespace rwa
