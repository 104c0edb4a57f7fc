// src/data/idx.h: IDX, the format of the MNIST files: a magic number and the sizes of an array, 32
// bits each, most significant byte first, then its bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace rwa::data {

// The bytes of an array whose items, counted by its first dimension, have the shape `item`. The
// file may be packed with gzip. Takes no more memory than the file has bytes to fill. Throws
// InputError for another array, for one that is not whole, without items or with more than `most`,
// and ResourceError where the file cannot be read.
std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   std::span<const std::uint32_t> item, std::uint32_t most);

}  // namespace rwa::data
