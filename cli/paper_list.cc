// cli/paper_list.cc: `rwa paper list`: the paper's nine experiments with expected run times, the
// experiments beyond the paper, and the studies.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/measure.h"
#include "paper/catalogue.h"
#include "paper/study.h"
#include "paper/words.h"
#include "paper_command.h"
#include "report/table.h"
#include "report/text.h"
#include "rwa/device.h"
#include "say.h"
#include "training/metrics.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper list\n"
    "  rwa paper list --json | jq '.[] | select(.group == \"studies\").name'";

constexpr double kMeasuringSeconds = 0.5;  // per measurement

// The cost of a training step: a fixed part (GPU only), and a part per time step of its sequences.
struct Cost {
  double fixed = 0, per_length = 0;  // seconds
};

// Costs of both models on one device.
struct Costs {
  Cost rwa, lstm;
};

struct Times {
  double rwa = 0, lstm = 0;  // seconds
};

struct Line {
  const paper::Entry* entry;
  std::string lengths, baseline;
  Times cpu;
  std::optional<Times> gpu;
};

std::string lengths_of(const tasks::Facts& facts) {
  const datasets::Shape& shape = facts.shape;
  return shape.mean_length < shape.longest
             ? fmt::format("up to {}, mean {:.0f}", shape.longest, shape.mean_length)
             : fmt::format("{}", shape.longest);
}

std::string baseline_of(const tasks::Facts& facts) {
  return facts.naive.accuracy ? paper::in_percent(*facts.naive.accuracy, 0)
                              : fmt::format("{} {}", paper::in_digits(facts.naive.loss),
                                            training::unit_of(facts.shape.loss));
}

double seconds_of_step(Cell cell, const std::string& device, int length,
                       const training::Experiment& experiment) {
  const bench::Case what{.name = std::string(to_string(cell)),
                         .device = device,
                         .cell = cell,
                         .variant = "",
                         .mode = bench::Mode::kTrain,
                         .batch = experiment.training.batch,
                         .units = experiment.network.units,
                         .steps = length,
                         .threads = default_threads()};
  return bench::measure(what, kMeasuringSeconds).us_per_step * 1e-6 * length;
}

Cost cost_on_cpu(Cell cell, const training::Experiment& experiment) {
  constexpr int kLength = 20;
  return {.per_length = seconds_of_step(cell, "cpu", kLength, experiment) / kLength};
}

Cost cost_on_gpu(Cell cell, const training::Experiment& experiment) {
  constexpr int kShort = 20, kLong = 420;
  const double less = seconds_of_step(cell, "cuda", kShort, experiment);
  const double more = seconds_of_step(cell, "cuda", kLong, experiment);
  const double per_length = (more - less) / (kLong - kShort);
  return {.fixed = std::max(less - kShort * per_length, 0.0), .per_length = per_length};
}

// A CPU skips sequences that have ended, so it takes the mean length; a GPU takes the longest.
Times expected_times(const Costs& costs, const paper::Entry& entry, double length) {
  const auto steps = static_cast<double>(entry.experiment.training.steps);
  const auto time = [&](const Cost& c) { return steps * (c.fixed + c.per_length * length); };
  return {time(costs.rwa), time(costs.lstm)};
}

// Empty if this build or this machine has no GPU.
std::optional<std::string> name_of_gpu() {
  for (const DeviceInfo& device : devices()) {
    if (device.name == "cuda:0") return device.description;
  }
  return std::nullopt;
}

std::vector<Line> measured_lines(bool gpu) {
  std::vector<const paper::Entry*> entries;
  for (const paper::Entry& entry : paper::catalogue()) {
    if (paper::is_of_paper(entry)) entries.push_back(&entry);
  }
  // All nine have the same batch and units.
  const training::Experiment& first = entries.front()->experiment;
  const Costs on_cpu{cost_on_cpu(Cell::kRwa, first), cost_on_cpu(Cell::kLstm, first)};
  std::optional<Costs> on_gpu;
  if (gpu) on_gpu = {cost_on_gpu(Cell::kRwa, first), cost_on_gpu(Cell::kLstm, first)};
  std::vector<Line> lines;
  for (const paper::Entry* entry : entries) {
    const auto facts = tasks::facts(entry->experiment.task);
    Line line{entry,
              lengths_of(facts),
              baseline_of(facts),
              expected_times(on_cpu, *entry, facts.shape.mean_length),
              {}};
    if (on_gpu) line.gpu = expected_times(*on_gpu, *entry, facts.shape.longest);
    lines.push_back(std::move(line));
  }
  return lines;
}

nlohmann::ordered_json to_json(const Line& line) {
  const paper::Entry& entry = *line.entry;
  nlohmann::ordered_json object{{"name", entry.experiment.name},
                                {"group", "paper"},
                                {"title", entry.title},
                                {"summary", entry.summary},
                                {"figure", entry.figure},
                                {"lengths", line.lengths},
                                {"steps", entry.experiment.training.steps},
                                {"quick_steps", nullptr},
                                {"baseline", line.baseline},
                                {"rwa_seconds", line.cpu.rwa},
                                {"lstm_seconds", line.cpu.lstm},
                                {"rwa_gpu_seconds", nullptr},
                                {"lstm_gpu_seconds", nullptr}};
  if (entry.quick_steps) object["quick_steps"] = *entry.quick_steps;
  if (line.gpu) {
    object["rwa_gpu_seconds"] = line.gpu->rwa;
    object["lstm_gpu_seconds"] = line.gpu->lstm;
  }
  return object;
}

// An experiment beyond the paper, or a study.
struct Other {
  std::string_view group;
  std::string name, title, summary;
  std::vector<std::string> models;
  std::int64_t steps = 0;  // of all runs together
};

std::vector<Other> others() {
  std::vector<Other> all;
  for (const paper::Entry& entry : paper::catalogue()) {
    if (paper::is_of_paper(entry)) continue;
    Other& other =
        all.emplace_back(Other{"beyond", entry.experiment.name, entry.title, entry.summary, {}});
    for (const auto& model : entry.models) {
      other.models.push_back(model.name);
      other.steps += entry.experiment.training.steps;
    }
  }
  for (const paper::Study& study : paper::studies()) {
    Other& other = all.emplace_back(Other{"studies", study.name, study.title, study.question, {}});
    for (const auto& one : study.cases) other.models.push_back(one.name);
    for (const auto& experiment : study.experiments) {
      for (const auto& run : experiment.runs) other.steps += run.training.steps;
    }
  }
  return all;
}

std::string to_json(const std::vector<Line>& lines) {
  auto list = nlohmann::ordered_json::array();
  for (const Line& line : lines) list.push_back(to_json(line));
  for (const Other& other : others()) {
    list.push_back({{"name", other.name},
                    {"group", other.group},
                    {"title", other.title},
                    {"summary", other.summary},
                    {"models", other.models},
                    {"steps_of_all", other.steps}});
  }
  return list.dump(2) + "\n";
}

std::string to_text(std::string_view group) {
  report::Table table{.header = {"name", "models", "total steps", "about"}, .rows = {}};
  for (const Other& other : others()) {
    if (other.group != group) continue;
    table.rows.push_back({{other.name},
                          {count(static_cast<std::int64_t>(other.models.size()))},
                          {count(other.steps)},
                          {other.title}});
  }
  return report::to_text(table);
}

std::string to_text(const std::vector<Line>& lines) {
  report::Table table{.header = {"name", "lengths", "steps", "baseline", "RWA (CPU)", "LSTM (CPU)",
                                 "RWA, LSTM (GPU)"},
                      .rows = {}};
  for (const auto& [entry, lengths, baseline, cpu, gpu] : lines) {
    table.rows.push_back(
        {{entry->experiment.name},
         {lengths},
         {count(entry->experiment.training.steps)},
         {baseline},
         {duration(cpu.rwa)},
         {duration(cpu.lstm)},
         {gpu ? fmt::format("{}, {}", duration(gpu->rwa), duration(gpu->lstm)) : "-"}});
  }
  return report::to_text(table);
}

void list(bool json) {
  const auto gpu = name_of_gpu();
  const auto lines = measured_lines(gpu.has_value());
  if (json) {
    fmt::print("{}", to_json(lines));
    return;
  }
  fmt::print(
      "Experiments of the paper:\n{}\n"
      "Times are estimates from a short measurement on {} of this machine.\n"
      "GPU: {}.\n",
      to_text(lines), report::counted(default_threads(), "thread"),
      gpu ? fmt::format("{}, one run at a time", *gpu) : "none that this build can use");
  fmt::print("\nExperiments beyond the paper:\n{}\nStudies:\n{}", to_text("beyond"),
             to_text("studies"));
}

}  // namespace

void add_paper_list(const Command& paper) {
  auto json = std::make_shared<bool>(false);
  const auto command =
      paper.add_command("list", "List experiments and studies, with expected run times");
  command.add_flag("--json", *json, "Print JSON");
  command.set_footer(kExample);
  command.set_action([json] { list(*json); });
}

}  // namespace rwa::cli
