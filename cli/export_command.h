// cli/export_command.h: `rwa export`: a model in the form of other programs.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_export_command(CLI::App& app);

}  // namespace rwa::cli
