#include "formats/usual_names.h"

#include <fmt/format.h>

#include "base/nearest.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {

std::size_t find_named(const std::string& name, const std::vector<std::string>& names,
                       std::string_view kind, std::string_view file) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end() && !name.empty()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  std::vector<std::string> known;
  for (const std::string& each : names) known.push_back(io::escape(each));
  const std::string expected = nearest(name, known).empty()
                                   ? ", expected one of: " + io::listed(names)
                                   : suggestion(name, known);
  throw ConfigError(fmt::format("{}: has no {} {}{}", file, kind, io::quote(name), expected));
}

}  // namespace rwa::formats
