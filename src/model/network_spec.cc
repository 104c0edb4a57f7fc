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
  // Forget gates that let go after a time between one step and `span`, as many within each factor of
  // two; and the first units, a share of `lasting`, never.
  void spread(std::size_t offset, std::size_t count, const ModelConfig& config) {
    constexpr float kNever = 30;  // Adam, which divides by the gradient's size, leaves it there too
    const Random random = next();
    const double most = std::max(2, config.span);
    const double lasting = config.lasting * static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double log_steps = std::log(most) * random.uniform(i);
      values_[offset + i] =
          static_cast<double>(i) < lasting ? kNever : static_cast<float>(log_steps);
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
  add("layers.0.weight_x", {cell.x.count() * H, D}, recurrent.weight_x());
  add("layers.0.weight_h", {cell.h.count() * H, H}, recurrent.weight_h());
  add("layers.0.bias", {cell.bias.count() * H}, recurrent.bias());
  if (cell.learned_start) add("layers.0.start", {H}, recurrent.start());
  add("output.weight", {O, H}, output_offset());
  add("output.bias", {O}, output_offset() + output.bias());
  return all;
}

std::vector<float> initial_weights(const NetworkSpec& spec, const ModelConfig& config) {
  const RecurrentSpec& r = spec.recurrent;
  const CellTraits& cell = r.traits();
  const auto H = static_cast<std::size_t>(r.units);
  std::vector<float> values(spec.parameters(), 0.0f);
  Initialiser init(config.seed, values);
  std::size_t x = r.weight_x();
  std::size_t h = r.weight_h();
  std::size_t bias = r.bias();
  const auto weights = [&](std::size_t& offset, int columns, int fan_in) {
    const std::size_t count = H * static_cast<std::size_t>(columns);
    init.uniform(offset, count, fan_in, r.units);
    offset += count;
  };
  for (int p = 0; p < cell.preactivations(); ++p) {
    const int fan_in = (cell.x.has(p) ? r.inputs : 0) + (cell.h.has(p) ? r.units : 0);
    if (cell.x.has(p)) weights(x, r.inputs, fan_in);
    if (cell.h.has(p)) weights(h, r.units, fan_in);
    if (!cell.bias.has(p)) continue;
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(bias), H,
                cell.initial_bias[static_cast<std::size_t>(p)]);
    if (p == cell.spread_bias) init.spread(bias, H, config);
    bias += H;
  }
  if (cell.learned_start) init.normal(r.start(), H);
  init.uniform(spec.output_offset(), spec.output.bias(), spec.output.inputs, spec.output.outputs);
  return values;
}

}  // namespace rwa
