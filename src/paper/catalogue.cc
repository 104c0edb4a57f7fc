#include "paper/catalogue.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/nearest.h"
#include "paper/assets.h"
#include "paper/parse_entry.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

std::vector<Entry> parse_all() {
  std::vector<Entry> entries;
  for (const auto& [name, text] : assets::kExperiments) entries.push_back(parse_entry(text, name));
  std::ranges::sort(entries, {}, [](const Entry& entry) {
    return std::tie(entry.figure, entry.experiment.name);
  });
  return entries;
}

}  // namespace

std::span<const Entry> catalogue() {
  static const std::vector<Entry> entries = parse_all();
  return entries;
}

const Entry& find(std::string_view name) {
  std::vector<std::string> known;
  for (const Entry& entry : catalogue()) {
    if (entry.experiment.name == name) return entry;
    known.push_back(entry.experiment.name);
  }
  throw ConfigError(fmt::format("unknown experiment '{}'{}", name, suggestion(name, known)));
}

std::vector<std::string> variants_of(const Entry& entry) {
  std::vector<std::string> names = {entry.experiment.variant};
  for (const run::Experiment& other : entry.variants) names.push_back(other.variant);
  return names;
}

const run::Experiment& in_variant(const Entry& entry, std::string_view variant) {
  if (variant == entry.experiment.variant) return entry.experiment;
  const auto found = std::ranges::find(entry.variants, variant, &run::Experiment::variant);
  if (found != entry.variants.end()) return *found;
  throw ConfigError(fmt::format("unknown variant '{}' of {}{}", variant, entry.experiment.name,
                                suggestion(variant, variants_of(entry))));
}

}  // namespace rwa::paper
