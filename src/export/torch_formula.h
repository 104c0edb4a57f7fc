// src/export/torch_formula.h: Python code of a cell. If torch_module.py.in does not write a cell
// out, its class Layer is generated from the formula in src/cells.
#pragma once

#include <string>
#include <vector>

#include "cells/traits.h"
#include "rwa/model.h"

namespace rwa::exports {

// A linear layer of the class Layer and the consecutive pre-activations that it computes.
struct LinearLayer {
  std::string name;
  std::vector<int> preactivations;
};
std::vector<LinearLayer> linear_layers(const CellTraits& cell);

// The indented bodies of the class's functions, without a final newline.
struct LayerText {
  std::string init, begin, step;
};
LayerText layer_text(const ModelConfig& config);

}  // namespace rwa::exports
