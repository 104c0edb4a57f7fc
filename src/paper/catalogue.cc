#include "paper/catalogue.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/nearest.h"
#include "io/toml.h"
#include "paper/words.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "training/settings.h"

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

namespace {

// Runs of the same experiment with different seeds differ by about this factor.
constexpr double kTolerance = 1.5;

constexpr Names<Measure, 7> kMeasures{{{Measure::kBeats, "beats"},
                                       {Measure::kLossBelow, "loss-below"},
                                       {Measure::kAccuracyFrom, "accuracy-from"},
                                       {Measure::kFinalLoss, "final-loss"},
                                       {Measure::kFinalAccuracy, "final-accuracy"},
                                       {Measure::kParameters, "parameters"},
                                       {Measure::kSecondsPerStep, "seconds-per-step"}}};

enum class Plot { kLoss, kAccuracy };
constexpr Names<Plot, 2> kPlots{{{Plot::kLoss, "loss"}, {Plot::kAccuracy, "accuracy"}}};

// Sets limits around `value`; for accuracies, around the error.
void set_near(Measure measure, double value, Said& said) {
  if (measure == Measure::kFinalAccuracy) {
    said.at_least = 1 - (1 - value) * kTolerance;
    said.at_most = 1 - (1 - value) / kTolerance;
  } else {
    said.at_least = value / kTolerance;
    said.at_most = value * kTolerance;
  }
}

// "lstm", or "mnist.rwa".
Against parse_against(std::string_view text) {
  const std::size_t point = text.rfind('.');
  const bool here = point == std::string_view::npos;
  const Cell cell = parse_cell(here ? text : text.substr(point + 1));
  return {.experiment = std::string(here ? "" : text.substr(0, point)),
          .model = std::string(to_string(cell))};
}

// Each key sets limits and, unless the file gives words, the words for them.
Said parse_said(Fields fields, Measure measure) {
  Said said;
  const auto number = [&](std::string_view key, std::string_view words) {
    const std::optional<double> value = fields.get<double>(key);
    if (value) said.words = std::string(words) + in_words(measure, *value);
    return value;
  };
  if (const auto value = number("at", "")) set_near(measure, *value, said);
  if (const auto value = number("about", "about ")) set_near(measure, *value, said);
  if (const auto value = number("by", "by step ")) said.at_most = *value * kTolerance;
  if (const auto value = number("under", "under ")) said.at_most = *value;
  if (const auto value = number("over", "over ")) said.at_least = *value;
  if (const auto value = number("exactly", "")) said.at_least = said.at_most = *value;
  if (const auto words = fields.get<std::string>("words")) said.words = *words;
  if (fields.has("against")) said.against = fields.need_as("against", parse_against);
  fields.finish();
  return said;
}

Claim parse_claim(Fields fields) {
  Claim claim = parse_measure(fields);
  claim.source = fields.need<std::string>("source");
  claim.headline = fields.get<bool>("headline").value_or(false);
  if (fields.has(kRwa)) claim.rwa = parse_said(fields.table(kRwa), claim.measure);
  if (fields.has(kLstm)) claim.lstm = parse_said(fields.table(kLstm), claim.measure);
  fields.finish();
  return claim;
}

Beats parse_beats(Fields fields) {
  Beats beats{.accuracy = fields.get<double>("accuracy"),
              .loss_fraction = fields.get<double>("loss_fraction")};
  fields.finish();
  return beats;
}

void parse_paper(Fields fields, Entry& entry) {
  entry.title = fields.need<std::string>("title");
  entry.summary = fields.need<std::string>("summary");
  entry.script_differs = fields.get<std::string>("script_differs").value_or("");
  entry.figure = fields.get<int>("figure").value_or(0);
  const Plot plot = fields.need_as(
      "plot", [](std::string_view text) { return parse_name(kPlots, "plot", text); });
  entry.plot_accuracy = plot == Plot::kAccuracy;
  entry.log_y = fields.get<bool>("log_y").value_or(false);
  if (fields.has("beats")) entry.beats = parse_beats(fields.table("beats"));
  for (Fields& claim : fields.tables("claim")) {
    entry.claims.push_back(parse_claim(std::move(claim)));
  }
  fields.finish();
}

std::vector<training::Experiment> parse_variants(Fields fields, const training::Experiment& text) {
  std::vector<training::Experiment> all;
  while (!fields.rest().empty()) {
    const std::string name = fields.rest().front().name;
    all.push_back(text);
    all.back().variant = name;
    training::Overrides(fields.table(name).rest()).apply(all.back());
  }
  return all;
}

NamedModel parse_model(Fields& fields, training::Experiment experiment) {
  NamedModel model{.name = fields.need<std::string>("name"),
                   .network = {},
                   .right = fields.get<bool>("right").value_or(false)};
  if (!is_plain(model.name)) fields.fail(no_folder(model.name));
  io::Value::Table network = fields.table("network").rest();
  fields.finish();
  training::Overrides({{"network", {std::move(network)}}}).apply(experiment);
  model.network = experiment.network;
  return model;
}

std::vector<NamedModel> parse_models(std::vector<Fields> tables,
                                     const training::Experiment& experiment) {
  std::vector<NamedModel> models;
  for (Fields& fields : tables) {
    NamedModel model = parse_model(fields, experiment);
    if (std::ranges::find(models, model.name, &NamedModel::name) != models.end()) {
      fields.fail(fmt::format("the name '{}' is used twice", model.name));
    }
    models.push_back(std::move(model));
  }
  return models;
}

// The paper's two models.
std::vector<NamedModel> default_models(training::Network network) {
  std::vector<NamedModel> models;
  for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
    network.cell = cell;
    models.push_back({.name = std::string(to_string(cell)), .network = network});
  }
  return models;
}

}  // namespace

Fields parse_fields(std::string_view toml, std::string_view origin) {
  return {io::parse_toml(toml, origin), {.where = std::string(origin), .noun = "key"}};
}

Claim parse_measure(Fields& fields) {
  Claim claim;
  claim.text = fields.need<std::string>("text");
  claim.measure = fields.need_as(
      "measure", [](std::string_view text) { return parse_name(kMeasures, "measure", text); });
  claim.threshold = fields.get<double>("threshold").value_or(0);
  return claim;
}

Entry parse_entry(std::string_view toml, std::string_view origin) {
  Fields fields = parse_fields(toml, origin);
  fields.require("paper");
  std::vector<Fields> models = fields.tables("model");
  Fields variants = fields.table("variant");
  Fields quick = fields.table("quick");
  Fields paper = fields.table("paper");

  Entry entry;
  entry.experiment = training::read_experiment(fields.rest(), origin);
  entry.models = models.empty() ? default_models(entry.experiment.network)
                                : parse_models(std::move(models), entry.experiment);
  entry.variants = parse_variants(std::move(variants), entry.experiment);
  entry.quick_steps = quick.get<std::int64_t>("steps");
  quick.finish();
  parse_paper(std::move(paper), entry);
  return entry;
}

}  // namespace rwa::paper
