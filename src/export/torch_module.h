// src/export/torch_module.h: a network as a plain PyTorch module: a Python file that people can
// read and change, which holds exactly this network and needs nothing but PyTorch, and its weights.
#pragma once

#include <filesystem>

#include "rwa/model.h"

namespace rwa::exports {

// Writes `file`, whose name ends in .py, and beside it the weights in a safetensors file of the
// same name; neither takes its place before both are written. What the model's note "data" says
// goes into the text. Throws ConfigError for another ending, and where the weights would replace a
// file that is not those of such a module: a model, perhaps this one; ModelFileError for a note
// that does not fit the network; ResourceError where the files cannot be written.
void export_torch(const Model& model, const std::filesystem::path& file);

}  // namespace rwa::exports
