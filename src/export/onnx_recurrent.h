// src/export/onnx_recurrent.h: one recurrent layer, one way, as ONNX nodes: a step of it, or all
// steps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/spec.h"
#include "export/onnx_graph.h"

namespace rwa::exports {

// A layer, where it stands in the block of all weights, and what it is called there: "layers.0".
struct NamedLayer {
  const RecurrentSpec& spec;
  std::span<const float> parameters;
  std::string name;
};

// What the nodes know of a batch of sequences.
struct Steps {
  Value lengths;  // [B]
  Value mask;     // [T,B,1], whether a step is one of its sequence
  Value batch;    // [1], how many sequences there are
};

class RecurrentNodes {
 public:
  // Puts the parameters into the graph.
  RecurrentNodes(Graph& graph, const NamedLayer& layer);

  // One step, from x [B,D] or symbols [B] and the state, h and what the cell carries, [B,H] each,
  // to the state after it.
  Values step(Graph& graph, const Value& x, const Values& state) const;

  // All steps, of x [T,B,D] or symbols [T,B]: h of every one, [T,B,H], or what it ends with, [B,H].
  Value run(Graph& graph, const Value& x, const Steps& steps, bool every) const;

  // The state before the first step.
  [[nodiscard]] const std::vector<float>& start() const { return start_; }
  // How many blocks of H numbers a state has.
  [[nodiscard]] std::size_t state_blocks() const { return start_.size() / units(); }

 private:
  // What x has in the pre-activations that see it, and their biases: for all steps at once.
  Value seen(Graph& graph, const Value& x) const;
  // From that, one step.
  Values step_from(Graph& graph, const Value& seen, const Values& state) const;
  Graph body(const Graph& outer, bool every) const;

  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(spec_.units); }

  RecurrentSpec spec_;
  std::string name_;
  std::vector<float> start_;
  Value weight_x_, weight_h_;  // transposed
  Value bias_x_;               // of the pre-activations that see x
  Values biases_;              // of each that has one and does not see x; else empty
};

// All steps of a layer, as RecurrentNodes::run(); by ONNX's own operator where it has one.
Value run_layer(Graph& graph, const NamedLayer& layer, const Value& x, const Steps& steps,
                bool every);

// A state [S] for each sequence, [B,S].
Value add_start(Graph& graph, const std::string& name, const std::vector<float>& start,
                const Value& batch);

}  // namespace rwa::exports
