// src/base/nearest.h: what somebody who mistyped a name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rwa {

// The known names that `name` may stand for, best first and at most three: those that a few slips
// of the finger (a letter too many, missing, wrong, or two swapped) or cutting it short lead to it.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> known);

// The end of a message about an unknown name: ", did you mean adding-100 or adding-1000?", or,
// where none is near, ", expected one of: grammar, …".
std::string suggestion(std::string_view name, std::span<const std::string> known);

}  // namespace rwa
