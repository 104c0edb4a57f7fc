// cli/tune_command.h: `rwa tune`: looks for good settings for a data set, within a time.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_tune_command(CLI::App& app);

}  // namespace rwa::cli
