#include "paper/catalogue.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/nearest.h"
#include "paper/assets.h"
#include "paper/parse_entry.h"
#include "rwa/cells.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

std::vector<Entry> parse_all() {
  std::vector<Entry> entries;
  for (const auto& [name, text] : assets::kFiles) {
    if (!name.starts_with(assets::kStudies)) entries.push_back(parse_entry(text, name));
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) {
    return std::tuple(!is_of_paper(entry), entry.figure, entry.experiment.name);
  });
  return entries;
}

}  // namespace

std::span<const Entry> catalogue() {
  static const std::vector<Entry> entries = parse_all();
  return entries;
}

const Entry& find(std::string_view name, std::span<const std::string> others) {
  std::vector<std::string> known;
  for (const Entry& entry : catalogue()) {
    if (entry.experiment.name == name) return entry;
    known.push_back(entry.experiment.name);
  }
  known.insert(known.end(), others.begin(), others.end());
  throw ConfigError(fmt::format("unknown experiment '{}'{}", name, suggestion(name, known)));
}

std::vector<std::string> variants_of(const Entry& entry) {
  std::vector<std::string> names = {entry.experiment.variant};
  for (const training::Experiment& other : entry.variants) names.push_back(other.variant);
  return names;
}

const training::Experiment& in_variant(const Entry& entry, std::string_view variant) {
  if (variant == entry.experiment.variant) return entry.experiment;
  const auto found = std::ranges::find(entry.variants, variant, &training::Experiment::variant);
  if (found != entry.variants.end()) return *found;
  throw ConfigError(fmt::format("unknown variant '{}' of {}{}", variant, entry.experiment.name,
                                suggestion(variant, variants_of(entry))));
}

std::vector<std::string> models_of(const Entry& entry) {
  std::vector<std::string> names;
  for (const NamedModel& model : entry.models) names.push_back(model.name);
  for (const Cell cell : all_cells()) {
    const std::string name(to_string(cell));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

void name_model(training::Experiment& experiment, std::string_view name) {
  experiment.model = name == to_string(experiment.network.cell) ? "" : name;
}

training::Experiment with_model(const Entry& entry, training::Experiment experiment,
                                std::string_view model) {
  const std::vector<std::string> known = models_of(entry);
  if (std::ranges::find(known, model) == known.end()) {
    throw ConfigError(fmt::format("unknown model '{}' of {}{}", model, entry.experiment.name,
                                  suggestion(model, known)));
  }
  const auto own = std::ranges::find(entry.models, model, &NamedModel::name);
  if (own != entry.models.end()) {
    experiment.network = own->network;
  } else {
    experiment.network.cell = parse_cell(model);
  }
  name_model(experiment, model);
  return experiment;
}

}  // namespace rwa::paper
