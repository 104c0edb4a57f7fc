#include "run/folder.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "run/run_file.h"
#include "run/text_file.h"
#include "rwa/errors.h"

namespace rwa::run {
namespace {

namespace fs = std::filesystem;

std::vector<Metric> read_metrics(const fs::path& file) {
  const std::string text = read_text(file);
  std::vector<Metric> metrics;
  std::string_view rest = text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string origin = fmt::format("{}:{}", file.string(), metrics.size() + 1);
    metrics.push_back(parse_metric(rest.substr(0, end), origin));
    rest.remove_prefix(end + 1);
  }
  return metrics;
}

}  // namespace

Record read_run(const fs::path& folder) try {
  const fs::path config = folder / kConfigFile;
  Record record;
  record.folder = folder;
  record.experiment = parse_experiment(read_text(config), config.string());
  record.status = to_string(Status::kRunning);
  // A run that has only begun has neither of these.
  if (const fs::path file = folder / kMetricsFile; fs::exists(file)) {
    record.metrics = read_metrics(file);
  }
  if (const fs::path file = folder / kRunFile; fs::exists(file)) {
    RunSummary summary = read_run_file(file);
    record.status = std::move(summary.status);
    record.steps = summary.steps;
    record.train_seconds = summary.train_seconds;
    record.parameters = summary.parameters;
    record.machine = std::move(summary.machine);
  }
  return record;
} catch (const fs::filesystem_error& error) {
  throw ResourceError(error.what());
}

std::vector<fs::path> find_runs(const fs::path& root) try {
  if (!fs::is_directory(root)) {
    throw InputError(fmt::format("{}: expected a folder with runs, found {}", root.string(),
                                 fs::exists(root) ? "another kind of file" : "nothing"));
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
  throw ResourceError(error.what());
}

}  // namespace rwa::run
