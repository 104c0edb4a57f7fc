// cli/generate_command.h: `rwa generate`: a forecast that runs freely.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_generate_command(CLI::App& app);

}  // namespace rwa::cli
