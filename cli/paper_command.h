// cli/paper_command.h: the commands of `rwa paper`, each in a file of its own, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "training/run_folder.h"

namespace rwa::cli {

void add_paper_list(CLI::App& paper);
void add_paper_run(CLI::App& paper);
void add_paper_report(CLI::App& paper);
void add_paper_data(CLI::App& paper);
void add_paper_results(CLI::App& paper);
void add_paper_gradients(CLI::App& paper);

// An option for a folder; '' is none.
CLI::Option* add_folder(CLI::App& command, const std::string& name, std::filesystem::path& folder,
                        const std::string& description);

// The runs in these folders and below them; what cannot be read is said and left out. Throws
// InputError for a folder without any.
std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots);

}  // namespace rwa::cli
