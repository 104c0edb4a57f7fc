// fuzz/program.h: programs that write the content of an input, so that a few bytes make a large or
// a packed one. The highest bit of an input's first byte says that the rest is a program:
//   a byte     how the content is packed: not, gzip, zstd, or gzip twice
//   pieces     each: a byte, the power of two of its repetitions; two bytes, its length, the lower
//              one first; its bytes
// All bytes are a program, since numbers are taken modulo their range: mutations find others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "targets.h"

namespace rwa::fuzz {

inline constexpr std::uint8_t kIsProgram = 0x80;
inline constexpr std::size_t kMostWritten = std::size_t{1} << 20;  // before packing

std::vector<std::uint8_t> written_by(Bytes program);

// Returns the input as a program that repeats one of its pieces and packs it, chosen at random.
std::vector<std::uint8_t> with_a_repeated_piece(Bytes input, std::minstd_rand& random);

}  // namespace rwa::fuzz
