// src/workflows/trained.h: a model that somebody trained on files of their own, and what it must know to
// be used on more of them.
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

// From a model's file, or a run's folder with model.safetensors in it. Throws ConfigError where
// there is neither, ModelFileError for a file that is no model, or one that was not trained on
// files.
Trained load_trained(const std::filesystem::path& path);

// Of a model that is in memory; `origin` begins every message. Throws ModelFileError likewise.
datasets::Encoding encoding_of(const Model& model, const std::string& origin);

}  // namespace rwa::workflows
