// src/model/network_spec.h: the parts of a network, encoder, optional decoder and output layer, and
// the offsets of their parameters in one flat block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/spec.h"
#include "rwa/model.h"

namespace rwa {

// Far beyond any use; these limits keep every product of sizes within 63 bits.
inline constexpr int kMostSize = 1 << 20;  // of an input, a layer, an output
inline constexpr int kMostLayers = 1000;
// Of a stem.
inline constexpr int kMostKernel = 1024;
inline constexpr std::size_t kMostConvolutions = 16;

// A part, and the offset of its parameters.
template <class Spec>
struct Placed : Spec {
  std::size_t offset = 0;
};

// A causal convolution: a dense layer on each step and the kernel - 1 steps before it.
struct ConvolutionSpec {
  Placed<DenseSpec> dense;  // inputs: kernel times the width of a step
  int kernel = 1;

  [[nodiscard]] int width() const { return dense.inputs / kernel; }
  // Size of one sequence's state: the steps that the next ones still see.
  [[nodiscard]] std::size_t state_size() const {
    return static_cast<std::size_t>(kernel - 1) * static_cast<std::size_t>(width());
  }
};

// Convolutions that each read the outputs of the one before, rectified.
struct StemSpec {
  std::vector<ConvolutionSpec> convolutions = {};

  [[nodiscard]] bool empty() const { return convolutions.empty(); }
  [[nodiscard]] int width() const { return convolutions.back().dense.outputs; }
  // Size of one sequence's state, over all convolutions.
  [[nodiscard]] std::size_t state_size() const;
};

// A recurrent layer: forward and, if bidirectional, reverse, with their outputs side by side.
struct LayerSpec {
  std::vector<Placed<RecurrentSpec>> directions;

  [[nodiscard]] int width() const { return directions.front().h_stride(); }
};

// Layers that each read the outputs of the one below.
struct StackSpec {
  std::vector<LayerSpec> layers = {};
  bool every = false;  // every step of the last layer, [T,B,width]; else its last, [B,width]
  // Dropout between layers, in training.
  double dropout = 0;
  std::uint64_t seed = 0;
  std::uint32_t first = 0;  // index of the first layer among those of all stacks

  // Size of one sequence's state, over all layers.
  [[nodiscard]] std::size_t state_size() const;
};

// From a batch to its readout. Without layers, the readout is an average of the inputs.
struct EncoderSpec {
  std::optional<Placed<TableSpec>> embedding = {};
  StemSpec stem = {};
  StackSpec stack = {};
  Readout readout = Readout::kLast;
  int width = 1;          // of the readout
  std::size_t score = 0;  // offset of attention's weight, [width]

  [[nodiscard]] bool averages() const {
    return readout == Readout::kMean || readout == Readout::kAttention;
  }
};

// From the readout to the steps of another sequence.
struct DecoderSpec {
  Placed<DenseSpec> code;
  Placed<TableSpec> labels;  // added to the code: row 0 at the first step, then previous label + 1
  StackSpec stack;
};

struct ParameterInfo {
  std::string name;
  std::vector<std::int64_t> shape;
  std::size_t offset;
  std::size_t size;
};

struct ParameterRange {
  std::size_t offset;
  std::size_t size;
};

class NetworkSpec {
 public:
  // Throws ConfigError if the network cannot be built.
  explicit NetworkSpec(const ModelConfig& config);

  EncoderSpec encoder;
  std::optional<DecoderSpec> decoder;
  Placed<DenseSpec> output;
  Readout readout;
  LossSpec loss;

  [[nodiscard]] int inputs() const { return inputs_; }
  [[nodiscard]] bool takes_symbols() const { return takes_symbols_; }
  [[nodiscard]] int outputs() const { return output.outputs; }
  [[nodiscard]] bool decodes() const { return decoder.has_value(); }
  // Why it cannot run one step at a time; empty if it can.
  [[nodiscard]] std::string why_no_stream() const;
  // Size of one sequence's state: that of the stack, then that of the stem.
  [[nodiscard]] std::size_t state_size() const {
    return encoder.stack.state_size() + encoder.stem.state_size();
  }

  [[nodiscard]] std::size_t parameters() const { return output.offset + output.parameters(); }
  [[nodiscard]] std::vector<ParameterInfo> describe() const;
  [[nodiscard]] std::vector<NetworkPart> parts() const;
  // Parameters that training does not change.
  [[nodiscard]] const std::vector<ParameterRange>& frozen() const { return frozen_; }

  // The rows of y for a batch: all steps, or one. With a decoder, use the targets' rows instead.
  [[nodiscard]] Rows output_rows(const Rows& in) const {
    return readout == Readout::kEvery ? in : in.one_step();
  }

 private:
  int inputs_;
  bool takes_symbols_;
  std::vector<ParameterRange> frozen_;
};

// The initial weights of the paper: uniform in ±sqrt(6 / (inputs + outputs)), the cell's initial
// biases, s_0 normal. Convolutions start like dense layers. A decoder's label embedding starts like a layer on one-hot rows. The input
// embedding is normal, like features of mean 0 and deviation 1. Attention starts as the mean.
std::vector<float> initial_weights(const NetworkSpec& spec, const ModelConfig& config);

}  // namespace rwa
