// cli/say.h: text for people, on standard error. Nobody may be there to read it: no reason to end
// what is being done.
#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace rwa::cli {

template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

}  // namespace rwa::cli
