#include "paper/study.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/nearest.h"
#include "paper/assets.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

std::vector<Study> parse_all() {
  std::vector<Study> all;
  for (const auto& [file, text] : assets::kFiles) {
    if (!file.starts_with(assets::kStudies)) continue;
    const std::string_view name = file.substr(assets::kStudies.size());
    all.push_back(parse_study(text, name.substr(0, name.rfind('.')), file));
  }
  std::ranges::sort(all, {}, &Study::name);
  return all;
}

const training::Experiment& experiment_of(const Study& study, const std::string& name,
                                          const std::string& model) {
  const auto part = std::ranges::find(study.parts, name, &Part::experiment);
  if (part == study.parts.end()) {
    throw ConfigError(fmt::format("'{}' is not in the study {}", name, study.name));
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < study.cases.size(); ++i) {
    if (study.cases[i].name == model) return part->runs[i];
    known.push_back(study.cases[i].name);
  }
  throw ConfigError(fmt::format("unknown model '{}' of the study {}{}", model, study.name,
                                suggestion(model, known)));
}

}  // namespace

std::span<const Study> studies() {
  static const std::vector<Study> all = parse_all();
  return all;
}

std::vector<std::string> names_of_studies() {
  std::vector<std::string> names;
  for (const Study& study : studies()) names.push_back(study.name);
  return names;
}

const Study* find_study(std::string_view name) {
  const auto found = std::ranges::find(studies(), name, &Study::name);
  return found == studies().end() ? nullptr : &*found;
}

training::Experiment experiment_of(const std::string& name, const std::string& variant,
                                   const std::string& model) {
  if (const Study* study = find_study(variant)) return experiment_of(*study, name, model);
  const Entry& entry = find(name);
  return with_model(entry, in_variant(entry, variant), model);
}

}  // namespace rwa::paper
