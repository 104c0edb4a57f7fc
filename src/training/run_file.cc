#include "training/run_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <utility>

#include "base/counted.h"
#include "base/names.h"
#include "io/fields.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "io/replace_file.h"
#include "rwa/device.h"
#include "rwa/version.h"

namespace rwa::training {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "rwa-run";
constexpr int kVersion = 1;

Json machine(std::string_view device, const RunFile& run) {
  Json json = {{"processor", find_device("cpu").description},
               {"cores", std::thread::hardware_concurrency()},
               {"instruction_set", instruction_set()},
               {"threads", run.threads}};
  if (run.ranks > 1) json["ranks"] = run.ranks;
  if (device != "cpu") {
    json["gpu"] = find_device(device).description;
    json["runs_beside_each_other"] = run.share;
  }
  return json;
}

Json final_scores(const Metric& metric) {
  Json scores = {{"loss", metric.loss}, {"unit", metric.unit}};
  if (metric.accuracy) scores["accuracy"] = *metric.accuracy;
  return scores;
}

Json to_json(const std::vector<NamedScore>& scores) {
  Json json = Json::array();
  for (const auto& [name, value] : scores) json.push_back({{"name", name}, {"value", value}});
  return json;
}

std::vector<NamedScore> read_scores(io::Fields& json) {
  std::vector<NamedScore> scores;
  for (io::Fields& score : json.tables("scores")) {
    const auto name = score.need<std::string>("name");
    // JSON has no infinite numbers: they are null.
    if (const auto value = score.get<double>("value")) scores.push_back({name, *value});
  }
  return scores;
}

// Describes the machine. On a GPU, threads and instruction set do not matter.
std::string machine_in_words(io::Fields machine, std::int64_t runs_on_gpu) {
  std::string host = fmt::format("{}, {}", machine.need<std::string>("processor"),
                                 counted(machine.need<std::int64_t>("cores", 0), "core"));
  if (const auto ranks = machine.get<std::int64_t>("ranks")) host += ", " + counted(*ranks, "rank");
  if (const auto gpu = machine.get<std::string>("gpu")) {
    return fmt::format("{}{}, {}", *gpu,
                       runs_on_gpu > 1 ? fmt::format(" ({} runs at a time)", runs_on_gpu) : "",
                       host);
  }
  return fmt::format("{}, {}, {}", host, machine.need<std::string>("instruction_set"),
                     counted(machine.need<std::int64_t>("threads", 0), "thread"));
}

constexpr Names<Status, 4> kStatuses{{{Status::kRunning, "running"},
                                      {Status::kFinished, "finished"},
                                      {Status::kInterrupted, "interrupted"},
                                      {Status::kDiverged, "diverged"}}};
constexpr Names<End, 4> kEnds{{{End::kSteps, "steps"},
                               {End::kPatience, "patience"},
                               {End::kTime, "time"},
                               {End::kRequest, "stopped"}}};

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void write_run_file(const std::filesystem::path& file, const Experiment& experiment,
                    const RunFile& content) {
  Json json = {{"format", kFormat},
               {"format_version", kVersion},
               {"status", to_string(content.status)},
               {"experiment", experiment.name},
               {"variant", experiment.variant},
               {"model", model_name(experiment)},
               {"seed", experiment.seed},
               {"device", experiment.device},
               {"version", version()},
               {"commit", commit()},
               {"compiler", compiler()},
               {"machine", machine(experiment.device, content)},
               {"started", content.started}};
  if (content.status != Status::kRunning) json["ended"] = utc_now();
  if (content.end) json["ended_by"] = to_string(*content.end);
  json["steps"] = content.steps;
  json["steps_requested"] = experiment.training.steps;
  if (content.best_step) json["best_step"] = *content.best_step;
  if (content.interval_scale > 0) json["interval_scale"] = content.interval_scale;
  json["train_seconds"] = content.train_seconds;
  json["host_wait_seconds"] = content.host_wait_seconds;
  json["evaluate_seconds"] = content.evaluate_seconds;
  json["parameters"] = content.parameters;
  if (content.final) json["final"] = final_scores(*content.final);
  io::replace_text(file, json.dump(2) + "\n");
}

void add_scores(const std::filesystem::path& file, const RunScores& results) {
  Json json = Json::parse(io::read_text(file));
  json["scores"] = to_json(results.scores);
  json["baselines"] = Json::array();
  for (const auto& [name, final, scores] : results.baselines) {
    Json entry = {{"name", name}};
    entry.update(final_scores(final));
    entry["scores"] = to_json(scores);
    json["baselines"].push_back(std::move(entry));
  }
  json.erase("remark");
  if (!results.remark.empty()) json["remark"] = results.remark;
  io::replace_text(file, json.dump(2) + "\n");
}

RunSummary read_run_file(const std::filesystem::path& file) {
  io::Fields json(io::parse_json(io::read_text(file), file.string(), io::refuse_input),
                  {.where = file.string(), .refuse = io::refuse_input});
  if (const auto format = json.need<std::string>("format"); format != kFormat) {
    json.fail(fmt::format("format is {}, expected {}", io::quote(format), io::quote(kFormat)));
  }
  RunSummary summary;
  summary.status = json.need<Status>("status");
  summary.end = json.get<End>("ended_by").value_or(End::kSteps);
  summary.steps = json.need<std::int64_t>("steps", 0);
  // Files of version 0.1 have another name for it, the first ones none: they end by their steps.
  const auto old = json.get<std::int64_t>("steps_asked_for").value_or(summary.steps);
  summary.steps_requested = json.get<std::int64_t>("steps_requested").value_or(old);
  summary.best_step = json.get<std::int64_t>("best_step");
  summary.interval_scale = json.get<double>("interval_scale").value_or(0);
  summary.train_seconds = json.need<double>("train_seconds");
  summary.evaluate_seconds = json.get<double>("evaluate_seconds").value_or(0);
  summary.parameters = json.need<std::int64_t>("parameters", 0);
  json.require("machine");
  io::Fields machine = json.table("machine");
  const auto runs_on_gpu = machine.get<std::int64_t>("runs_beside_each_other").value_or(1);
  summary.machine = machine_in_words(std::move(machine), runs_on_gpu);
  summary.had_machine_alone = runs_on_gpu <= 1;
  summary.scores = read_scores(json);
  for (io::Fields& baseline : json.tables("baselines")) {
    BaselineScores& one = summary.baselines.emplace_back();
    one.name = baseline.need<std::string>("name");
    one.scores = read_scores(baseline);
  }
  return summary;
}

std::string_view to_string(Status status) { return name_of(kStatuses, "status", status); }
Status parse_status(std::string_view name) { return parse_name(kStatuses, "status", name); }
std::string_view to_string(End end) { return name_of(kEnds, "end", end); }
End parse_end(std::string_view name) { return parse_name(kEnds, "end", name); }

std::string_view commit() { return RWA_COMMIT; }

// GCC gives only its version, other compilers also their name.
std::string compiler() {
  const std::string version = __VERSION__;
  return version.front() >= '0' && version.front() <= '9' ? "GCC " + version : version;
}

}  // namespace rwa::training
