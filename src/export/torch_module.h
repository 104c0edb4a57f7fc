// src/export/torch_module.h: exports a network as a plain PyTorch module: a readable Python file
// with exactly this network, which needs nothing but PyTorch, and its weights.
#pragma once

#include <filesystem>

#include "rwa/model.h"

namespace rwa::exports {

// Writes `file`, whose name ends in .py, and next to it the weights in a safetensors file of the
// same name. Neither file is replaced before both are written. The model's note "data" becomes part
// of the module. Throws ConfigError for another extension, or if the weights would overwrite a file
// that no exported module owns, such as a model; ModelFileError if the note does not fit the
// network; ResourceError if a file cannot be written.
void export_torch(const Model& model, const std::filesystem::path& file);

}  // namespace rwa::exports
