// src/c_api/train.cc: trains on sequences in memory as `rwa train` does on files.
#include <fmt/format.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "c_api/options.h"
#include "c_api/sequences.h"
#include "datasets/files_read.h"
#include "rwa/device.h"
#include "training/experiment_fields.h"
#include "training/folder.h"
#include "training/loop.h"
#include "workflows/plan.h"

namespace rwa::c_api {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// What the task calls its lists, where others have files.
constexpr const char* kTrain = "sequences";
constexpr const char* kValid = "sequences for validation";

constexpr auto kBetweenNews = std::chrono::milliseconds(50);

// A folder that is gone afterwards, with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (fs::temp_directory_path() / "rwa-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "cannot make the folder " + path);
    }
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // nothing depends on it
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  // A message that began with it, which means nothing to anybody.
  [[nodiscard]] std::string without(std::string text) const {
    const std::string prefix = path_.string() + ": ";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }

 private:
  fs::path path_;
};

struct Settings {
  workflows::Request request;
  training::Experiment experiment;
  int threads = default_threads();
  std::optional<double> time_budget;
};

Settings parse_settings(const char* text, const rwa_sequences& train, bool validated,
                        const fs::path& folder) {
  SettingsReader options(text, "the options of a training");
  Settings settings;
  workflows::Request& request = settings.request;
  request.out = folder;
  request.task.train = {kTrain};
  if (validated) request.task.valid = {kValid};
  request.task.kmer = train.kmer;
  training::describe_preparation(request.task, options);
  training::Experiment& experiment = settings.experiment;
  experiment = workflows::experiment_of(request);
  training::describe(experiment.network, options);
  training::describe(experiment.training, options);
  training::describe(experiment.evaluation, options);
  options("seed", experiment.seed);
  options("device", experiment.device);
  options("epochs", request.wishes.epochs);
  options("threads", settings.threads);
  options("time_budget", settings.time_budget);
  options.finish();
  if (experiment.training.steps > 0) request.wishes.steps = experiment.training.steps;
  workflows::check(request);
  return settings;
}

std::shared_ptr<const datasets::Files> open(const Settings& settings, const rwa_sequences& train,
                                            const rwa_sequences* valid) {
  const auto open_one = [&](const std::vector<fs::path>& paths, const formats::Options& options,
                            const std::shared_ptr<formats::Vocabulary>& words) {
    const rwa_sequences& list = paths.front() == kTrain ? train : *valid;
    return open_list(list, options.as ? &*options.as : nullptr, true, *words);
  };
  const auto& task = std::get<datasets::FilesTask>(settings.experiment.task);
  return datasets::open_files(task, settings.experiment.seed, settings.request.out, {}, open_one);
}

Json to_json(const training::Metric& metric) {
  return Json::parse(training::format_metric(metric));
}

// Passes on how far the training is: whatever was scored, and else not too often.
class News {
 public:
  News(rwa_listener listener, void* user) : listener_(listener), user_(user) {}

  void tell(const training::Progress& progress) {
    if (listener_ == nullptr || stop_) return;
    const std::int64_t scored = progress.test ? progress.test->step : -1;
    if (scored == scored_ && Clock::now() - told_ < kBetweenNews) return;
    scored_ = scored;
    const Json news = {{"step", progress.step},
                       {"steps", progress.steps},
                       {"loss", progress.loss},
                       {"score", progress.test ? to_json(*progress.test) : Json()},
                       {"seconds_left", progress.seconds_left}};
    answer_ = listener_(user_, news.dump().c_str());
    stop_ = answer_ != RWA_GO_ON;
    told_ = Clock::now();
  }
  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
  [[nodiscard]] bool ends_well() const { return answer_ == RWA_FINISH; }

 private:
  rwa_listener listener_;
  void* user_;
  std::int64_t scored_ = -2;  // no step yet
  Clock::time_point told_ = Clock::now();
  int answer_ = RWA_GO_ON;
  std::atomic<bool> stop_ = false;
};

// True where it was ended by the listener, with what had been learnt.
bool run_to_end(const workflows::Planned& planned, const Settings& settings, News& news) {
  const training::Options options = {.threads = settings.threads,
                                     .memory = planned.memory,
                                     .time_budget = settings.time_budget,
                                     .stop = &news.stop()};
  const auto go = [&](const training::Options& how) {
    return training::run(planned.experiment, planned.files, planned.folder, how,
                         [&](const training::Progress& progress) { news.tell(progress); });
  };
  if (go(options) != training::Outcome::kInterrupted) return false;
  if (!news.ends_well()) throw Interrupted("the training was given up by its listener");
  // It goes on from its checkpoint with no time left, and so comes to an end as any other.
  training::Options to_end = options;
  to_end.time_budget = 1e-9;
  to_end.stop = nullptr;
  go(to_end);
  return true;
}

Json summary_of(const training::Record& record, const workflows::Plan& plan, bool asked) {
  Json history = Json::array();
  for (const training::Metric& metric : record.metrics) history.push_back(to_json(metric));
  return {{"end", asked ? "asked" : to_string(record.end)},
          {"steps", record.steps},
          {"best_step", record.best_step ? Json(*record.best_step) : Json()},
          {"parameters", record.parameters},
          {"seconds", record.train_seconds},
          {"notes", plan.notes},
          {"history", std::move(history)}};
}

std::pair<Model, Json> train(const rwa_sequences& train, const rwa_sequences* valid,
                             const char* options, News& news) {
  const TemporaryFolder folder;
  try {
    const Settings settings = parse_settings(options, train, valid != nullptr, folder.path());
    const workflows::Plan plan =
        workflows::plan(settings.request, settings.experiment, open(settings, train, valid));
    const workflows::Planned& planned = plan.runs.front();
    const bool asked = run_to_end(planned, settings, news);
    return {Model::load(planned.folder / training::kModelFile),
            summary_of(training::read_run(planned.folder), plan, asked)};
  } catch (const ConfigError& error) {
    throw ConfigError(folder.without(error.what()));
  } catch (const ResourceError& error) {
    throw ResourceError(folder.without(error.what()));
  }
}

}  // namespace
}  // namespace rwa::c_api

extern "C" rwa_result rwa_train(const rwa_sequences* train, const rwa_sequences* valid,
                                const char* options, rwa_listener listener, void* user,
                                rwa_model** out, const char** summary) {
  return rwa::c_api::guarded([&] {
    rwa::c_api::require(train, "train");
    rwa::c_api::require(out, "out");
    rwa::c_api::News news(listener, user);
    auto [model, about] = rwa::c_api::train(*train, valid, options, news);
    auto handle = std::make_unique<rwa_model>(rwa_model{std::move(model)});
    if (summary != nullptr) *summary = rwa::c_api::keep_json(about);
    *out = handle.release();
  });
}
