// src/export/onnx/recurrent.h: ONNX nodes of one recurrent layer and direction, for one step or all
// steps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/spec.h"
#include "export/onnx/graph.h"

namespace rwa::exports {

// A layer with its parameters and its name: "layers.0".
struct NamedLayer {
  const RecurrentSpec& spec;
  std::span<const float> parameters;
  std::string name;
};

// A batch of sequences.
struct Steps {
  Value lengths;  // [B]
  Value mask;     // [T,B,1], false past the end of a sequence
  Value batch;    // [1], the number of sequences
};

class RecurrentNodes {
 public:
  // Adds the parameters to the graph.
  RecurrentNodes(Graph& graph, const NamedLayer& layer);

  // Runs one step on x [B,D] or symbols [B] and returns the next state. A state is h and the parts
  // that the cell carries, [B,H] each.
  Values step(Graph& graph, const Value& x, const Values& state) const;

  // Runs all steps of x [T,B,D] or symbols [T,B] and returns every h, [T,B,H], or the last, [B,H].
  Value run(Graph& graph, const Value& x, const Steps& steps, bool every) const;

  // The state before the first step.
  [[nodiscard]] const std::vector<float>& start() const { return start_; }
  // The number of blocks of H numbers in a state.
  [[nodiscard]] std::size_t state_blocks() const { return start_.size() / units(); }

 private:
  // The share of x and the biases in the pre-activations that depend on x, for all steps at once.
  Value seen(Graph& graph, const Value& x) const;
  // Completes one step from the result of seen().
  Values step_from(Graph& graph, const Value& seen, const Values& state) const;
  Graph body(const Graph& outer, bool every) const;

  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(spec_.units); }

  RecurrentSpec spec_;
  std::string name_;
  std::vector<float> start_;
  Value weight_x_, weight_h_;  // transposed
  Value bias_x_;               // of the pre-activations that depend on x
  Values biases_;              // of the other pre-activations; empty if one has no bias
};

// Runs all steps of a layer like RecurrentNodes::run(), with ONNX's own operator if there is one.
Value run_layer(Graph& graph, const NamedLayer& layer, const Value& x, const Steps& steps,
                bool every);

// Repeats the initial state [S] for each sequence: [B,S].
Value add_start(Graph& graph, const std::string& name, const std::vector<float>& start,
                const Value& batch);

}  // namespace rwa::exports
