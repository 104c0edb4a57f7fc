// src/export/torch_module_data.h: what a PyTorch module says of the data that its network was
// trained on.
#pragma once

#include "datasets/encoding.h"
#include "export/torch_module_render.h"

namespace rwa::exports {

// The words and values of torch_module.py.in that are about data.
void fill_in_data(const datasets::Encoding& encoding, Filling& filling);

}  // namespace rwa::exports
