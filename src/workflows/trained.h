// src/workflows/trained.h: a model trained on user files, with the encoding that it needs to read
// more of them.
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

// From a model file, or the folder of a run with model.safetensors in it. Throws ConfigError if
// there is neither, ModelFileError for a file that is not a model, or a model that was not trained
// on files.
Trained load_trained(const std::filesystem::path& path);

// Of a model in memory; `origin` begins every message. Throws ModelFileError likewise.
datasets::Encoding encoding_of(const Model& model, const std::string& origin);

}  // namespace rwa::workflows
