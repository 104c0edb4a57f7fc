// src/paper/assets.h: the files of paper/, carried inside the program.
#pragma once

#include <span>
#include <string_view>

namespace rwa::paper::assets {

struct File {
  std::string_view name;  // "paper/grammar.toml"
  std::string_view text;
};

extern const std::span<const File> kExperiments;

}  // namespace rwa::paper::assets
