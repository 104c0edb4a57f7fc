// src/api/training_memory.cc: an estimate of the memory that training takes, from the buffers of
// the CPU backend with its widest vectors. GPUs store much the same values in other layouts.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "backend/cpu/strip.h"
#include "base/shards.h"
#include "model/network_spec.h"
#include "rwa/errors.h"
#include "rwa/model.h"

namespace rwa {
namespace {

std::size_t size(int number) { return static_cast<std::size_t>(number); }

// Adds up buffer sizes. The limits of a network rule out overflow.
class Count {
 public:
  Count(int steps, int batch, Memory memory) : rows_{steps, batch, {}}, memory_(memory) {}

  [[nodiscard]] std::size_t bytes() const { return (numbers_ + sums_) * sizeof(float); }

  void add(std::size_t numbers) { numbers_ += numbers; }
  void add_rows(std::size_t width) { add(all_rows() * width); }

  // The packed weights, and one sum of their gradient per shard.
  void add(const DenseSpec& spec) {
    const std::size_t packed = padded(spec.outputs) * (size(spec.inputs) + 1);
    add(packed + padded(spec.inputs) * size(spec.outputs) + shards() * packed);
  }

  void add(const RecurrentSpec& spec) {
    const cpu::Geometry g(spec, kLanes, spec.traits().gates + 1);
    const std::size_t symbols = size(g.symbols) * g.symbol_size();
    add(g.forward_size() + g.padded_units() * g.gates_depth() + padded(g.inputs) * g.depth());
    add(symbols);
    // One gradient sum per shard, in memory that all layers share.
    const std::size_t symbol_rows = std::min(shards() * size(g.symbols), all_rows());
    sums_ = std::max(sums_, shards() * g.gradient_size() + symbol_rows * g.symbol_size());

    // What is stored between the forward and the backward pass.
    const CellTraits& cell = spec.traits();
    const bool chunked = memory_ == Memory::kChunked;
    const std::size_t chunk = size(cpu::kChunkSteps);
    const std::size_t steps = chunked ? std::min(chunk, size(rows_.steps)) : size(rows_.steps);
    const std::size_t state = g.padded_units() * size(1 + cell.state);
    const std::size_t chunks = chunked ? (size(rows_.steps) + chunk - 1) / chunk : 0;
    add(size(rows_.batch) * (steps * (g.row_stride + g.panels * g.cell_size) + g.row_stride));
    add(size(rows_.batch) * (2 * g.delta_stride + g.padded_units() * size(1 + cell.carry)));
    add(size(rows_.batch) * (chunks + 1) * state);
  }

  // Includes outputs, their gradients and the largest unfolded input.
  void add(const StemSpec& stem) {
    int widest = 0;
    for (const ConvolutionSpec& convolution : stem.convolutions) {
      add(convolution.dense);
      add_rows(size(convolution.dense.outputs));
      widest = std::max(widest, convolution.dense.inputs);
    }
    if (stem.empty()) return;
    add_rows(size(widest));
    add_rows(std::min<std::size_t>(stem.convolutions.size(), 3) * size(stem.width()));
  }

  // Includes the activations between layers.
  void add(const StackSpec& stack, bool wants_x) {
    for (std::size_t l = 0; l < stack.layers.size(); ++l) {
      const LayerSpec& layer = stack.layers[l];
      for (const auto& direction : layer.directions) add(direction);
      const bool every = stack.every || l + 1 < stack.layers.size();
      add((every ? all_rows() : size(rows_.batch)) * size(layer.width()));
    }
    const std::size_t layers = stack.layers.size();
    if (layers == 0) return;
    const auto width = size(stack.layers.back().width());
    add_rows(std::min<std::size_t>(layers - 1, 2) * width);
    if (stack.layers.front().directions.size() > 1 && (layers > 1 || wants_x)) add_rows(width);
  }

 private:
  static constexpr std::size_t kLanes = 16;

  static std::size_t padded(int units) { return (size(units) + kLanes - 1) / kLanes * kLanes; }
  [[nodiscard]] std::size_t all_rows() const { return rows_.index(rows_.steps, 0); }
  [[nodiscard]] std::size_t shards() const { return size(std::min(kShards, rows_.batch)); }

  Rows rows_;
  Memory memory_;
  std::size_t numbers_ = 0;
  std::size_t sums_ = 0;  // of the largest layer
};
}  // namespace

std::size_t training_memory(const ModelConfig& config, int steps, int batch, Memory memory) {
  const NetworkSpec spec(config);
  if (steps < 0 || batch < 0) {
    throw InputError(fmt::format("steps is {} and batch is {}, expected 0 or more", steps, batch));
  }
  Count count(steps, batch, memory);
  count.add(4 * spec.parameters());  // weights, gradient, mean and variance
  count.add(spec.output);
  const EncoderSpec& encoder = spec.encoder;
  const bool embeds = encoder.embedding.has_value();
  if (embeds) count.add_rows(2 * size(encoder.embedding->width));
  count.add(encoder.stem);
  count.add(encoder.stack, embeds || !encoder.stem.empty());
  if (encoder.averages()) count.add_rows(size(encoder.width) + 1);
  if (spec.decoder) {
    count.add(spec.decoder->code);
    count.add_rows(2 * size(spec.decoder->labels.width));
    count.add(spec.decoder->stack, true);
  }
  const bool every = spec.decodes() || spec.readout == Readout::kEvery;
  const std::size_t outputs = 2 * size(spec.outputs());
  if (every) {
    count.add_rows(outputs);
  } else {
    count.add(size(batch) * outputs);
  }
  return count.bytes();
}

}  // namespace rwa
