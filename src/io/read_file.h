// src/io/read_file.h: the whole content of a regular file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace rwa::io {

// Throws ResourceError, which names the file, where it cannot be read or is not a regular file: a
// pipe would block, and a device would never end.
std::vector<std::byte> read_file(const std::filesystem::path& file);

}  // namespace rwa::io
