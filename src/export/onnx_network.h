// src/export/onnx_network.h: a whole network as ONNX nodes: encoder, readout, decoder, output.
#pragma once

#include <span>
#include <vector>

#include "export/onnx_graph.h"
#include "export/onnx_recurrent.h"
#include "model/network_spec.h"

namespace rwa::exports {

class NetworkNodes {
 public:
  NetworkNodes(Graph& graph, const NetworkSpec& spec, std::span<const float> weights)
      : graph_(graph), spec_(spec), weights_(weights) {}

  // Whole sequences, of x [T,B,D], or of symbols [T,B]: what Session::run() writes. A decoder says
  // `steps` of them; of others that is empty.
  Value run(const Value& x, const Value& lengths, const Value& steps);

  struct Stepped {
    Value y;                   // [B,O]
    Value state;               // [B,S]
    std::vector<float> start;  // the state before the first step, [S]
  };
  // One step of a stream, of x [B,D], or of symbols [B].
  Stepped step(const Value& x, const Value& state);

 private:
  Steps steps_of(const Value& x, const Value& lengths);
  // Of symbols with an embedding, their numbers; else the same.
  Value embedded(const Value& x);
  Value stack(const Value& x, const Steps& steps);
  Value averaged(const Value& h, const Steps& steps);
  Value decode(const Value& read, const Value& steps, const Value& batch);
  Value dense(Graph& graph, const char* name, const Placed<DenseSpec>& spec, const Value& x);
  Value table(const char* name, const Placed<TableSpec>& spec);

  Graph& graph_;
  const NetworkSpec& spec_;
  std::span<const float> weights_;
};

}  // namespace rwa::exports
