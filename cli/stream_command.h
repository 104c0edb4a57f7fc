// cli/stream_command.h: `rwa stream`: answers line by line, while sequences come.
#pragma once

#include <CLI/CLI.hpp>

namespace rwa::cli {

void add_stream_command(CLI::App& app);

}  // namespace rwa::cli
