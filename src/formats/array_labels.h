// src/formats/array_labels.h: the labels of a file with one array, which lie in another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/array.h"
#include "formats/schema.h"

namespace rwa::formats {

// Those in the array that Options::label_from names, or that stand beside x: y.npy beside x.npy,
// y_train.npy beside X_train.npy, and so on, packed or not; …-labels-idx1-ubyte beside
// …-images-idx3-ubyte. None where there is no such file, and where no labels are asked for.
std::optional<Array> labels_of(const std::filesystem::path& x, const Options& options);

// How many bytes a file has, as it lies there; 0 where that cannot be known.
std::uint64_t stored_bytes(const std::filesystem::path& file);

}  // namespace rwa::formats
