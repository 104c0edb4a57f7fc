// src/export/torch_formula.h: a cell as Python text. For a cell that torch_module.py.in does not
// write out, the class Layer is made of the formula in src/cells.
#pragma once

#include <string>
#include <vector>

#include "cells/traits.h"
#include "rwa/model.h"

namespace rwa::exports {

// A linear layer of the class Layer: the pre-activations that it makes, which follow each other.
struct LinearLayer {
  std::string name;
  std::vector<int> preactivations;
};
std::vector<LinearLayer> linear_layers(const CellTraits& cell);

// The bodies of the functions of the class, indented, without the end of the last line.
struct LayerText {
  std::string init, begin, step;
};
LayerText layer_text(const ModelConfig& config);

}  // namespace rwa::exports
