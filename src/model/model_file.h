// src/model/model_file.h: a model as a safetensors file. The metadata says what it is:
//   format "rwa-model", format_version "1", network as JSON:
//   {"inputs": …, "layers": [{"cell": …, "activation": …, "units": …}], "outputs": …, …}
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "rwa/model.h"

namespace rwa {

struct ModelFile {
  ModelConfig config;
  std::vector<float> weights;  // as NetworkSpec lays them out
};

// Throws ModelFileError unless the file is a whole model of a known version; ResourceError if it
// cannot be read.
ModelFile read_model(const std::filesystem::path& file);
void write_model(const std::filesystem::path& file, const ModelConfig& config,
                 std::span<const float> weights);

}  // namespace rwa
