// cli/paper_command.h: `rwa paper`: the paper's experiments. Each of its commands is a file.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_paper_command(CLI::App& app);

void add_paper_list(CLI::App& paper);
void add_paper_run(CLI::App& paper);
void add_paper_report(CLI::App& paper);
void add_paper_data(CLI::App& paper);

}  // namespace rwa::cli
