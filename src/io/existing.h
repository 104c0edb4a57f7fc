// src/io/existing.h: refuses a path that the user has named and that does not exist.
#pragma once

#include <filesystem>

namespace rwa::io {

// Throws ConfigError if there is nothing at this path: "sensor.csv: no such file or folder, did you
// mean sensors.csv?"
void require_existing(const std::filesystem::path& path);

}  // namespace rwa::io
