// cli/verify_command.h: `rwa verify`: is a file whole?
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_verify_command(CLI::App& app);

}  // namespace rwa::cli
