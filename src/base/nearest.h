// src/base/nearest.h: suggests known names for a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rwa {

// Returns up to three known names, best first, that differ from `name` by a few typos (an extra,
// missing or wrong letter, or two swapped), that `name` abbreviates, or that go by it elsewhere.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> known);

// Returns the end of a message about an unknown name: ", did you mean adding-100 or adding-1000?",
// or ", expected one of: grammar, …" if no name is close.
std::string suggestion(std::string_view name, std::span<const std::string> known);

}  // namespace rwa
