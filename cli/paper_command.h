// cli/paper_command.h: the commands of `rwa paper`, one file each, and their shared helpers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parser.h"
#include "training/run_folder.h"

namespace rwa::cli {

void add_paper_list(const Command& paper);
void add_paper_run(const Command& paper);
void add_paper_report(const Command& paper);
void add_paper_data(const Command& paper);
void add_paper_results(const Command& paper);
void add_paper_gradients(const Command& paper);

// Adds an option for a folder, which may not be ''.
Option add_folder(const Command& command, const std::string& name, std::filesystem::path& folder,
                  const std::string& description);

// Reads the runs in and below these folders. Reports and skips those that cannot be read. Throws
// InputError for a folder without runs.
std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots);

}  // namespace rwa::cli
