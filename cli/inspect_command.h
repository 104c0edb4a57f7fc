// cli/inspect_command.h: `rwa inspect`: the parts of a network, their shapes and how many
// parameters they have.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_inspect_command(CLI::App& app);

}  // namespace rwa::cli
