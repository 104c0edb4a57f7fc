// src/report/process.h: another program, given its input and asked for its output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rwa::report {

// Whether a program of this name can be found in PATH.
bool is_installed(std::string_view name);

// Runs command[0] with the rest as arguments, without a shell, and returns what it wrote to stdout.
// Throws ResourceError with what it wrote to stderr when it cannot be started or fails.
std::string run_program(const std::vector<std::string>& command, std::string_view input);

}  // namespace rwa::report
