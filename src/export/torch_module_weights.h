// src/export/torch_module_weights.h: a network's weights under the names and in the shapes of the
// PyTorch module that is written of it.
#pragma once

#include <vector>

#include "io/safetensors.h"
#include "rwa/model.h"

namespace rwa::exports {

// Whether its recurrent layers are those of torch.nn: an LSTM or a GRU with tanh.
bool is_of_torch(const ModelConfig& config);

// What the module's load_state_dict() wants.
std::vector<io::Tensor> torch_weights(const Model& model);

}  // namespace rwa::exports
