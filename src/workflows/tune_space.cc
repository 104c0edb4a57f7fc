#include "workflows/tune_space.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/random.h"
#include "cells/traits.h"
#include "report/text.h"
#include "rwa/cells.h"
#include "workflows/defaults.h"

namespace rwa::workflows {
namespace {

constexpr int kTurns = 8;  // of how the steps of drawn candidates are presented
constexpr int kTurnOfScale = 4;
constexpr Placement kNoPlace = {.positions = 0, .shift = 0.1};

// The random choices of one candidate; each takes the next number of its stream.
class Dice {
 public:
  Dice(std::uint64_t seed, int number)
      : random_(seed, Purpose::kTune, static_cast<std::uint32_t>(number)) {}

  template <class Values>
  typename Values::value_type one_of(const Values& values) {
    return values[random_.below(next_++, values.size())];
  }
  // Log-uniform, rounded to two digits for readability.
  double between(double low, double high) {
    const double value = low * std::pow(high / low, random_.uniform(next_++));
    return std::stod(fmt::format("{:.1e}", value));
  }
  bool one_in(int count) { return random_.below(next_++, static_cast<unsigned>(count)) == 0; }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

// Settings by path; those that are given are left out.
class Drawn {
 public:
  explicit Drawn(const training::Overrides& given) : given_(given) {}

  [[nodiscard]] bool may_set(std::string_view path) const { return !given_.has(path); }
  void set(std::string_view path, int value) { put(path, std::int64_t{value}); }
  void set(std::string_view path, double value) { put(path, value); }
  void set(std::string_view path, bool value) { put(path, value); }
  void set(std::string_view path, std::string text) { put(path, std::move(text)); }
  void set(std::string_view path, const char* text) { put(path, std::string(text)); }

  [[nodiscard]] training::Overrides overrides() const {
    io::Value::Table all;
    for (const auto& [name, table] : tables_) all.push_back({name, {table}});
    return training::Overrides(std::move(all));
  }

 private:
  void put(std::string_view path, io::Value::Content content) {
    if (!may_set(path)) return;
    const std::size_t dot = path.find('.');
    auto& table = tables_[std::string(path.substr(0, dot))];
    const std::string name(path.substr(dot + 1));
    std::erase_if(table, [&](const io::Field& field) { return field.name == name; });
    table.push_back({name, {std::move(content)}});
  }

  const training::Overrides& given_;
  std::map<std::string, io::Value::Table> tables_;
};

// What a search starts from.
struct Start {
  const training::Overrides& given;
  const training::Experiment& defaults;
  const datasets::Files& files;

  [[nodiscard]] bool has_one_target() const { return files.shape().readout == Readout::kLast; }
  [[nodiscard]] bool has_places() const {
    return !files.encoding().schema.symbols && training::files_task(defaults).positions > 0;
  }
  [[nodiscard]] bool has_stem() const {
    return !training::parse_stem(defaults.network.stem).empty();
  }
  // Forecasts have neither context nor positions.
  [[nodiscard]] bool may_be_widened() const { return !files.encoding().forecast.is_needed(); }
  // Whether sequences may be scaled by themselves.
  [[nodiscard]] bool is_of_sequences() const {
    const formats::Schema& schema = files.encoding().schema;
    return datasets::why_no_own_scale(schema).empty() && !is_per_step(schema.target);
  }
  // Truncated sequences cannot be averaged or read backwards.
  [[nodiscard]] bool is_read_as_a_whole() const {
    return has_one_target() && defaults.training.truncate == 0;
  }
};

void read_more(const Start& start, Drawn& drawn) {
  drawn.set("training.batch", 2 * start.defaults.training.batch);
  if (start.is_read_as_a_whole()) drawn.set("network.bidirectional", true);
}

void place(const Start& start, const Placement& placement, Drawn& drawn) {
  if (!start.has_places()) return;
  drawn.set("task.positions", placement.positions);
  drawn.set("training.shift", placement.shift);
}

template <Alignment alignment>
void place_as(const Start& start, Drawn& drawn) {
  place(start, placement_of(alignment), drawn);
}

void forget_places(const Start& start, Drawn& drawn) { place(start, kNoPlace, drawn); }

void scale_otherwise(const Start& start, Drawn& drawn) {
  if (!start.is_of_sequences()) return;
  const bool is_own = start.files.encoding().scale == datasets::Scale::kSequence;
  drawn.set("task.scale", is_own ? "data" : "sequence");
}

void see_less(const Start& start, Drawn& drawn) {
  if (start.has_stem() && drawn.may_set("task.context")) drawn.set("network.stem", "9,5");
}

void forget_steps(const Start& /*start*/, Drawn& drawn) { drawn.set("network.cell", "rwa-forget"); }

// The candidates that are tried first: single changes of the defaults that may help on some data.
// What changes nothing is left out.
std::vector<training::Overrides> single_changes(const Start& start) {
  using Change = void (*)(const Start&, Drawn&);
  constexpr std::array<Change, 8> kChanges = {read_more,
                                              place_as<Alignment::kLoose>,
                                              place_as<Alignment::kUnclear>,
                                              scale_otherwise,
                                              place_as<Alignment::kExact>,
                                              see_less,
                                              forget_places,
                                              forget_steps};
  std::vector<training::Overrides> changes;
  for (const Change change : kChanges) {
    Drawn drawn(start.given);
    change(start, drawn);
    training::Experiment changed = start.defaults;
    drawn.overrides().apply(changed);
    if (changed != start.defaults) changes.push_back(drawn.overrides());
  }
  return changes;
}

// Changes that helped in cross-validation on many sets are drawn more often than those that helped
// on few.
class Space {
 public:
  Space(const Start& start, int number)
      : start_(start),
        defaults_(start.defaults),
        number_(number),
        dice_(start.defaults.seed, number),
        drawn_(start.given) {}

  training::Overrides draw() {
    if (start_.files.encoding().schema.symbols) {
      draw_embedding();
    } else {
      draw_inputs();
    }
    draw_network();
    draw_training();
    return drawn_.overrides();
  }

 private:
  void draw_inputs();
  void draw_width();
  void draw_embedding();
  void draw_network();
  void draw_training();

  const Start& start_;
  const training::Experiment& defaults_;
  int number_;
  Dice dice_;
  Drawn drawn_;
};

// What a step shows of its past matters most, so candidates take turns.
void Space::draw_width() {
  if (!drawn_.may_set("network.stem") || !drawn_.may_set("task.context")) return;
  const std::string chosen = defaults_.network.stem.empty() ? "none" : defaults_.network.stem;
  const std::string other = chosen == "15" ? std::string(kUsualStem) : "15";
  const std::array<std::string, kTurns> turns = {"none", chosen, "15,9,5", "9",
                                                 chosen, other,  "",       chosen};
  const std::string& stem = turns[static_cast<std::size_t>(number_) % turns.size()];
  drawn_.set("network.stem", stem.empty() ? "none" : stem);
  if (stem.empty() && start_.may_be_widened())
    drawn_.set("task.context", dice_.one_of(std::array{5, 15}));
}

void Space::draw_inputs() {
  draw_width();
  if (dice_.one_in(3)) {
    drawn_.set("training.noise", dice_.one_of(std::array{0.0, 0.1, 0.4}));
  }
  if (!start_.has_one_target()) return;
  if (start_.has_places()) {
    const Placement placement =
        dice_.one_of(std::array{placement_of(Alignment::kExact), placement_of(Alignment::kUnclear),
                                placement_of(Alignment::kLoose), kNoPlace});
    place(start_, placement, drawn_);
  } else if (dice_.one_in(6) && start_.may_be_widened()) {
    drawn_.set("task.positions", kUsualPositions);
  }
  if (number_ % kTurns == kTurnOfScale) scale_otherwise(start_, drawn_);
}

// Symbols with a context or positions are numbers, which have no embedding: half of the candidates
// do without. A stem of symbols needs one.
void Space::draw_embedding() {
  if (start_.files.shape().input != Input::kSymbols) {
    const bool may_narrow = drawn_.may_set("task.context") && drawn_.may_set("task.positions");
    if (!may_narrow || !dice_.one_in(2)) return;
    drawn_.set("task.context", 1);
    drawn_.set("task.positions", 0);
  }
  const int size = dice_.one_of(std::array{0, 16, 32});
  if (size > 0 || !start_.has_stem()) drawn_.set("network.embedding", size);
}

void Space::draw_network() {
  const training::Network& usual = defaults_.network;
  if (dice_.one_in(6)) drawn_.set("network.cell", dice_.one_of(tuned_cells()));
  if (dice_.one_in(3)) {
    drawn_.set("network.units", dice_.one_of(std::array{usual.units / 2, usual.units * 2}));
  }
  const bool has_two = dice_.one_in(6) && drawn_.may_set("network.layers");
  if (has_two) drawn_.set("network.layers", 2);
  if (has_two || usual.layers > 1) {  // dropout acts between layers
    drawn_.set("network.dropout", dice_.one_of(std::array{0.0, 0.2, 0.5}));
  }
  if (!start_.is_read_as_a_whole()) return;
  if (dice_.one_in(3)) {
    drawn_.set("network.readout", dice_.one_of(std::array{"mean", "attention"}));
  }
  if (dice_.one_in(2)) drawn_.set("network.bidirectional", !usual.bidirectional);
}

void Space::draw_training() {
  const training::Training& usual = defaults_.training;
  if (dice_.one_in(2)) {
    drawn_.set("training.learning_rate",
               dice_.between(usual.learning_rate / 4, usual.learning_rate * 2));
  }
  if (dice_.one_in(2)) drawn_.set("training.batch", usual.batch * 2);
}

// A setting in words; the usual ones go without saying.
struct Part {
  std::string words;
  bool is_usual = false;
};

// "16 positions", or "no positions".
Part count_of(int count, const char* noun) {
  if (count == 0) return {fmt::format("no {}s", noun), true};
  return {report::counted(count, noun)};
}

// "noise 0.2", or "no noise".
template <class Value>
Part named(const char* name, Value value, Value none = {}) {
  if (value == none) return {fmt::format("no {}", name), true};
  return {fmt::format("{} {}", name, value)};
}

Part stem_of(const training::Network& network) {
  if (training::parse_stem(network.stem).empty()) return {"no stem", true};
  return {fmt::format("stem {} of {}", network.stem, report::counted(network.channels, "channel"))};
}

// The same parts in the same order for every experiment of files.
std::vector<Part> parts_of(const training::Experiment& experiment) {
  const training::Network& network = experiment.network;
  const training::Training& training = experiment.training;
  const auto* files = std::get_if<datasets::FilesTask>(&experiment.task);
  const datasets::FilesTask task = files == nullptr ? datasets::FilesTask{} : *files;
  const bool is_own = task.scale == to_string(datasets::Scale::kSequence);
  return {
      {std::string(to_string(network.cell))},
      {report::counted(network.units, "unit")},
      {report::counted(network.layers, "layer"), network.layers == 1},
      {network.bidirectional ? "bidirectional" : "one direction", !network.bidirectional},
      named("embedding", network.embedding),
      stem_of(network),
      named("context", task.context, 1),
      count_of(task.positions, "position"),
      {is_own ? "scaled by sequence" : "scaled by the data", !is_own},
      named("noise", training.noise),
      named("shift", training.shift),
      {fmt::format("{} readout", to_string(network.readout)), network.readout == Readout::kLast},
      named("dropout", network.dropout),
      {fmt::format("learning rate {}", training.learning_rate)},
      {fmt::format("batch {}", training.batch)}};
}

}  // namespace

std::vector<std::string> tuned_cells() {
  std::vector<std::string> names;
  for (const Cell cell : all_cells()) {
    if (cell_traits(cell).tuned) names.emplace_back(to_string(cell));
  }
  return names;
}

training::Overrides candidate_settings(const training::Overrides& given,
                                       const training::Experiment& defaults,
                                       const datasets::Files& files, int number) {
  if (number == 0) return {};
  const Start start = {.given = given, .defaults = defaults, .files = files};
  const std::vector<training::Overrides> changes = single_changes(start);
  const auto place = static_cast<std::size_t>(number - 1);
  return place < changes.size() ? changes[place] : Space(start, number).draw();
}

std::string in_words(const training::Experiment& experiment) {
  std::vector<std::string> words;
  for (Part& part : parts_of(experiment)) {
    if (!part.is_usual) words.push_back(std::move(part.words));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string differences_in_words(const training::Experiment& experiment,
                                 const training::Experiment& defaults) {
  const std::vector<Part> usual = parts_of(defaults);
  std::vector<Part> parts = parts_of(experiment);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].words != usual[i].words) words.push_back(std::move(parts[i].words));
  }
  return words.empty() ? "the same" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace rwa::workflows
