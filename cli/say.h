// cli/say.h: text for people, on standard error. Nobody may be there to read it: no reason to end
// what is being done.
#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace rwa::cli {

// Of several ranks one speaks for all.
inline bool speaks_for_all = true;

template <class... Args>
void say_here(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  if (speaks_for_all) say_here(text, std::forward<Args>(args)...);
}

}  // namespace rwa::cli
