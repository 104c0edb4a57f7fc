// src/workflows/trained.h: a model trained on user files, with the encoding to read more of them.
#pragma once

#include <filesystem>
#include <string>

#include "datasets/encoding.h"
#include "rwa/model.h"

namespace rwa::workflows {

struct Trained {
  Model model;
  datasets::Encoding encoding;
};

// Loads a model file, or model.safetensors from a run folder. Throws ConfigError if there is
// neither, ModelFileError for a file that is not a model or a model that was not trained on files.
Trained load_trained(const std::filesystem::path& path);

// The encoding of a model in memory. Throws ModelFileError, with messages that begin with `origin`.
datasets::Encoding encoding_of(const Model& model, const std::string& origin);

}  // namespace rwa::workflows
