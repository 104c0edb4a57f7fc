// src/workflows/verify.h: checks that a file is complete: everything in it is read as before use.
#pragma once

#include <filesystem>
#include <string>

namespace rwa::workflows {

// A model, a checkpoint, the folder of a run, or data. Returns a line that describes it. Throws
// ModelFileError, InputError, ConfigError or ResourceError if it is none of them, or incomplete.
std::string verify(const std::filesystem::path& path);

}  // namespace rwa::workflows
