// src/paper/assets.h: the files of paper/, carried inside the program.
#pragma once

#include <span>
#include <string_view>

namespace rwa::paper::assets {

struct File {
  std::string_view name;  // "paper/grammar.toml", "paper/studies/step-size.toml"
  std::string_view text;
};

extern const std::span<const File> kFiles;
inline constexpr std::string_view kStudies = "paper/studies/";  // how the names of those begin

}  // namespace rwa::paper::assets
