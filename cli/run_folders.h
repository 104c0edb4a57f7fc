// cli/run_folders.h: arguments that are folders with runs.
#pragma once

#include <filesystem>
#include <vector>

#include "training/run_folder.h"

namespace rwa::cli {

// Reads the runs in and below these folders, each once. Reports and skips those that cannot be
// read. Throws InputError for a folder without runs.
std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots);

}  // namespace rwa::cli
