// src/training/described.h: the network that a file or a folder describes, for people to look at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rwa/model.h"

namespace rwa::training {

struct Described {
  std::string kind;  // "a model", "an experiment", "a run"
  ModelConfig config;
  std::vector<NetworkPart> parts;
};

// Of a model's file, of an experiment's (*.toml), or of the folder of a run. Throws ConfigError
// where there is none of them, with the nearest name where there is nothing, and what reading them
// throws.
Described read_described(const std::filesystem::path& path);

}  // namespace rwa::training
