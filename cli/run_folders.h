// cli/run_folders.h: arguments that are folders with runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parser.h"
#include "training/run_folder.h"

namespace rwa::cli {

// Adds an option for a folder, which may not be ''.
Option add_folder(const Command& command, const std::string& name, std::filesystem::path& folder,
                  const std::string& description);

// Reads the runs in and below these folders, each once. Reports and skips those that cannot be
// read. Throws InputError for a folder without runs.
std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots);

}  // namespace rwa::cli
