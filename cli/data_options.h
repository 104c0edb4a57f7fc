// cli/data_options.h: the options that say how files are to be read, the same for every command that
// reads some.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "workflows/plan.h"

namespace rwa::cli {

// DATA, and every guess about it that can be overridden.
CLI::Option* add_data(CLI::App& command, datasets::FilesTask& task, const std::string& description);
// What is done with the sequences once they are read.
void add_preparation(CLI::App& command, datasets::FilesTask& task);

// An option for a list, separated by commas; it may not swallow what follows.
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
                      const std::string& description);

}  // namespace rwa::cli
