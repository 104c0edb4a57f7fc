// src/report/write_page.h
#pragma once

#include <filesystem>

#include "report/page.h"

namespace rwa::report {

// As a whole or not at all. Throws ResourceError.
void write_page(const Page& page, const std::filesystem::path& file);

}  // namespace rwa::report
