// src/bench/table.h: a report as a text table and as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "bench/bench.h"

namespace rwa::bench {

// A heading, then the rows, grouped by mode and size.
std::string to_text(const Plan& plan, const Report& report);

// An array with one object per row.
std::string to_json(const Report& report);

// Throws ResourceError if the file's folder is missing or not writable. Call it before the work, so
// that a mistyped path fails early.
void require_writable(const std::filesystem::path& file);
// Writes the file atomically.
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace rwa::bench
