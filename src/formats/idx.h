// src/formats/idx.h: IDX, the format of the MNIST files: a magic number and the sizes of an array, 32
// bits each, most significant byte first, then its bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/array.h"

namespace rwa::formats {

// Two zero bytes and the type, unsigned bytes; the number of dimensions follows.
inline constexpr std::string_view kIdxMagic{"\0\0\x08", 3};

// Reads the header. Throws InputError for another type of elements and for none or more than three
// dimensions.
Array parse_idx(std::unique_ptr<Source> source);

// The bytes of an array whose items, counted by its first dimension, have the shape `item`. The
// file may be packed. Takes no more memory than the file has bytes to fill. Throws InputError for
// another array, for one that is not whole, without items or with more than `most`, and
// ResourceError where the file cannot be read.
std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   std::span<const std::int64_t> item, std::int64_t most);

}  // namespace rwa::formats
