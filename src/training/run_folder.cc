#include "training/run_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/counted.h"
#include "io/folder.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/metrics.h"
#include "training/run_file.h"

namespace rwa::training {

namespace fs = std::filesystem;

void summarise(const RunSummary& summary, Record& record) {
  record.status = summary.status;
  record.end = summary.end;
  record.steps = summary.steps;
  record.best_step = summary.best_step;
  record.interval_scale = summary.interval_scale;
  record.train_seconds = summary.train_seconds;
  record.parameters = summary.parameters;
  record.machine = summary.machine;
  record.had_machine_alone = summary.had_machine_alone;
  record.scores = summary.scores;
  record.baselines = summary.baselines;
}

Record read_run(const fs::path& folder) try {
  const fs::path config = folder / kConfigFile;
  Record record;
  record.folder = folder;
  record.experiment = parse_experiment(io::read_text(config), config.string());
  // A run that has just begun has none of these.
  if (const fs::path file = folder / kMetricsFile; fs::exists(file)) {
    record.metrics = read_metrics(file);
  } else if (const fs::path kept = folder / kKeptMetricsFile; fs::exists(kept)) {
    record.metrics = parse_metrics_csv(io::read_whole(kept), kept);
  }
  if (const fs::path file = folder / kRunFile; fs::exists(file)) {
    summarise(read_run_file(file), record);
  }
  return record;
} catch (const fs::filesystem_error& error) {
  throw io::refusal(error);
}

const Metric* final_of(const Record& record) {
  const auto found = std::ranges::find(record.metrics, "final", &Metric::split);
  return found == record.metrics.end() ? nullptr : &*found;
}

namespace {

[[noreturn]] void refuse_unfinished(const fs::path& folder) {
  const Record run = read_run(folder);
  if (run.status == Status::kDiverged) {
    throw ConfigError(fmt::format("{}: has no model, because its training diverged at step {}",
                                  folder.string(), run.steps));
  }
  throw ConfigError(fmt::format(
      "{}: training is not finished (step {} of {}): run the same rwa train command to finish it",
      folder.string(), run.steps, run.experiment.training.steps));
}

}  // namespace

// A search of everything below a mistyped folder might not end.
std::vector<fs::path> find_parts(const fs::path& folder) {
  std::vector<fs::path> runs;
  std::error_code refused;  // then there are none
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, refused), end; at != end;
       at.increment(refused)) {
    if (at.depth() > 0) at.disable_recursion_pending();
    if (fs::exists(at->path() / kConfigFile, refused)) runs.push_back(at->path());
  }
  std::ranges::sort(runs);
  return runs;
}

bool is_file_of_run(const fs::path& path) {
  constexpr std::array kFiles = {kConfigFile, kMetricsFile, kKeptMetricsFile, kCheckpointFile,
                                 kModelFile,  kRunFile,     kReportFile};
  if (std::ranges::count(kFiles, path.filename().string()) == 0) return false;
  const auto is_beside = [&](std::string_view name) {
    std::error_code refused;
    return fs::exists(fs::path(path).replace_filename(name), refused);
  };
  // A config.toml alone may be anything's.
  if (is_beside(kConfigFile)) return is_beside(kRunFile) || is_beside(kMetricsFile);
  return is_beside(kModelFile) && !find_parts(fs::absolute(path).parent_path()).empty();
}

fs::path model_file(const fs::path& path) {
  std::error_code refused;  // ignored: reading the file reports the error
  if (!fs::is_directory(path, refused)) return path;
  fs::path file = path / kModelFile;
  if (fs::exists(file, refused)) return file;
  if (fs::exists(path / kConfigFile, refused)) refuse_unfinished(path);
  if (const auto runs = find_parts(path); !runs.empty()) {
    throw ConfigError(
        fmt::format("{}: is a folder with {} and no single model: use {}", path.string(),
                    counted(static_cast<std::int64_t>(runs.size()), "run"), runs.front().string()));
  }
  throw ConfigError(
      fmt::format("{}: is a folder without a {}, expected a model file or a run folder of rwa "
                  "train",
                  path.string(), kModelFile));
}

std::vector<fs::path> find_runs(const fs::path& root) try {
  if (!fs::is_directory(root)) {
    throw InputError(fmt::format("{}: found {}, expected a folder with runs", root.string(),
                                 fs::exists(root) ? "a file" : "nothing"));
  }
  std::vector<fs::path> folders;
  if (fs::exists(root / kConfigFile)) folders.push_back(root);
  const auto options = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(root, options)) {
    if (entry.is_directory() && fs::exists(entry.path() / kConfigFile)) {
      folders.push_back(entry.path());
    }
  }
  std::ranges::sort(folders);
  return folders;
} catch (const fs::filesystem_error& error) {
  throw io::refusal(error);
}

}  // namespace rwa::training
