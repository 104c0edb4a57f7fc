#include "training/experiment_toml.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "io/quote.h"
#include "rwa/errors.h"
#include "training/experiment_fields.h"
#include "training/toml_text.h"

namespace rwa::training {
namespace {

void parse(std::string_view name, Cell& value) { value = parse_cell(name); }
void parse(std::string_view name, Activation& value) { value = parse_activation(name); }
void parse(std::string_view name, Readout& value) { value = parse_readout(name); }
void parse(std::string_view name, Schedule& value) { value = parse_schedule(name); }
void parse(std::string_view name, tasks::Values& value) { value = tasks::parse_values(name); }
void parse(std::string_view name, tasks::AddingOrder& value) {
  value = tasks::parse_adding_order(name);
}

[[noreturn]] void fail(std::string_view origin, const toml::source_region& place,
                       const std::string& message) {
  throw ConfigError(
      fmt::format("{}:{}:{}: {}", origin, place.begin.line, place.begin.column, message));
}

// Sets the fields that one table of a file has, and then refuses what else is in it.
class Reader {
 public:
  Reader(const toml::table& table, std::string name, std::string_view origin)
      : table_(table), name_(std::move(name)), origin_(origin) {}

  void operator()(std::string_view name, std::string& value) {
    if (const toml::node* node = find(name)) value = text(name, *node);
  }
  void operator()(std::string_view name, std::vector<std::string>& values) {
    const toml::node* node = find(name);
    if (node == nullptr) return;
    if (!node->is_array()) fail_at(name, *node, "an array of texts in quotes");
    values.clear();
    for (const toml::node& element : *node->as_array()) {
      values.push_back(text(fmt::format("{}[{}]", name, values.size()), element));
    }
  }
  void operator()(std::string_view name, bool& value) {
    const toml::node* node = find(name);
    if (node == nullptr) return;
    if (!node->is_boolean()) fail_at(name, *node, "true or false");
    value = node->as_boolean()->get();
  }
  void operator()(std::string_view name, double& value) {
    const toml::node* node = find(name);
    if (node == nullptr) return;
    const std::optional<double> found = node->value<double>();
    if (!node->is_number() || !found || !std::isfinite(*found)) {
      fail_at(name, *node, "a finite number");
    }
    value = *found;
  }
  template <Enumeration Enum>
  void operator()(std::string_view name, Enum& value) {
    const toml::node* node = find(name);
    if (node == nullptr) return;
    const std::string choice = io::escape(text(name, *node));  // it goes into the message
    try {
      parse(choice, value);
    } catch (const ConfigError& error) {
      fail(origin_, node->source(), error.what());
    }
  }
  template <Whole Number>
  void operator()(std::string_view name, Number& value, int least) {
    const toml::node* node = find(name);
    if (node == nullptr) return;
    const toml::value<std::int64_t>* found = node->as_integer();
    if (found == nullptr || found->get() < least || !std::in_range<Number>(found->get())) {
      const auto most = std::min<std::uint64_t>(std::numeric_limits<Number>::max(),
                                                std::numeric_limits<std::int64_t>::max());
      fail_at(name, *node, fmt::format("a whole number from {} to {}", least, most));
    }
    value = static_cast<Number>(found->get());
  }

  template <class Part>
  void table(std::string_view name, Part& part) {
    const toml::node* node = find(name);
    if (node == nullptr) return;
    if (!node->is_table()) fail_at(name, *node, fmt::format("a table, [{}]", name));
    Reader reader(*node->as_table(), std::string(name), origin_);
    reader.read(part);
  }

  template <class Part>
  void read(Part& part) {
    describe(part, *this);
    refuse_others();
  }
  // The kind decides what the other fields are. Without one they belong to the task as it is.
  void read(tasks::Task& task) {
    if (const toml::node* node = find("kind")) set_kind(*node, task);
    std::visit([this](auto& alternative) { describe(alternative, *this); }, task);
    refuse_others();
  }

  void require(std::string_view name) const {
    if (table_.contains(name)) return;
    const std::string where = name_.empty() ? "" : fmt::format(" in [{}]", name_);
    throw ConfigError(fmt::format("{}: the key '{}' is missing{}", origin_, name, where));
  }

 private:
  const toml::node* find(std::string_view name) {
    known_.emplace_back(name);
    return table_.get(name);
  }

  std::string text(std::string_view name, const toml::node& node) const {
    if (!node.is_string()) fail_at(name, node, "a text in quotes");
    return node.as_string()->get();
  }

  void set_kind(const toml::node& node, tasks::Task& task) const {
    const std::string kind = text("kind", node);
    const auto found = std::ranges::find(kKinds, kind);
    if (found == kKinds.end()) {
      const std::vector<std::string> kinds(kKinds.begin(), kKinds.end());
      fail(origin_, node.source(),
           fmt::format("unknown kind of task '{}'{}", io::escape(kind), suggestion(kind, kinds)));
    }
    const auto index = static_cast<std::size_t>(found - kKinds.begin());
    if (index != task.index()) task = default_task(index);
  }

  template <std::size_t I = 0>
  static tasks::Task default_task(std::size_t index) {
    if constexpr (I + 1 < std::variant_size_v<tasks::Task>) {
      if (index != I) return default_task<I + 1>(index);
    }
    return tasks::Task(std::in_place_index<I>);
  }

  void refuse_others() const {
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(known_, key.str()) != known_.end()) continue;
      const std::string where = name_.empty() ? "" : fmt::format(" in [{}]", name_);
      fail(origin_, key.source(),
           fmt::format("unknown key '{}'{}{}", io::escape(key.str()), where,
                       suggestion(key.str(), known_)));
    }
  }

  [[noreturn]] void fail_at(std::string_view name, const toml::node& node,
                            const std::string& expected) const {
    fail(origin_, node.source(), fmt::format("{} is {}, expected {}", name, found(node), expected));
  }

  // What stands there, as short as a message can bear.
  static std::string found(const toml::node& node) {
    if (node.is_table()) return "a table";
    if (node.is_array()) return "an array";
    if (node.is_string()) return io::quote(node.as_string()->get());
    if (node.is_integer()) return fmt::format("{}", node.as_integer()->get());
    if (node.is_floating_point()) return toml_number(node.as_floating_point()->get());
    if (node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
    return "a date or time";
  }

  const toml::table& table_;
  std::string name_;
  std::string_view origin_;
  std::vector<std::string> known_;
};

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view origin) try {
  return toml::parse(text);
} catch (const toml::parse_error& error) {
  // Names out of the file stand in it; its length has a limit of its own.
  const std::string reason = fmt::format("{:?}", error.description());
  fail(origin, error.source(), "not TOML: " + reason.substr(1, reason.size() - 2));
}

void change_experiment(const toml::table& table, std::string_view origin, Experiment& experiment) {
  Reader(table, "", origin).read(experiment);
  if (experiment.model == to_string(experiment.network.cell)) experiment.model.clear();
}

Experiment read_experiment(const toml::table& table, std::string_view origin) {
  // Without a kind the other keys would be held against those of some task.
  if (const auto* task = table.get_as<toml::table>("task")) {
    Reader(*task, "task", origin).require("kind");
  }
  Experiment experiment;
  change_experiment(table, origin, experiment);
  Reader(table, "", origin).require("name");
  Reader(table, "", origin).require("task");
  return experiment;
}

Experiment parse_experiment(std::string_view toml, std::string_view origin) {
  return read_experiment(parse_toml(toml, origin), origin);
}

}  // namespace rwa::training
