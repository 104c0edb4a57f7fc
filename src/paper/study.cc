#include "paper/study.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/nearest.h"
#include "paper/words.h"
#include "rwa/errors.h"
#include "training/settings.h"

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
    throw ConfigError(fmt::format("'{}' is not part of the study {}", name, study.name));
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

// The changes of a case, applied in order.
using Change = std::vector<training::Overrides>;

// One value of a varied field.
struct VariedValue {
  training::Overrides change;
  std::string name;   // "rwa", "learning_rate-0.001"
  std::string label;  // "RWA", "learning rate 0.001"
  std::optional<double> number;
};

// A field and its values.
struct Varied {
  std::string path;  // "training.learning_rate"
  std::vector<VariedValue> values;
};

std::optional<double> as_number(const io::Value& value) {
  if (const auto* number = value.get<double>()) return *number;
  if (const auto* number = value.get<std::int64_t>()) return static_cast<double>(*number);
  return std::nullopt;
}

VariedValue vary(const std::string& table, const std::string& key, const io::Value& value) {
  VariedValue varied{.change = training::Overrides({{table, {io::Value::Table{{key, value}}}}}),
                     .name = {},
                     .label = {},
                     .number = as_number(value)};
  if (const auto* text = value.get<std::string>()) {
    varied.name = *text;
    varied.label = name_of(*text);
  } else {
    const double number = varied.number.value_or(0);
    varied.name = fmt::format("{}-{}", key, number);
    varied.label = fmt::format("{} {}", field_in_words(key), number);
  }
  return varied;
}

std::vector<Varied> parse_vary(Fields& fields) {
  std::vector<Varied> all;
  while (!fields.rest().empty()) {
    const std::string table = fields.rest().front().name;
    const io::Value::Table keys = fields.table(table).rest();
    for (const auto& [key, value, place] : keys) {
      Varied& varied = all.emplace_back(Varied{.path = table + "." + key, .values = {}});
      const auto* list = value.get<io::Value::Array>();
      if (list == nullptr || list->empty()) {
        fields.refuse_value(varied.path, value, "a list of values");
      }
      for (const io::Value& each : *list) varied.values.push_back(vary(table, key, each));
    }
  }
  if (all.empty()) fields.fail("found no keys, expected lists of values");
  return all;
}

// The cases of a study and their changes.
class Cases {
 public:
  void add_run(Fields& fields) {
    Case made;
    made.name = made.curve = fields.need<std::string>("name");
    made.label = made.curve_label = name_of(made.name);
    for (const auto& [key, value, place] : fields.rest()) {
      if (value.get<io::Value::Table>() == nullptr) fields.refuse_value(key, value, "a table");
    }
    add(std::move(made), {training::Overrides(fields.rest())}, fields);
  }

  // Adds all combinations. `x` is the field on the x axis, or empty.
  void add_product(Fields& fields, const std::string& x) {
    varied_ = parse_vary(fields);
    if (!x.empty() && std::ranges::find(varied_, x, &Varied::path) == varied_.end()) {
      fields.fail(fmt::format("x is '{}', expected one of the varied fields", x));
    }
    add_products({}, {}, 0, fields, x);
  }

  [[nodiscard]] const std::vector<Case>& all() const { return cases_; }
  [[nodiscard]] const Change& changes(std::size_t index) const { return changes_[index]; }

 private:
  void add_products(const Case& begun, const Change& change, std::size_t next, const Fields& fields,
                    const std::string& x) {
    if (next == varied_.size()) return add(begun, change, fields);
    for (const VariedValue& value : varied_[next].values) {
      Case made = begun;
      Change more = change;
      more.push_back(value.change);
      extend(made.name, made.label, value);
      if (varied_[next].path != x) {
        extend(made.curve, made.curve_label, value);
      } else if (value.number) {
        made.x = *value.number;
      } else {
        fields.fail(fmt::format("x is '{}', expected a numeric field", x));
      }
      add_products(made, more, next + 1, fields, x);
    }
  }

  static void extend(std::string& name, std::string& label, const VariedValue& value) {
    label += (name.empty() ? "" : ", ") + value.label;
    name += (name.empty() ? "" : "-") + value.name;
  }

  void add(Case made, Change change, const Fields& fields) {
    if (!is_plain(made.name)) fields.fail(no_folder(made.name));
    if (std::ranges::find(cases_, made.name, &Case::name) != cases_.end()) {
      fields.fail(fmt::format("the name '{}' is used twice", made.name));
    }
    cases_.push_back(std::move(made));
    changes_.push_back(std::move(change));
  }

  std::vector<Varied> varied_;
  std::vector<Case> cases_;
  std::vector<Change> changes_;
};

std::vector<Claim> parse_measures(Fields& fields) {
  std::vector<Claim> measures;
  for (Fields& measure : fields.tables("measure")) {
    measures.push_back(parse_measure(measure));
    measure.finish();
  }
  if (measures.empty()) fields.fail("'measure' is missing");
  return measures;
}

StudyExperiment parse_experiment(Fields& fields, const std::string& study, const Cases& cases) {
  const Entry& entry =
      fields.need_as("name", [](const std::string& name) { return std::cref(find(name)); });
  StudyExperiment experiment{.name = entry.experiment.name, .measures = {}, .runs = {}};
  const auto steps = fields.need<std::int64_t>("steps");
  if (steps < 1) fields.fail(fmt::format("'steps' is {}, expected 1 or more", steps));
  experiment.measures = parse_measures(fields);
  fields.finish();
  for (std::size_t i = 0; i < cases.all().size(); ++i) {
    training::Experiment& run = experiment.runs.emplace_back(entry.experiment);
    run.variant = study;
    run.training.steps = steps;
    for (const training::Overrides& change : cases.changes(i)) change.apply(run);
    name_model(run, cases.all()[i].name);
  }
  return experiment;
}

}  // namespace

Study parse_study(std::string_view toml, std::string_view name, std::string_view origin) {
  Fields fields = parse_fields(toml, origin);
  Study study;
  study.name = name;
  study.title = fields.need<std::string>("title");
  study.question = fields.need<std::string>("question");
  study.draw = fields.need_as(
      "draw", [](std::string_view text) { return parse_name(kDraws, "draw", text); });
  if (study.draw == Draw::kMeasure) study.x = fields.need<std::string>("x");

  Cases cases;
  for (Fields& run : fields.tables("run")) cases.add_run(run);
  if (fields.has("vary")) {
    Fields vary = fields.table("vary");
    cases.add_product(vary, study.x);
  }
  std::vector<Fields> experiments = fields.tables("experiment");
  if (cases.all().empty()) fields.fail("found no [[run]] and no [vary]");
  if (experiments.empty()) fields.fail("found no [[experiment]]");
  fields.finish();
  for (Fields& experiment : experiments) {
    study.experiments.push_back(parse_experiment(experiment, study.name, cases));
  }
  study.cases = cases.all();
  return study;
}

}  // namespace rwa::paper
