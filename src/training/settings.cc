#include "training/settings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/nearest.h"
#include "io/fields.h"
#include "io/quote.h"
#include "io/toml.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

using Kind = SettingInfo::Kind;

constexpr Names<Group, 6> kGroups{{{Group::kRun, "Run"},
                                   {Group::kData, "Data"},
                                   {Group::kReading, "Reading files (guessed by default)"},
                                   {Group::kPreparation, "Preparing sequences"},
                                   {Group::kNetwork, "Network"},
                                   {Group::kTraining, "Training"}}};

class Lister {
 public:
  void group(Group group) { group_ = group; }
  void operator()(const Setting& setting, const std::string& value) {
    add(setting, Kind::kText, {value});
    if (setting.choices != nullptr) fields_.back().choices = setting.choices();
  }
  void operator()(const Setting& setting, const std::vector<std::string>& values) {
    io::Value::Array array;
    for (const std::string& value : values) array.push_back({value});
    add(setting, Kind::kTexts, {std::move(array)});
  }
  void operator()(const Setting& setting, bool value) { add(setting, Kind::kTruth, {value}); }
  void operator()(const Setting& setting, double value, const Real& range) {
    add(setting, Kind::kNumber, {value});
    fields_.back().range = in_words(range);
  }
  template <Enumeration Enum>
  void operator()(const Setting& setting, Enum value) {
    add(setting, Kind::kChoice, {std::string(to_string(value))});
    fields_.back().choices = all_names<Enum>();
  }
  template <Whole Number>
  void operator()(const Setting& setting, Number value, std::type_identity_t<Number> least,
                  std::type_identity_t<Number> most = std::numeric_limits<Number>::max()) {
    if (!std::in_range<std::int64_t>(value)) {
      throw ConfigError(fmt::format("{} is {}, expected at most {}", setting.name, value,
                                    std::numeric_limits<std::int64_t>::max()));
    }
    add(setting, Kind::kWhole, {static_cast<std::int64_t>(value)});
    fields_.back().range = in_words(io::Range<Number>{.least = least, .most = most});
  }

  template <class Table>
  void table(std::string_view name, Table& content) {
    table_ = name;
    describe(content, *this);
  }
  void table(std::string_view name, tasks::Task& task) {
    table_ = name;
    add("kind", Kind::kText, {std::string(kKinds[task.index()])});
    std::visit([this](auto& alternative) { describe(alternative, *this); }, task);
  }

  [[nodiscard]] std::vector<SettingInfo> take() { return std::move(fields_); }

 private:
  void add(const Setting& setting, Kind kind, io::Value value) {
    fields_.push_back({.table = table_,
                       .name = std::string(setting.name),
                       .help = std::string(setting.help),
                       .group = group_,
                       .kind = kind,
                       .choices = {},
                       .range = {},
                       .value = std::move(value),
                       .kept = setting.kept});
  }

  std::string table_;
  Group group_ = Group::kRun;
  std::vector<SettingInfo> fields_;
};

template <std::size_t I = 0>
tasks::Task default_task(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<tasks::Task>) {
    if (index != I) return default_task<I + 1>(index);
  }
  return tasks::Task(std::in_place_index<I>);
}

// Assigns the settings of one table and refuses unknown keys in it.
class Assigner {
 public:
  // The fields must outlive it.
  explicit Assigner(io::Fields& fields) : fields_(fields) {}

  void group(Group) {}
  template <class T>
  void operator()(const Setting& setting, T& value) {
    fields_(setting.name, value);
  }
  void operator()(const Setting& setting, std::string& value) {
    if (setting.is_valid != nullptr) {
      return fields_(setting.name, value, setting.is_valid, setting.expected);
    }
    fields_(setting.name, value);
    if (setting.choices == nullptr) return;
    // Experiments are compared as text, so that a choice has one spelling.
    for (const std::string& choice : setting.choices()) {
      if (is_name(value, choice)) value = choice;
    }
  }
  void operator()(const Setting& setting, double& value, const Real& range) {
    fields_(setting.name, value, range);
  }
  template <Whole Number>
  void operator()(const Setting& setting, Number& value, std::type_identity_t<Number> least,
                  std::type_identity_t<Number> most = std::numeric_limits<Number>::max()) {
    fields_(setting.name, value, {.least = least, .most = most});
  }

  template <class Table>
  void table(std::string_view name, Table& content) {
    if (!fields_.has(name)) return fields_.know(std::string(name));
    io::Fields inner = fields_.table(name);
    Assigner(inner).read(content);
  }
  template <class Table>
  void read(Table& content) {
    describe(content, *this);
    fields_.finish();
  }
  // The kind determines the other fields. Without it they belong to the current task.
  void read(tasks::Task& task) {
    std::string kind(kKinds[task.index()]);
    const io::Value::Table& given = fields_.rest();
    const auto field = std::ranges::find(given, "kind", &io::Field::name);
    const std::string place = field == given.end() ? "" : field->value.place;
    fields_("kind", kind);
    set_kind(kind, place, task);
    std::visit([this](auto& alternative) { describe(alternative, *this); }, task);
    fields_.finish();
  }

 private:
  static void set_kind(const std::string& kind, const std::string& place, tasks::Task& task) {
    const auto found = std::ranges::find(kKinds, kind);
    if (found == kKinds.end()) {
      const std::vector<std::string> kinds(kKinds.begin(), kKinds.end());
      throw ConfigError(fmt::format("{}: unknown kind of task '{}'{}", place, io::escape(kind),
                                    suggestion(kind, kinds)));
    }
    const auto index = static_cast<std::size_t>(found - kKinds.begin());
    if (index != task.index()) task = default_task(index);
  }

  io::Fields& fields_;
};

io::Fields fields_of(io::Value::Table tables, std::string_view origin) {
  return {std::move(tables), {.where = std::string(origin), .noun = "key"}};
}

// Splits "training.steps" into the table "training" and "steps".
std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

// For const and mutable tables; null if the name is not found.
template <class Table>
auto find(Table& table, std::string_view name) -> decltype(table.data()) {
  const auto found = std::ranges::find(table, name, &io::Field::name);
  return found == table.end() ? nullptr : &*found;
}

// Null if there is no such table.
template <class Table>
Table* table_named(Table& all, std::string_view name) {
  if (name.empty()) return &all;
  auto* field = find(all, name);
  return field == nullptr ? nullptr : std::get_if<io::Value::Table>(&field->value.content);
}

void put(io::Value::Table& table, io::Field field) {
  if (io::Field* there = find(table, field.name)) {
    *there = std::move(field);
  } else {
    table.push_back(std::move(field));
  }
}

bool is_typed(const io::Field& field) { return io::is_option(field.value.place); }

std::string place_and_name(const io::Field& field) {
  const std::string& place = field.value.place;
  if (is_typed(field)) return place;
  return place.empty() ? field.name : fmt::format("{}: {}", place, field.name);
}

// Epochs are another way to give the steps: the given one resets the other.
void settle_length(const io::Value::Table* training, Experiment& experiment) {
  if (training == nullptr) return;
  const io::Field* epochs = find(*training, "epochs");
  const io::Field* steps = find(*training, "steps");
  if (epochs != nullptr && steps != nullptr) {
    throw ConfigError(fmt::format("{} and {} are both given, expected one of them",
                                  place_and_name(*epochs),
                                  is_typed(*steps) ? steps->value.place : steps->name));
  }
  if (steps != nullptr) experiment.training.epochs = 0;
  if (epochs != nullptr) experiment.training.steps = 0;
}

}  // namespace

std::string_view to_string(Group group) { return name_of(kGroups, "group", group); }

std::vector<SettingInfo> list_settings(Experiment experiment) {
  Lister lister;
  experiment.model = model_name(experiment);
  describe(experiment, lister);
  return lister.take();
}

std::string default_text(const SettingInfo& setting) {
  if (const auto* text = setting.value.get<std::string>()) return *text;
  const std::string value = io::to_toml(setting.value);
  return value == "0" || value == "0.0" || value == "[]" ? "" : value;
}

bool is_offered(const SettingInfo& setting, Scope scope) {
  if (setting.help.empty()) return false;
  return scope == Scope::kFiles ||
         (setting.group != Group::kData && setting.group != Group::kReading);
}

Overrides::Overrides(io::Value::Table tables) : tables_(std::move(tables)) {}

Overrides Overrides::parse(std::string_view toml, std::string_view origin) {
  return Overrides(io::parse_toml(toml, origin));
}

void Overrides::take(io::Value::Table& given, Scope scope) {
  Experiment files;
  files.task = datasets::FilesTask{};
  for (const SettingInfo& setting : list_settings(files)) {
    io::Field* field = find(given, setting.name);
    if (field == nullptr || !is_offered(setting, scope)) continue;
    if (table_named(tables_, setting.table) == nullptr) {
      tables_.push_back({setting.table, {io::Value::Table{}}});
    }
    if (field->value.get<std::nullptr_t>() == nullptr) {
      put(*table_named(tables_, setting.table), *field);
      typed_.insert(setting.path());
    }
    given.erase(given.begin() + (field - given.data()));
  }
}

void Overrides::add(const Overrides& above) {
  typed_.insert(above.typed_.begin(), above.typed_.end());
  for (const io::Field& field : above.tables_) {
    const auto* theirs = field.value.get<io::Value::Table>();
    io::Value::Table* ours = theirs == nullptr ? nullptr : table_named(tables_, field.name);
    if (ours == nullptr) {
      put(tables_, field);
      continue;
    }
    // Epochs and steps set the same thing: the later one replaces the other.
    for (const io::Field& each : *theirs) {
      if (each.name == "epochs") remove(field.name + ".steps");
      if (each.name == "steps") remove(field.name + ".epochs");
      put(*ours, each);
    }
  }
}

const io::Value* Overrides::get(std::string_view path) const {
  const auto [table, name] = split_path(path);
  const io::Value::Table* found = table_named(tables_, table);
  const io::Field* field = found == nullptr ? nullptr : find(*found, name);
  return field == nullptr ? nullptr : &field->value;
}

std::string Overrides::name_of(std::string_view path) const {
  const auto [table, name] = split_path(path);
  return place_and_name(*find(*table_named(tables_, table), name));
}

const io::Value* Overrides::typed(std::string_view path) const {
  return typed_.contains(path) ? get(path) : nullptr;
}

void Overrides::remove(std::string_view path) {
  const auto place = split_path(path);
  io::Value::Table* found = table_named(tables_, place.first);
  if (found == nullptr) return;
  std::erase_if(*found, [&](const io::Field& field) { return field.name == place.second; });
}

void Overrides::apply(Experiment& experiment) const {
  io::Fields fields = fields_of(tables_, "");
  Assigner(fields).read(experiment);
  settle_length(table_named(tables_, "training"), experiment);
  if (experiment.model == to_string(experiment.network.cell)) experiment.model.clear();
}

void set_reading(io::Fields& fields, datasets::FilesTask& task) {
  Assigner assigner(fields);
  describe_reading(task, assigner);
}

Experiment read_experiment(io::Value::Table tables, std::string_view origin) {
  // Without a kind, the other keys would be checked against those of an arbitrary task.
  const io::Fields fields = fields_of(tables, origin);
  if (fields.has("task")) {
    io::Fields copy = fields;
    copy.table("task").require("kind");
  }
  Experiment experiment;
  Overrides(std::move(tables)).apply(experiment);
  fields.require("name");
  fields.require("task");
  return experiment;
}

Experiment parse_experiment(std::string_view toml, std::string_view origin) {
  return read_experiment(io::parse_toml(toml, origin), origin);
}

}  // namespace rwa::training
