// src/export/onnx_native.h: LSTM and GRU as the operators that ONNX has for them, which are faster
// than a loop.
#pragma once

#include "export/onnx_recurrent.h"

namespace rwa::exports {

// Those operators take numbers, not symbols.
bool has_native(const RecurrentSpec& spec);

// As RecurrentNodes::run().
Value run_native(Graph& graph, const NamedLayer& layer, const Value& x, const Steps& steps,
                 bool every);

}  // namespace rwa::exports
