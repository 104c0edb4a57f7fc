#include "training/run_store.h"

#include <chrono>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/files_task.h"
#include "datasets/scale.h"
#include "io/folder.h"
#include "io/lock.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "io/replace_file.h"
#include "io/sha256.h"
#include "rwa/errors.h"
#include "training/metrics.h"
#include "training/run_file.h"
#include "training/run_folder.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;

// Throws ConfigError if a folder without a configuration is not empty.
void refuse_foreign(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) {
    throw ConfigError(
        fmt::format("{}: found a file, expected a folder for the run", folder.string()));
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (io::is_unfinished(entry.path())) continue;
    throw ConfigError(fmt::format(
        "{}: contains {} but no {}, so it is not a run folder: choose another or an empty folder",
        folder.string(), io::quote(entry.path().filename().string()), kConfigFile));
  }
}

// Kept results have a configuration but no state to resume from. A new run there would mix the two.
void refuse_kept_results(const fs::path& folder) {
  if (!fs::exists(folder / kKeptMetricsFile) || fs::exists(folder / kMetricsFile)) return;
  throw ConfigError(fmt::format(
      "{}: these are kept results, not a run: found {} and no {}; choose another folder for runs "
      "(--out)",
      folder.string(), kKeptMetricsFile, kMetricsFile));
}

// Ignores the number of steps if it does not affect the first steps. With a cosine schedule the
// learning rate of every step depends on it.
std::vector<std::string> differences_but_steps(Experiment there, const Experiment& here) {
  if (here.training.schedule != Schedule::kCosine) there.training.steps = here.training.steps;
  // Earlier versions, which did not record it, standardised over the data.
  const auto* files = std::get_if<datasets::FilesTask>(&here.task);
  auto* recorded = std::get_if<datasets::FilesTask>(&there.task);
  if (files != nullptr && recorded != nullptr && recorded->scale.empty() && !files->scale.empty()) {
    recorded->scale = to_string(datasets::Scale::kData);
  }
  return differences(there, here);
}

void refuse_another(const Experiment& there, const Experiment& here, const std::string& name) {
  const auto lines = differences_but_steps(there, here);
  if (lines.empty()) return;
  throw ConfigError(fmt::format(
      "{}: is the folder of another experiment:\n  {}\nchoose another folder (--out), or "
      "remove this one",
      name, fmt::join(lines, "\n  ")));
}

// Returns whether the run is finished for this experiment, which may differ only in its steps.
bool is_finished(const RunSummary& summary, const Experiment& experiment, bool configured,
                 const std::optional<double>& time_budget) {
  if (summary.status != Status::kFinished) return false;
  const std::int64_t steps = experiment.training.steps;
  if (summary.end == End::kPatience) return summary.steps <= steps;  // more steps change nothing
  const double seconds = summary.train_seconds + summary.evaluate_seconds;
  if (summary.end == End::kTime && time_budget && seconds < *time_budget) return false;
  return configured && summary.steps_requested == steps;
}

// Checks the metrics that a checkpoint covers. Those of earlier builds have no checksum.
void check_metrics(const fs::path& folder, const MetricsExtent& covered) {
  const fs::path file = folder / kMetricsFile;
  const std::string text = fs::exists(file) ? io::read_whole(file) : "";
  const auto size = static_cast<std::size_t>(covered.size);
  if (text.size() < size) {
    throw InputError(
        fmt::format("{}: has {} bytes, expected at least {}, the size recorded in the checkpoint "
                    "next to it",
                    file.string(), text.size(), size));
  }
  const auto bytes = std::as_bytes(std::span(text)).first(size);
  if (!covered.sha256.empty() && io::sha256(bytes) != covered.sha256) {
    throw InputError(
        fmt::format("{}: is damaged: it does not match the checksum in the checkpoint "
                    "next to it",
                    file.string()));
  }
  if (size > 0) (void)read_metrics(file, size);
}

// Throws ConfigError if more steps are done than requested.
void refuse_fewer_steps(const State& done, const Experiment& experiment, const std::string& name) {
  if (done.step <= experiment.training.steps) return;
  throw ConfigError(
      fmt::format("{}: {} steps are done, more than the {} requested: request more, or choose "
                  "another folder (--out)",
                  name, done.step, experiment.training.steps));
}

// Throws ConfigError if a new start would replace a finished model. A run killed before its first
// checkpoint has no model.
void refuse_to_lose_model(const fs::path& folder) {
  if (!fs::exists(folder / kModelFile)) return;
  throw ConfigError(
      fmt::format("{}: contains a finished model but no checkpoint to resume from: choose another "
                  "folder (--out)",
                  folder.string()));
}

io::Descriptor open_folder(const fs::path& folder) {
  io::Descriptor descriptor(io::repeat_if_interrupted(
      [&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) io::throw_refusal("open", folder, errno);
  return descriptor;
}

}  // namespace

Checkpoint read_checkpoint_of(const Experiment& experiment, const fs::path& folder) {
  Checkpoint checkpoint = read_checkpoint(folder / kCheckpointFile);
  if (const auto lines = differences_but_steps(checkpoint.experiment, experiment); !lines.empty()) {
    throw ModelFileError(fmt::format("{}: is from another experiment than the {} next to it:\n  {}",
                                     checkpoint.file.string(), kConfigFile,
                                     fmt::join(lines, "\n  ")));
  }
  check_metrics(folder, checkpoint.state.metrics);
  return checkpoint;
}

Found FolderStore::inspect(const Experiment& experiment,
                           const std::optional<double>& time_budget) const try {
  Found found;
  if (!fs::exists(file(kConfigFile))) {
    refuse_foreign(folder_);
    return found;
  }
  refuse_kept_results(folder_);
  const Experiment there =
      parse_experiment(io::read_text(file(kConfigFile)), file(kConfigFile).string());
  refuse_another(there, experiment, name());
  found.configured = differences(there, experiment).empty();
  found.finished =
      fs::exists(file(kRunFile)) && fs::exists(file(kModelFile)) &&
      is_finished(read_run_file(file(kRunFile)), experiment, found.configured, time_budget);
  if (fs::exists(file(kCheckpointFile))) {
    found.checkpoint = read_checkpoint_of(experiment, folder_);
    refuse_fewer_steps(found.checkpoint->state, experiment, name());
  } else if (!found.finished) {
    refuse_to_lose_model(folder_);
  }
  return found;
} catch (const fs::filesystem_error& error) {
  throw io::refusal(error);
}

std::optional<io::Descriptor> FolderStore::lock() {
  io::create_folders(folder_);
  created_ = true;
  io::Descriptor folder = open_folder(folder_);
  if (io::take_lock(folder, std::chrono::steady_clock::now() + io::kPatience) ==
      io::Lock::kByAnother) {
    throw ConfigError(fmt::format("{}: another process is running in this folder", name()));
  }
  return folder;
}

void FolderStore::set_experiment(const Experiment& experiment) {
  const std::string text = format_experiment(experiment);
  if (text.size() > io::kMostText) {  // it could not be read again
    throw ConfigError(
        fmt::format("{}: found {} bytes, expected at most {}: give folders instead of their files",
                    file(kConfigFile).string(), text.size(), io::kMostText));
  }
  io::replace_text(file(kConfigFile), text);
}

std::unique_ptr<MetricsSink> FolderStore::begin_metrics(std::int64_t size) {
  class FileSink final : public MetricsSink {
   public:
    FileSink(const fs::path& file, std::int64_t kept) : file_(file, kept) {}
    void append(const Metric& metric) override { file_.append(metric); }
    MetricsExtent sync() override { return file_.sync(); }

   private:
    MetricsFile file_;
  };
  return std::make_unique<FileSink>(file(kMetricsFile), size);
}

void FolderStore::save_checkpoint(const io::TensorFile& content) {
  io::write_safetensors(file(kCheckpointFile), content);
}

Found MemoryStore::inspect(const Experiment& experiment,
                           const std::optional<double>& time_budget) const {
  Found found;
  if (!begun_) return found;
  refuse_another(record_.experiment, experiment, name());
  found.configured = differences(record_.experiment, experiment).empty();
  found.finished = is_finished(summary_, experiment, found.configured, time_budget);
  if (!checkpoint_) return found;
  found.checkpoint = to_checkpoint(*checkpoint_, name());
  refuse_fewer_steps(found.checkpoint->state, experiment, name());
  return found;
}

std::unique_ptr<MetricsSink> MemoryStore::begin_metrics(std::int64_t size) {
  class ListSink final : public MetricsSink {
   public:
    explicit ListSink(std::vector<Metric>& metrics) : metrics_(metrics) {}
    void append(const Metric& metric) override { metrics_.push_back(metric); }
    MetricsExtent sync() override { return {.size = std::ssize(metrics_)}; }

   private:
    std::vector<Metric>& metrics_;
  };
  begun_ = true;
  record_.metrics.resize(static_cast<std::size_t>(size));
  return std::make_unique<ListSink>(record_.metrics);
}

Model MemoryStore::model() const {
  if (model_) return copy_of(*model_);
  throw ResourceError(
      fmt::format("{} has no model: its status is {}", name(), to_string(record_.status)));
}

void MemoryStore::set_progress(const Experiment& experiment, const RunFile& content) {
  summary_ = {.status = content.status,
              .end = content.end.value_or(End::kSteps),
              .steps = content.steps,
              .steps_requested = experiment.training.steps,
              .best_step = content.best_step,
              .interval_scale = content.interval_scale,
              .train_seconds = content.train_seconds,
              .evaluate_seconds = content.evaluate_seconds,
              .parameters = content.parameters,
              .machine = {}};
  summarise(summary_, record_);
}

Model MemoryStore::copy_of(const Model& model) {
  Model copy(model.config());
  copy.set_weights(model.weights());
  for (const auto& [name, text] : model.notes()) copy.set_note(name, text);
  return copy;
}

}  // namespace rwa::training
