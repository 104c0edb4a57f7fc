// src/export/onnx/data.h: encodes the values of files in a graph, and decodes the network's outputs.
#pragma once

#include "datasets/encoding.h"
#include "export/onnx/graph.h"

namespace rwa::exports {

// Returns x [T,B,D] or symbols [T,B] as the network sees them. Without lengths, for a single step
// [B,D] or [B], sequences cannot be scaled by themselves.
Value encoded(Graph& graph, const datasets::Encoding& data, const Value& x, const Value& lengths);

// Converts the network's outputs to their original unit.
Value in_own_unit(Graph& graph, const datasets::Encoding& data, const Value& y);

}  // namespace rwa::exports
