#include "formats/labels_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/words.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
// Takes the first word off a header; empty where there is none.
std::string_view next_part(std::string_view& header) {
  while (!header.empty()) {
    const std::size_t end =
        std::min({header.find_first_of(" \t|"), header.find("__"), header.size()});
    const std::string_view part = header.substr(0, end);
    header.remove_prefix(
        std::min(end + (header.substr(end).starts_with("__") ? 2 : 1), header.size()));
    if (!part.empty()) return part;
  }
  return {};
}
}  // namespace

std::optional<HeaderLabel> HeaderLabel::parse(std::string_view label_from) {
  constexpr std::string_view kName = "header";
  if (!label_from.starts_with(kName)) return {};
  const std::string_view rest = label_from.substr(kName.size());
  if (rest.empty()) return HeaderLabel(0);
  if (rest.front() != ':') return {};
  const std::optional<int> word = parse_count(rest.substr(1));
  if (!word) {
    throw ConfigError(fmt::format("labels come from '{}', expected header, or header:N for word N",
                                  io::escape(label_from)));
  }
  return HeaderLabel(*word);
}

std::string_view HeaderLabel::find(std::string_view header) const {
  int words = 0;
  std::string_view last;
  for (std::string_view part; !(part = next_part(header)).empty(); last = part) {
    if (++words == word_) return part;
  }
  return word_ == 0 && words > 1 ? last : std::string_view();
}

std::string HeaderLabel::expected() const {
  return word_ == 0 ? "a header whose last word, after the first, is the label"
                    : fmt::format("a header whose word {} is the label", word_);
}

}  // namespace rwa::formats
