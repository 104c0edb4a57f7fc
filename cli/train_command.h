// cli/train_command.h: `rwa train`: files to a model.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_train_command(CLI::App& app);

}  // namespace rwa::cli
