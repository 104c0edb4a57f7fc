#include "paper/results.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "io/folder.h"
#include "io/read_file.h"
#include "io/replace_file.h"
#include "paper/catalogue.h"
#include "paper/claims.h"
#include "paper/curves.h"
#include "paper/evidence.h"
#include "paper/gradients.h"
#include "paper/plan.h"
#include "paper/words.h"
#include "rwa/errors.h"
#include "tasks/task.h"
#include "training/metrics.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using Steps = std::set<std::int64_t>;

// The largest of 1, 2, 5, 10, 20, … that is at most `limit`, or 1.
std::int64_t round_number_within(std::int64_t limit) {
  std::int64_t found = 1;
  for (std::int64_t power = 1; power <= limit; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (factor * power <= limit) found = factor * power;
    }
  }
  return found;
}

bool is_on_grid(std::int64_t step, std::int64_t every) {
  const std::int64_t number = step / every;
  return step % every == 0 && number % round_number_within(number / 20) == 0;
}

// Keeps the first evaluation of every row of good ones and of every row of others, so that rows
// neither merge nor begin elsewhere.
void keep_way_to(const Goal& goal, const std::vector<Point>& points, Steps& kept) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool was_good = row > 0;
    row = goal.is_good(points[i]) ? row + 1 : 0;
    if (i == 0 || was_good != (row > 0)) kept.insert(points[i].step);
    if (row < goal.in_a_row) continue;
    for (std::size_t k = i + 1 - row; k <= i; ++k) kept.insert(points[k].step);
    return;
  }
}

Steps steps_to_keep(const training::Experiment& experiment, const std::vector<Point>& points) {
  Steps kept;
  for (const Point& point : points) {
    if (is_on_grid(point.step, experiment.evaluation.every)) kept.insert(point.step);
  }
  if (!points.empty()) kept.insert(points.back().step);
  const Beats& beats = find(experiment.name).beats;
  const datasets::Naive naive = tasks::facts(experiment.task).naive;
  keep_way_to(goal_of(beats, naive), points, kept);
  for (const Claim* claim : claims_on(experiment.name)) {
    if (is_a_step(claim->measure)) keep_way_to(goal_of(*claim, beats, naive), points, kept);
  }
  return kept;
}

}  // namespace

std::vector<training::Metric> thin(const training::Record& run) {
  const Steps kept = steps_to_keep(run.experiment, curve_of(run).points);
  std::vector<training::Metric> metrics;
  for (const training::Metric& metric : run.metrics) {
    if (metric.split == "final" || (metric.split == "test" && kept.contains(metric.step))) {
      metrics.push_back(metric);
    }
  }
  return metrics;
}

namespace {

struct KeptFile {
  fs::path path;
  std::string text;
};

void require_same(const Known& whole, const Known& kept, std::string_view what,
                  const fs::path& folder) {
  if (whole == kept) return;
  throw InputError(
      fmt::format("{}: '{}' is between {} and {} for all evaluations and between {} and {} for the "
                  "kept ones, expected the same",
                  folder.string(), what, whole.low, whole.high, kept.low, kept.high));
}

void refuse_folder_of_a_run(const fs::path& folder) {
  if (!fs::exists(folder / training::kMetricsFile)) return;
  throw ConfigError(
      fmt::format("{}: holds a whole run ({}): use another folder for the results (--out)",
                  folder.string(), training::kMetricsFile));
}

std::vector<KeptFile> files_of(const training::Record& run,
                               const std::vector<training::Metric>& metrics, const fs::path& out) {
  const fs::path folder = folder_of(run.experiment, out);
  refuse_folder_of_a_run(folder);
  const fs::path csv = folder / training::kKeptMetricsFile;
  std::string text = training::format_metrics_csv(metrics);
  require_same_answers(run, training::parse_metrics_csv(text, csv));
  std::vector<KeptFile> files = {{csv, std::move(text)}};
  for (const std::string_view name : {training::kConfigFile, training::kRunFile, kGradientsFile}) {
    if (name == kGradientsFile && !fs::exists(run.folder / name)) continue;
    files.push_back({folder / name, io::read_text(run.folder / name)});
  }
  return files;
}

// 0 for results that cannot be read.
std::int64_t steps_of_results(const fs::path& folder) try {
  return fs::exists(folder / training::kKeptMetricsFile) ? training::read_run(folder).steps : 0;
} catch (const Error&) {
  return 0;
}

// Empty if the run is kept. A short run does not replace the results of a longer one.
std::string why_left_out(const training::Record& run, const fs::path& out) {
  if (!fs::exists(run.folder / training::kRunFile))
    return fmt::format("has no {}", training::kRunFile);
  if (curve_of(run).points.empty()) return "has no evaluation yet";
  const fs::path folder = folder_of(run.experiment, out);
  const std::int64_t steps = steps_of_results(folder);
  if (steps <= run.steps) return "";
  return fmt::format("has {}, {} has {}: remove the latter or use another --out",
                     report::counted(run.steps, "step"), folder.string(),
                     report::in_thousands(steps));
}

std::size_t bytes_of(const std::vector<KeptFile>& files) {
  std::size_t bytes = 0;
  for (const KeptFile& file : files) bytes += file.text.size();
  return bytes;
}

std::vector<report::TableCell> row_of(const training::Record& run, std::size_t kept,
                                      std::size_t bytes) {
  std::string steps = in_thousands(static_cast<double>(run.steps));
  if (run.status != training::Status::kFinished) {
    steps += " of " + in_thousands(static_cast<double>(run.experiment.training.steps));
  }
  const auto in_words = [](std::size_t count) { return in_thousands(static_cast<double>(count)); };
  return {{folder_of(run.experiment, "").string()},
          {std::string(to_string(run.status))},
          {std::move(steps)},
          {fmt::format("{} of {}", in_words(kept), in_words(run.metrics.size()))},
          {in_words(bytes)}};
}

void write(const std::vector<KeptFile>& files) {
  for (const KeptFile& file : files) {
    io::create_folders(file.path.parent_path());
    io::replace_text(file.path, file.text);
  }
}

}  // namespace

void require_same_answers(const training::Record& run, const std::vector<training::Metric>& kept) {
  training::Record thinned = run;
  thinned.metrics = kept;
  const Evidence whole = evidence_of(run);
  const Evidence part = evidence_of(thinned);
  const Beats& beats = find(run.experiment.name).beats;
  require_same(beaten(beats, whole), beaten(beats, part), "beats the baseline", run.folder);
  for (const Claim* claim : claims_on(run.experiment.name)) {
    require_same(measure(*claim, beats, whole), measure(*claim, beats, part), claim->text,
                 run.folder);
  }
}

Results write_results(const std::vector<training::Record>& runs, const fs::path& out) try {
  Sorted sorted = sort_runs(runs);
  Results results{.written = {.header = {"run", "status", "steps", "lines", "bytes"}, .rows = {}},
                  .left_out = std::move(sorted.left_out)};
  std::vector<std::vector<KeptFile>> files;
  for (const auto& [key, of_key] : sorted.runs) {
    for (const training::Record* run : of_key) {
      if (const std::string reason = why_left_out(*run, out); !reason.empty()) {
        results.left_out.push_back(fmt::format("{} ({})", run->folder.string(), reason));
        continue;
      }
      const std::vector<training::Metric> metrics = thin(*run);
      files.push_back(files_of(*run, metrics, out));
      const std::size_t bytes = bytes_of(files.back());
      results.written.rows.push_back(row_of(*run, metrics.size(), bytes));
      results.bytes += bytes;
    }
  }
  for (const auto& of_run : files) write(of_run);
  return results;
} catch (const fs::filesystem_error& error) {
  throw io::refusal(error);
}

}  // namespace rwa::paper
