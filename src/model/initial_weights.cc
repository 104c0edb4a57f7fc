// src/model/initial_weights.cc: the weights that training starts from.
#include <cmath>

#include "base/random.h"
#include "model/network_spec.h"

namespace rwa {
namespace {
// Fills blocks of weights in order; each draws from its own random stream.
class Initialiser {
 public:
  Initialiser(const ModelConfig& config, std::size_t parameters)
      : config_(config), values_(parameters, 0.0f) {}

  void normal(std::size_t offset, std::size_t count) {
    const Random random = next();
    for (std::size_t i = 0; i < count; ++i) {
      values_[offset + i] = static_cast<float>(random.normal(i));
    }
  }
  void uniform(std::size_t offset, std::size_t count, int fan_in, int fan_out) {
    const Random random = next();
    const double limit = std::sqrt(6.0 / (static_cast<double>(fan_in) + fan_out));
    for (std::size_t i = 0; i < count; ++i) {
      values_[offset + i] = static_cast<float>(limit * (2 * random.uniform(i) - 1));
    }
  }
  void layer(const Placed<DenseSpec>& dense) {
    uniform(dense.offset, dense.bias(), dense.inputs, dense.outputs);
  }
  void layer(const Placed<RecurrentSpec>& recurrent);
  void layer(const StackSpec& stack) {
    for (const LayerSpec& each : stack.layers) {
      for (const auto& direction : each.directions) layer(direction);
    }
  }

  [[nodiscard]] std::vector<float> take() { return std::move(values_); }

 private:
  Random next() { return {config_.seed, Purpose::kWeights, stream_++}; }
  void spread(std::size_t offset, std::size_t count);

  const ModelConfig& config_;
  std::uint32_t stream_ = 0;
  std::vector<float> values_;
};

// Biases of forget gates: time scales between one step and `span`, uniform in their logarithm. The
// first units, a fraction `lasting`, never forget.
void Initialiser::spread(std::size_t offset, std::size_t count) {
  constexpr float kNever = 30;  // not even Adam, which divides by the gradient's size, moves it
  const Random random = next();
  const double most = std::max(2, config_.span);
  const double lasting = config_.lasting * static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double log_steps = std::log(most) * random.uniform(i);
    values_[offset + i] = static_cast<double>(i) < lasting ? kNever : static_cast<float>(log_steps);
  }
}

void Initialiser::layer(const Placed<RecurrentSpec>& r) {
  const CellTraits& cell = r.traits();
  const auto H = static_cast<std::size_t>(r.units);
  std::size_t x = r.offset + r.weight_x();
  std::size_t h = r.offset + r.weight_h();
  std::size_t bias = r.offset + r.bias();
  const auto weights = [&](std::size_t& offset, int columns, int fan_in) {
    const std::size_t count = H * static_cast<std::size_t>(columns);
    uniform(offset, count, fan_in, r.units);
    offset += count;
  };
  for (int p = 0; p < cell.preactivations(); ++p) {
    const int fan_in = (cell.x.has(p) ? r.inputs : 0) + (cell.h.has(p) ? r.units : 0);
    if (cell.x.has(p)) weights(x, r.inputs, fan_in);
    if (cell.h.has(p)) weights(h, r.units, fan_in);
    if (!cell.bias.has(p)) continue;
    std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(bias), H,
                cell.initial_bias[static_cast<std::size_t>(p)]);
    if (p == cell.spread_bias) spread(bias, H);
    bias += H;
  }
  if (cell.learned_start) normal(r.offset + r.start(), H);
}
}  // namespace

std::vector<float> initial_weights(const NetworkSpec& spec, const ModelConfig& config) {
  Initialiser init(config, spec.parameters());
  if (const auto& table = spec.encoder.embedding) init.normal(table->offset, table->parameters());
  for (const ConvolutionSpec& convolution : spec.encoder.stem.convolutions) {
    init.layer(convolution.dense);
  }
  init.layer(spec.encoder.stack);
  if (const auto& decoder = spec.decoder) {
    const auto& labels = decoder->labels;
    init.layer(decoder->code);
    init.uniform(labels.offset, labels.parameters(), labels.symbols, labels.width);
    init.layer(decoder->stack);
  }
  init.layer(spec.output);
  return init.take();
}

}  // namespace rwa
