// cli/paper_list.cc: `rwa paper list`: the nine, and how long they would take here.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/measure.h"
#include "paper/catalogue.h"
#include "paper/words.h"
#include "paper_command.h"
#include "report/table.h"
#include "run/metric.h"
#include "words.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper list\n"
    "  rwa paper list --json | jq '.[].name'";

// The time of a training step is proportional to the length of the sequences.
constexpr int kMeasuredLength = 20;
constexpr double kMeasuringSeconds = 0.5;

struct Line {
  const paper::Entry* entry;
  std::string lengths, baseline;
  double rwa_seconds, lstm_seconds;
};

std::string lengths_of(const data::Facts& facts) {
  const data::Shape& shape = facts.shape;
  return shape.mean_length < shape.longest
             ? fmt::format("up to {}, mean {:.0f}", shape.longest, shape.mean_length)
             : fmt::format("{}", shape.longest);
}

std::string baseline_of(const data::Facts& facts) {
  return facts.naive.accuracy ? paper::in_percent(*facts.naive.accuracy, 0)
                              : fmt::format("{} {}", paper::in_digits(facts.naive.loss),
                                            run::unit_of(facts.shape.loss));
}

double seconds_per_length(Cell cell, const run::Experiment& experiment) {
  const bench::Case what{.name = std::string(to_string(cell)),
                         .cell = cell,
                         .mode = bench::Mode::kTrain,
                         .batch = experiment.training.batch,
                         .units = experiment.network.units,
                         .steps = kMeasuredLength,
                         .threads = bench::default_threads()};
  return bench::measure(what, kMeasuringSeconds).us_per_step * 1e-6;
}

std::vector<Line> measured_lines() {
  const auto entries = paper::catalogue();
  // All nine have the batch and the units of the first.
  const double rwa = seconds_per_length(Cell::kRwa, entries.front().experiment);
  const double lstm = seconds_per_length(Cell::kLstm, entries.front().experiment);
  std::vector<Line> lines;
  for (const paper::Entry& entry : entries) {
    const auto facts = data::facts(entry.experiment.task);
    const double length =
        facts.shape.mean_length * static_cast<double>(entry.experiment.training.steps);
    lines.push_back({&entry, lengths_of(facts), baseline_of(facts), rwa * length, lstm * length});
  }
  return lines;
}

std::string to_json(const std::vector<Line>& lines) {
  auto list = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    const paper::Entry& entry = *line.entry;
    nlohmann::ordered_json object{
        {"name", entry.experiment.name},   {"title", entry.title},
        {"summary", entry.summary},        {"figure", entry.figure},
        {"lengths", line.lengths},         {"steps", entry.experiment.training.steps},
        {"quick_steps", nullptr},          {"baseline", line.baseline},
        {"rwa_seconds", line.rwa_seconds}, {"lstm_seconds", line.lstm_seconds},
        {"gpu_seconds", nullptr}};
    if (entry.quick_steps) object["quick_steps"] = *entry.quick_steps;
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

std::string to_text(const std::vector<Line>& lines) {
  report::Table table{
      .header = {"name", "lengths", "steps", "baseline", "RWA here", "LSTM here", "on a GPU"},
      .rows = {}};
  for (const auto& [entry, lengths, baseline, rwa, lstm] : lines) {
    table.rows.push_back({{entry->experiment.name},
                          {lengths},
                          {count(entry->experiment.training.steps)},
                          {baseline},
                          {duration(rwa)},
                          {duration(lstm)},
                          {"-"}});
  }
  return report::to_text(table);
}

void list(bool json) {
  const auto lines = measured_lines();
  if (json) {
    fmt::print("{}", to_json(lines));
    return;
  }
  fmt::print(
      "{}\n"
      "Times are expected ones, from a short measurement on {} threads of this machine.\n"
      "On a GPU: this build has no CUDA backend.\n",
      to_text(lines), bench::default_threads());
}

}  // namespace

void add_paper_list(CLI::App& paper) {
  auto json = std::make_shared<bool>(false);
  auto* command = paper.add_subcommand("list", "The nine experiments, and how long they take here");
  command->add_flag("--json", *json, "For a program to read");
  command->footer(kExample);
  command->callback([json] { list(*json); });
}

}  // namespace rwa::cli
