// src/model/model_file.h: a model as a safetensors file. The metadata says what it is:
//   format "rwa-model", format_version "2", network as JSON: all fields of ModelConfig
//   sha256            of everything else; files of earlier builds lack it
// All other entries are the model's notes.
// Version 1 can still be read. It has one layer:
//   {"inputs": …, "layers": [{"cell": …, "activation": …, "units": …}], "outputs": …, "readout": …,
//    "loss": …, "seed": …}
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/model.h"

namespace rwa {

inline constexpr std::string_view kModelFormat = "rwa-model";

using Notes = std::map<std::string, std::string>;

struct ModelFile {
  ModelConfig config;
  std::vector<float> weights;  // in NetworkSpec's layout
  Notes notes = {};
};

// Throws ModelFileError unless the file is a complete model of a known version; ResourceError if it
// cannot be read.
ModelFile read_model(const std::filesystem::path& file);
void write_model(const std::filesystem::path& file, const ModelConfig& config,
                 std::span<const float> weights, const Notes& notes);
// Throws InputError if the model's file cannot hold the notes: a name is empty or reserved, a text
// is not UTF-8, or they do not fit.
void check_notes(const ModelConfig& config, const Notes& notes);

}  // namespace rwa
