// src/workflows/verify.h: is a file whole? Everything in it is read and checked as it would be before use.
#pragma once

#include <filesystem>
#include <string>

namespace rwa::workflows {

// A model, a checkpoint, the folder of a run, or data. Returns what it is, in a line. Throws
// ModelFileError, InputError, ConfigError or ResourceError where it is none of them, or not whole.
std::string verify(const std::filesystem::path& path);

}  // namespace rwa::workflows
