// src/report/process.h: runs another program on a given input and returns its output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rwa::report {

// Whether PATH has a program of this name.
bool is_installed(std::string_view name);

// Runs command[0] with the rest as arguments, without a shell, and returns its stdout. Throws
// ResourceError, with its stderr, if it cannot be started or fails.
std::string run_program(const std::vector<std::string>& command, std::string_view input);

}  // namespace rwa::report
