// src/bench/table.h: a report for people (text) and for programs (JSON).
#pragma once

#include <filesystem>
#include <string>

#include "bench/bench.h"

namespace rwa::bench {

// A heading, then the rows; those that can be compared stand together.
std::string to_text(const Plan& plan, const Report& report);

// An array with an object for each row.
std::string to_json(const Report& report);

// Throws ResourceError when there is no folder for the file or it may not be written to: to be
// asked before the work, so that a mistyped path does not cost it.
void require_writable(const std::filesystem::path& file);
// As a whole or not at all.
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace rwa::bench
