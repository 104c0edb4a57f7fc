#include "paper/study.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/nearest.h"
#include "paper/fields.h"
#include "paper/words.h"
#include "rwa/errors.h"
#include "training/experiment_toml.h"

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
  const auto experiment = std::ranges::find(study.experiments, name, &StudyExperiment::name);
  if (experiment == study.experiments.end()) {
    throw ConfigError(fmt::format("'{}' is not in the study {}", name, study.name));
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < study.cases.size(); ++i) {
    if (study.cases[i].name == model) return experiment->runs[i];
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

namespace {

constexpr Names<Draw, 3> kDraws{
    {{Draw::kCurves, "curves"}, {Draw::kMeasure, "measure"}, {Draw::kGradients, "gradients"}}};

// What a case changes: small tables, each with some fields of an experiment.
using Change = std::vector<const toml::table*>;

// One value of one field.
struct Value {
  toml::table change;
  std::string name;   // "rwa", "learning_rate-0.001"
  std::string label;  // "RWA", "learning rate 0.001"
  std::optional<double> number;
};

// A field with the values it is to have.
struct Varied {
  std::string path;  // "training.learning_rate"
  std::vector<Value> values;
};

std::string in_name(const toml::node& value) {
  if (const auto text = value.value<std::string>()) return *text;
  return fmt::format("{}", value.value<double>().value_or(0));
}

// The nodes are moved, not copied: so they know where they stand in the file.
Value take_value(const std::string& table, const std::string& key, toml::node& node) {
  Value value;
  value.number = node.value<double>();
  const std::string text = in_name(node);
  value.name = node.is_string() ? text : fmt::format("{}-{}", key, text);
  value.label = node.is_string() ? name_of(text) : fmt::format("{} {}", field_in_words(key), text);
  toml::table inner;
  inner.insert(key, std::move(node));
  value.change.insert(table, std::move(inner));
  return value;
}

Varied take_varied(const std::string& table, const std::string& key, toml::node& list,
                   const Fields& fields) {
  Varied varied{.path = table + "." + key, .values = {}};
  if (!list.is_array() || list.as_array()->empty()) {
    fields.fail(list.source(), fmt::format("'{}' is no list of values", varied.path));
  }
  for (toml::node& node : *list.as_array()) varied.values.push_back(take_value(table, key, node));
  return varied;
}

std::vector<Varied> parse_vary(Fields& fields) {
  std::vector<Varied> all;
  for (auto&& [table, node] : fields.rest()) {
    const std::string name(table.str());
    if (!node.is_table()) fields.fail(table.source(), fmt::format("'{}' is no table", name));
    for (auto&& [key, list] : *node.as_table()) {
      all.push_back(take_varied(name, std::string(key.str()), list, fields));
    }
  }
  if (all.empty()) fields.fail("found nothing, expected lists of values");
  return all;
}

// The cases of a study, and what each changes.
class Cases {
 public:
  void add_run(Fields& fields) {
    Case made;
    made.name = made.curve = fields.require<std::string>("name");
    made.label = made.curve_label = name_of(made.name);
    for (auto&& [key, node] : fields.rest()) {
      if (!node.is_table()) fields.fail(key.source(), fmt::format("'{}' is no table", key.str()));
    }
    runs_.push_back(std::make_unique<toml::table>(std::move(fields.rest())));
    add(std::move(made), {runs_.back().get()}, fields);
  }

  // Every combination. `x` is the field whose values are drawn against, or empty.
  void add_product(Fields& fields, const std::string& x) {
    varied_ = parse_vary(fields);
    if (!x.empty() && std::ranges::find(varied_, x, &Varied::path) == varied_.end()) {
      fields.fail(fmt::format("x is '{}', expected one of the fields that are varied", x));
    }
    add_products({}, {}, 0, fields, x);
  }

  [[nodiscard]] const std::vector<Case>& all() const { return cases_; }
  [[nodiscard]] const Change& changes(std::size_t index) const { return changes_[index]; }

 private:
  void add_products(const Case& begun, const Change& change, std::size_t next, const Fields& fields,
                    const std::string& x) {
    if (next == varied_.size()) return add(begun, change, fields);
    for (const Value& value : varied_[next].values) {
      Case made = begun;
      Change more = change;
      more.push_back(&value.change);
      extend(made.name, made.label, value);
      if (varied_[next].path != x) {
        extend(made.curve, made.curve_label, value);
      } else if (value.number) {
        made.x = *value.number;
      } else {
        fields.fail(fmt::format("x is '{}', expected a field with numbers", x));
      }
      add_products(made, more, next + 1, fields, x);
    }
  }

  static void extend(std::string& name, std::string& label, const Value& value) {
    label += (name.empty() ? "" : ", ") + value.label;
    name += (name.empty() ? "" : "-") + value.name;
  }

  void add(Case made, Change change, const Fields& fields) {
    if (!is_plain(made.name)) fields.fail(no_folder(made.name));
    if (std::ranges::find(cases_, made.name, &Case::name) != cases_.end()) {
      fields.fail(fmt::format("the name '{}' is there twice", made.name));
    }
    cases_.push_back(std::move(made));
    changes_.push_back(std::move(change));
  }

  std::vector<std::unique_ptr<toml::table>> runs_;  // stay where they are
  std::vector<Varied> varied_;
  std::vector<Case> cases_;
  std::vector<Change> changes_;
};

std::vector<Claim> parse_measures(Fields& fields) {
  std::vector<Claim> measures;
  for (Fields& measure : fields.take_tables("measure")) {
    measures.push_back(parse_measure(measure));
    measure.refuse_rest();
  }
  if (measures.empty()) fields.fail("'measure' is missing");
  return measures;
}

StudyExperiment parse_experiment(Fields& fields, const std::string& study, const Cases& cases,
                                 std::string_view origin) {
  const Entry& entry =
      fields.require_as("name", [](const std::string& name) { return std::cref(find(name)); });
  StudyExperiment experiment{.name = entry.experiment.name, .measures = {}, .runs = {}};
  const auto steps = fields.require<std::int64_t>("steps");
  if (steps < 1) fields.fail(fmt::format("'steps' is {}, expected 1 or more", steps));
  experiment.measures = parse_measures(fields);
  fields.refuse_rest();
  for (std::size_t i = 0; i < cases.all().size(); ++i) {
    training::Experiment& run = experiment.runs.emplace_back(entry.experiment);
    run.variant = study;
    run.training.steps = steps;
    for (const toml::table* change : cases.changes(i))
      training::change_experiment(*change, origin, run);
    name_model(run, cases.all()[i].name);
  }
  return experiment;
}

}  // namespace

Study parse_study(std::string_view toml, std::string_view name, std::string_view origin) {
  Fields fields(training::parse_toml(toml, origin), origin);
  Study study;
  study.name = name;
  study.title = fields.require<std::string>("title");
  study.question = fields.require<std::string>("question");
  study.draw = fields.require_as(
      "draw", [](std::string_view text) { return parse_name(kDraws, "draw", text); });
  if (study.draw == Draw::kMeasure) study.x = fields.require<std::string>("x");

  Cases cases;
  for (Fields& run : fields.take_tables("run")) cases.add_run(run);
  if (auto vary = fields.take_table("vary")) cases.add_product(*vary, study.x);
  std::vector<Fields> experiments = fields.take_tables("experiment");
  if (cases.all().empty()) fields.fail("found no [[run]] and no [vary]");
  if (experiments.empty()) fields.fail("found no [[experiment]]");
  fields.refuse_rest();
  for (Fields& experiment : experiments) {
    study.experiments.push_back(parse_experiment(experiment, study.name, cases, origin));
  }
  study.cases = cases.all();
  return study;
}

}  // namespace rwa::paper
