// cli/evaluate_command.h: `rwa evaluate`: how well a model does on files whose answers are known.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_evaluate_command(CLI::App& app);

}  // namespace rwa::cli
