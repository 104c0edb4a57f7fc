#include "paper/parse_entry.h"

#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "paper/words.h"
#include "run/experiment_toml.h"
#include "run/toml.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

// Two runs of the same experiment with other random numbers differ about that much.
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

// The values of a table, each taken out once; whatever is left at the end is a mistake.
class Fields {
 public:
  Fields(toml::table table, std::string name) : table_(std::move(table)), name_(std::move(name)) {}

  template <class T>
  std::optional<T> take(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    std::optional<T> value = node->value<T>();
    if (!value) throw ConfigError(fmt::format("{}: '{}' is of another type", name_, key));
    table_.erase(key);
    return value;
  }

  template <class T>
  T require(std::string_view key) {
    std::optional<T> value = take<T>(key);
    if (!value) throw ConfigError(fmt::format("{}: '{}' is missing", name_, key));
    return *std::move(value);
  }

  // What `parse` makes of a text.
  template <class Parse>
  auto require_as(std::string_view key, Parse parse) {
    const auto text = require<std::string>(key);
    try {
      return parse(text);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: '{}': {}", name_, key, error.what()));
    }
  }

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  std::optional<Fields> take_table(std::string_view key) {
    toml::table* table = table_.get_as<toml::table>(key);
    if (table == nullptr) return std::nullopt;
    Fields fields(std::move(*table), fmt::format("{}: {}", name_, key));
    table_.erase(key);
    return fields;
  }

  std::vector<Fields> take_tables(std::string_view key) {
    std::vector<Fields> all;
    toml::array* tables = table_.get_as<toml::array>(key);
    if (tables == nullptr) return all;
    for (toml::node& node : *tables) {
      if (!node.is_table()) throw ConfigError(fmt::format("{}: '{}' is no table", name_, key));
      all.emplace_back(std::move(*node.as_table()),
                       fmt::format("{}: {} {}", name_, key, all.size() + 1));
    }
    table_.erase(key);
    return all;
  }

  // The rest, with its names.
  [[nodiscard]] const toml::table& rest() const { return table_; }

  void refuse_rest() const {
    if (table_.empty()) return;
    throw ConfigError(fmt::format("{}: '{}' is unknown", name_, table_.begin()->first.str()));
  }

 private:
  toml::table table_;
  std::string name_;
};

// Numbers near `value`; accuracies are near when the errors are.
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
  if (point == std::string_view::npos) return {.experiment = "", .cell = parse_cell(text)};
  return {.experiment = std::string(text.substr(0, point)),
          .cell = parse_cell(text.substr(point + 1))};
}

// Each key that is there sets limits and, unless the file has words of its own, says so.
Said parse_said(Fields fields, Measure measure) {
  Said said;
  const auto number = [&](std::string_view key, std::string_view words) {
    const std::optional<double> value = fields.take<double>(key);
    if (value) said.words = std::string(words) + in_words(measure, *value);
    return value;
  };
  if (const auto value = number("at", "")) set_near(measure, *value, said);
  if (const auto value = number("about", "about ")) set_near(measure, *value, said);
  if (const auto value = number("by", "by step ")) said.at_most = *value * kTolerance;
  if (const auto value = number("under", "under ")) said.at_most = *value;
  if (const auto value = number("over", "over ")) said.at_least = *value;
  if (const auto value = number("exactly", "")) said.at_least = said.at_most = *value;
  if (const auto words = fields.take<std::string>("words")) said.words = *words;
  if (fields.has("against")) said.against = fields.require_as("against", parse_against);
  fields.refuse_rest();
  return said;
}

Claim parse_claim(Fields fields) {
  Claim claim;
  claim.text = fields.require<std::string>("text");
  claim.source = fields.require<std::string>("source");
  claim.measure = fields.require_as(
      "measure", [](std::string_view text) { return parse_name(kMeasures, "measure", text); });
  claim.threshold = fields.take<double>("threshold").value_or(0);
  if (auto said = fields.take_table("rwa")) claim.rwa = parse_said(*said, claim.measure);
  if (auto said = fields.take_table("lstm")) claim.lstm = parse_said(*said, claim.measure);
  fields.refuse_rest();
  return claim;
}

Beats parse_beats(Fields fields) {
  Beats beats{.accuracy = fields.take<double>("accuracy"),
              .loss_fraction = fields.take<double>("loss_fraction")};
  fields.refuse_rest();
  return beats;
}

void parse_paper(Fields fields, Entry& entry) {
  entry.title = fields.require<std::string>("title");
  entry.summary = fields.require<std::string>("summary");
  entry.script_differs = fields.require<std::string>("script_differs");
  entry.figure = fields.require<int>("figure");
  const Plot plot = fields.require_as(
      "plot", [](std::string_view text) { return parse_name(kPlots, "plot", text); });
  entry.plot_accuracy = plot == Plot::kAccuracy;
  entry.log_y = fields.take<bool>("log_y").value_or(false);
  if (auto beats = fields.take_table("beats")) entry.beats = parse_beats(*beats);
  for (Fields& claim : fields.take_tables("claim")) entry.claims.push_back(parse_claim(claim));
  fields.refuse_rest();
}

std::vector<run::Experiment> parse_variants(const toml::table& variants, std::string_view origin,
                                            const run::Experiment& text) {
  std::vector<run::Experiment> all;
  for (const auto& [name, node] : variants) {
    all.push_back(text);
    all.back().variant = name.str();
    if (!node.is_table()) throw ConfigError(fmt::format("{}: variant is no table", origin));
    run::change_experiment(*node.as_table(), origin, all.back());
  }
  return all;
}

}  // namespace

Entry parse_entry(std::string_view toml, std::string_view origin) {
  Fields fields(run::parse_toml(toml, origin), std::string(origin));
  std::optional<Fields> variants = fields.take_table("variant");
  std::optional<Fields> quick = fields.take_table("quick");
  std::optional<Fields> paper = fields.take_table("paper");
  if (!paper) throw ConfigError(fmt::format("{}: [paper] is missing", origin));

  Entry entry;
  entry.experiment = run::read_experiment(fields.rest(), origin);
  if (variants) entry.variants = parse_variants(variants->rest(), origin, entry.experiment);
  if (quick) {
    entry.quick_steps = quick->require<std::int64_t>("steps");
    quick->refuse_rest();
  }
  parse_paper(*paper, entry);
  return entry;
}

}  // namespace rwa::paper
