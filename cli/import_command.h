// cli/import_command.h: `rwa import`: the weights of a PyTorch network as a model.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_import_command(CLI::App& app);

}  // namespace rwa::cli
