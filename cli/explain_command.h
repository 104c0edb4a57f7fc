// cli/explain_command.h: `rwa explain`: which steps of a sequence a model goes by.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_explain_command(CLI::App& app);

}  // namespace rwa::cli
