// src/run/experiment.cc: experiments as text, and compared; experiment_toml.cc reads them.
#include "run/experiment.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "run/experiment_fields.h"
#include "run/toml_text.h"
#include "rwa/errors.h"

namespace rwa::run {
namespace {

// Lists every field with its value as TOML has it.
class Lister {
 public:
  struct Field {
    std::string table;  // empty: none
    std::string name;
    std::string value;

    [[nodiscard]] std::string path() const { return table.empty() ? name : table + "." + name; }
  };

  void operator()(std::string_view name, const std::string& value) { add(name, toml_text(value)); }
  void operator()(std::string_view name, bool value) { add(name, value ? "true" : "false"); }
  void operator()(std::string_view name, double value) { add(name, toml_number(value)); }
  void operator()(std::string_view name, Enumeration auto value) {
    add(name, toml_text(to_string(value)));
  }
  void operator()(std::string_view name, Whole auto value, int /*least*/) {
    if (!std::in_range<std::int64_t>(value)) {
      throw ConfigError(fmt::format("{} is {}, expected at most {}", name, value,
                                    std::numeric_limits<std::int64_t>::max()));
    }
    add(name, fmt::format("{}", value));
  }

  template <class Part>
  void table(std::string_view name, Part& part) {
    table_ = name;
    describe(part, *this);
  }
  void table(std::string_view name, data::Task& task) {
    table_ = name;
    add("kind", toml_text(kKinds[task.index()]));
    std::visit([this](auto& alternative) { describe(alternative, *this); }, task);
  }

  static std::vector<Field> list(Experiment experiment) {
    Lister lister;
    describe(experiment, lister);
    return std::move(lister.fields_);
  }

 private:
  void add(std::string_view name, std::string value) {
    fields_.push_back({table_, std::string(name), std::move(value)});
  }

  std::string table_;
  std::vector<Field> fields_;
};

}  // namespace

std::string format_experiment(const Experiment& experiment) {
  std::string text;
  std::string table;
  for (const Lister::Field& field : Lister::list(experiment)) {
    if (field.table != table) text += fmt::format("\n[{}]\n", field.table);
    table = field.table;
    text += fmt::format("{} = {}\n", field.name, field.value);
  }
  return text;
}

std::vector<std::string> differences(const Experiment& there, const Experiment& here) {
  const auto ours = Lister::list(here);
  std::vector<std::string> lines;
  for (const Lister::Field& field : Lister::list(there)) {
    const auto same = std::ranges::find(ours, field.path(), &Lister::Field::path);
    // Tasks of two kinds differ in their kind; what only one of them has says nothing more.
    if (same == ours.end() || same->value == field.value) continue;
    lines.push_back(fmt::format("{}: {} there, {} here", field.path(), field.value, same->value));
  }
  return lines;
}

}  // namespace rwa::run
