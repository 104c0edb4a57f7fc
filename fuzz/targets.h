// fuzz/targets.h: everything that reads files or lines, fed with arbitrary bytes. The result is a
// consistent value or an rwa::Error; anything else aborts the process.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rwa::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  std::string_view name;  // also the name of its folder in fuzz/seeds
  // `option` selects options, '0': none, modulo their number. Some targets have none.
  void (*run)(std::uint8_t option, Bytes content);
};

// Readers of sequences.
std::span<const Target> readers();
// Other files: compressed files, tensors, models, the encoding stored in a model, the weights of
// other programs, and the authors' curves.
std::span<const Target> files();
// Lines of streams, and the file with their state.
std::span<const Target> streams();
// What a training begins with: a configuration, a data set, a run folder to resume from.
std::span<const Target> runs();

std::size_t count_targets();
// Returns nullptr if there is no such target.
const Target* find_target(std::string_view name);

// Runs a target on an input: a byte that selects options, and the content or a program that writes
// it (program.h).
void run(const Target& target, Bytes input);

}  // namespace rwa::fuzz
