// src/export/onnx_cells.h: the cells as ONNX nodes. Their formulas are those of src/cells, run on
// names of values instead of numbers.
#pragma once

#include <span>
#include <vector>

#include "backend/spec.h"
#include "export/onnx_graph.h"

namespace rwa::exports {

// One step: from the pre-activations in the cell's order and the state, h and then what the cell
// carries, all [B,H], to the state after it.
Values add_cell(Graph& graph, const RecurrentSpec& spec, const Values& preactivations,
                const Values& state);

// The state before the first step, [1 + state, H]. The logarithm of nothing is the lowest number,
// not minus infinity, which JSON does not have: either is lost as soon as something is added.
std::vector<float> start_of(const RecurrentSpec& spec, std::span<const float> parameters);

}  // namespace rwa::exports
