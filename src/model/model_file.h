// src/model/model_file.h: a model as a safetensors file. The metadata says what it is:
//   format "rwa-model", format_version "2", network as JSON: all fields of ModelConfig.
// Version 1, which is still read, had one layer:
//   {"inputs": …, "layers": [{"cell": …, "activation": …, "units": …}], "outputs": …, "readout": …,
//    "loss": …, "seed": …}
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
