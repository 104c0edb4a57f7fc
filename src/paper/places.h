// src/paper/places.h: where the files are that the paper's experiments need from elsewhere.
#pragma once

#include <filesystem>

namespace rwa::paper {

// Where downloads are kept and looked for: $XDG_CACHE_HOME/rwa, or ~/.cache/rwa. Throws ConfigError
// where there is no such folder because neither variable is set.
std::filesystem::path cache_folder();

// Where MNIST is: `asked` where given, else $RWA_DATA, else the cache; the files may lie in it or
// in its folder mnist/. Throws ConfigError where they are not, which says how to get them.
std::filesystem::path find_mnist(const std::filesystem::path& asked);
// The authors' curves: `asked` where given (and then it must exist), else the cache's where they
// are, else empty.
std::filesystem::path find_curves(const std::filesystem::path& asked);

}  // namespace rwa::paper
