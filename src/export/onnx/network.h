// src/export/onnx/network.h: ONNX nodes of a whole network: encoder, readout, decoder, output.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "export/onnx/graph.h"
#include "export/onnx/recurrent.h"
#include "model/network_spec.h"

namespace rwa::exports {

class NetworkNodes {
 public:
  NetworkNodes(Graph& graph, const NetworkSpec& spec, std::span<const float> weights)
      : graph_(graph), spec_(spec), weights_(weights) {}

  // Runs whole sequences x [T,B,D] or symbols [T,B] and returns what Session::run() writes. `steps`
  // is the number of steps to decode, empty without a decoder.
  Value run(const Value& x, const Value& lengths, const Value& steps);

  struct Stepped {
    Value y;                   // [B,O]
    Value state;               // [B,S]
    std::vector<float> start;  // the state before the first step, [S]
  };
  // Runs one step of a stream, x [B,D] or symbols [B].
  Stepped step(const Value& x, const Value& state);

 private:
  Steps steps_of(const Value& x, const Value& lengths);
  // Looks symbols up if there is an embedding; otherwise returns x.
  Value embedded(const Value& x);
  // Runs the stem on all steps, x [T,B,D]. Without a stem, returns x.
  Value convolved(const Value& x);
  // Runs the stem on one step, x [B,D]. Replaces the states of its convolutions; a kernel of 1 has
  // none.
  Value convolved_step(Value x, std::span<Value> states);
  Value stack(const Value& x, const Steps& steps);
  Value averaged(const Value& h, const Steps& steps);
  Value decode(const Value& read, const Value& steps, const Value& batch);
  Value dense(Graph& graph, const std::string& name, const Placed<DenseSpec>& spec, const Value& x);
  Value table(const char* name, const Placed<TableSpec>& spec);

  Graph& graph_;
  const NetworkSpec& spec_;
  std::span<const float> weights_;
};

}  // namespace rwa::exports
