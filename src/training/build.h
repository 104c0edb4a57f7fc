// src/training/build.h: which build this is, for run.json.
#pragma once

#include <string>
#include <string_view>

namespace rwa::training {

// Of the sources, or "unknown" where they were built outside a repository.
std::string_view commit();
std::string compiler();

}  // namespace rwa::training
