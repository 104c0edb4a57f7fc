// fuzz/targets.h: everything that reads files, fed with arbitrary bytes. The result is a consistent
// value or an rwa::Error; anything else aborts the process.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rwa::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  std::string_view name;  // also the name of its folder in fuzz/seeds
  void (*run)(Bytes input);
};

// Readers of sequences. The first byte of an input selects the options ('0': none); the rest is the
// file.
std::span<const Target> readers();
// Other files: compressed files, tensors, models, and the encoding stored in a model.
std::span<const Target> files();

// Returns nullptr if there is no such target.
const Target* find_target(std::string_view name);

}  // namespace rwa::fuzz
