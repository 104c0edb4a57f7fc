#include "training/run_file.h"

#include <ctime>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/read_file.h"
#include "io/replace_file.h"
#include "rwa/device.h"
#include "rwa/version.h"
#include "training/build.h"
#include "training/json_fields.h"

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

// At a time, of which this was one; 1 where nothing is said.
std::int64_t runs_on_gpu(const JsonFields& json) {
  constexpr std::string_view kPath = "/machine/runs_beside_each_other";
  return json.has(kPath) ? json.count(kPath) : 1;
}

// On a GPU, the threads and their instructions decide nothing.
std::string machine_in_words(const JsonFields& json) {
  const auto counted = [&json](std::string_view path, std::string_view what) {
    const std::int64_t count = json.count(path);
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string host =
      fmt::format("{}, {}", json.text("/machine/processor"), counted("/machine/cores", "core"));
  if (json.has("/machine/ranks")) host += ", " + counted("/machine/ranks", "rank");
  if (json.has("/machine/gpu")) {
    const std::int64_t runs = runs_on_gpu(json);
    return fmt::format("{}{}, {}", json.text("/machine/gpu"),
                       runs > 1 ? fmt::format(" ({} runs at a time)", runs) : "", host);
  }
  return fmt::format("{}, {}, {}", host, json.text("/machine/instruction_set"),
                     counted("/machine/threads", "thread"));
}

// One of the names that `parse` knows.
template <class Value>
Value parsed(const JsonFields& json, std::string_view path, Value (*parse)(std::string_view)) try {
  return parse(io::escape(json.text(path)));
} catch (const ConfigError& error) {
  json.fail("{}", error.what());
}

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
  json["steps_asked_for"] = experiment.training.steps;
  if (content.best_step) json["best_step"] = *content.best_step;
  json["train_seconds"] = content.train_seconds;
  json["host_wait_seconds"] = content.host_wait_seconds;
  json["evaluate_seconds"] = content.evaluate_seconds;
  json["parameters"] = content.parameters;
  if (content.final) json["final"] = final_scores(*content.final);
  io::replace_text(file, json.dump(2) + "\n");
}

RunSummary read_run_file(const std::filesystem::path& file) {
  const JsonFields json(io::read_text(file), file.string());
  if (const std::string format = json.text("/format"); format != kFormat) {
    json.fail("format is {}, expected {}", io::quote(format), io::quote(kFormat));
  }
  RunSummary summary;
  summary.status = parsed(json, "/status", parse_status);
  if (json.has("/ended_by")) summary.end = parsed(json, "/ended_by", parse_end);
  summary.steps = json.count("/steps");
  // Older ones have no other end than that of their steps.
  summary.steps_asked_for =
      json.has("/steps_asked_for") ? json.count("/steps_asked_for") : summary.steps;
  if (json.has("/best_step")) summary.best_step = json.count("/best_step");
  summary.train_seconds = json.number("/train_seconds");
  if (json.has("/evaluate_seconds")) summary.evaluate_seconds = json.number("/evaluate_seconds");
  summary.parameters = json.count("/parameters");
  summary.machine = machine_in_words(json);
  summary.had_machine_alone = runs_on_gpu(json) <= 1;
  return summary;
}

}  // namespace rwa::training
