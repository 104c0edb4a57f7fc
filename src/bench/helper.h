// src/bench/helper.h: programs of their own (src/bench/peers/) that measure what `rwa` does not
// link.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/child.h"

namespace rwa::bench {

constexpr int kCannotRun = 127;  // exit code where there is no such program or it lacks a library

// In the build tree beside the program, in the source tree, or where it was installed.
std::optional<std::filesystem::path> find_helper(const std::string& name);
// The sentence for those that are not found.
std::string not_found(const std::string& name);

// The first word is the program; one without a slash is looked for as a shell does. Throws
// ResourceError when there can be no child.
Outcome run_helper(const std::vector<std::string>& words, double limit_seconds);

}  // namespace rwa::bench
