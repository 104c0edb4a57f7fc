// fuzz/targets.h: whatever reads files, fed with any bytes. What comes out is a value that agrees
// with itself or an rwa::Error; anything else ends the process.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rwa::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  std::string_view name;  // that of the folder in fuzz/seeds with inputs for it
  void (*run)(Bytes input);
};

// Readers of sequences. The first byte of an input chooses the options, '0' those that are empty;
// the rest is the file.
std::span<const Target> readers();
// Other files: packed ones, tensors, models, and the note about data in a model.
std::span<const Target> files();

// nullptr where there is none.
const Target* find_target(std::string_view name);

}  // namespace rwa::fuzz
