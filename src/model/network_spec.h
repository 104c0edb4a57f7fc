// src/model/network_spec.h: a described network as parts, and where their parameters lie in one
// flat block: an encoder, perhaps a decoder, an output layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/spec.h"
#include "rwa/model.h"

namespace rwa {

// A part, and where its parameters begin.
template <class Spec>
struct Placed : Spec {
  std::size_t offset = 0;
};

// A recurrent layer: forward and, where it reads both ways, reverse; their outputs lie side by
// side.
struct LayerSpec {
  std::vector<Placed<RecurrentSpec>> directions;

  [[nodiscard]] int width() const { return directions.front().h_stride(); }
};

// Layers that each read the outputs of the one below.
struct StackSpec {
  std::vector<LayerSpec> layers = {};
  bool every = false;  // it gives each step of the last layer, [T,B,width], or the last, [B,width]
  // What training hides of a layer's outputs from the next.
  double dropout = 0;
  std::uint64_t seed = 0;
  std::uint32_t first = 0;  // number of the first layer among all that are hidden from

  // Numbers in the state of one sequence, layer after layer.
  [[nodiscard]] std::size_t state_size() const;
};

// From a batch to what is read out of it. Without layers that is an average of what comes in.
struct EncoderSpec {
  std::optional<Placed<TableSpec>> embedding = {};
  StackSpec stack = {};
  Readout readout = Readout::kLast;
  int width = 1;          // numbers in a row of what is read out
  std::size_t score = 0;  // where attention's weight, [width], begins

  [[nodiscard]] bool averages() const {
    return readout == Readout::kMean || readout == Readout::kAttention;
  }
};

// From what was read out to the steps of another sequence.
struct DecoderSpec {
  Placed<DenseSpec> code;
  Placed<TableSpec> labels;  // what is added to the code: row 0 at the first step, then label + 1
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
  // Throws ConfigError for a description of what cannot be.
  explicit NetworkSpec(const ModelConfig& config);

  EncoderSpec encoder;
  std::optional<DecoderSpec> decoder;
  Placed<DenseSpec> output;
  Readout readout;
  Loss loss;

  [[nodiscard]] int inputs() const { return inputs_; }
  [[nodiscard]] bool takes_symbols() const { return takes_symbols_; }
  [[nodiscard]] int outputs() const { return output.outputs; }
  [[nodiscard]] bool decodes() const { return decoder.has_value(); }
  // Why it cannot be run one step at a time; empty where it can.
  [[nodiscard]] std::string why_no_stream() const;
  // Numbers in the state of one sequence.
  [[nodiscard]] std::size_t state_size() const { return encoder.stack.state_size(); }

  [[nodiscard]] std::size_t parameters() const { return output.offset + output.parameters(); }
  [[nodiscard]] std::vector<ParameterInfo> describe() const;
  [[nodiscard]] std::vector<NetworkPart> parts() const;
  // Parameters that training leaves alone.
  [[nodiscard]] const std::vector<ParameterRange>& frozen() const { return frozen_; }

  // The rows of y for a batch: all steps, or one. A decoder's are those of its targets.
  [[nodiscard]] Rows output_rows(const Rows& in) const {
    return readout == Readout::kEvery ? in : in.one_step();
  }

 private:
  int inputs_;
  bool takes_symbols_;
  std::vector<ParameterRange> frozen_;
};

// The initial weights of the paper: uniform in ±sqrt(6 / (inputs + outputs)), biases as the cell
// says, s_0 normal. A decoder's table of labels starts as a layer that sees one-hot rows does; an
// embedding is normal, like features of mean 0 and deviation 1; attention starts as the mean.
std::vector<float> initial_weights(const NetworkSpec& spec, const ModelConfig& config);

}  // namespace rwa
