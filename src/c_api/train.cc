// src/c_api/train.cc: trains, cross-validates and tunes on sequences in memory, as `rwa train` and
// `rwa tune` do on files. Nothing is written to disk.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "c_api/sequences.h"
#include "datasets/files_read.h"
#include "io/toml.h"
#include "rwa/device.h"
#include "training/settings.h"
#include "workflows/contradictions.h"
#include "workflows/defaults.h"
#include "workflows/plan.h"
#include "workflows/refit.h"
#include "workflows/train.h"
#include "workflows/tune.h"
#include "workflows/verdict.h"

struct rwa_runs {
  nlohmann::ordered_json about;
  std::vector<std::shared_ptr<rwa::training::RunStore>> stores;
};

namespace rwa::c_api {
namespace {
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// Used in place of file names.
constexpr const char* kTrain = "sequences";
constexpr const char* kValid = "validation sequences";
constexpr const char* kWhat = "training options";

constexpr auto kBetweenNews = std::chrono::milliseconds(50);

struct Lists {
  const rwa_sequences& train;
  const rwa_sequences* valid;
};

// Takes the training settings from the options; `rest` has the others.
struct TrainingOptions {
  workflows::TrainRequest request;
  workflows::TrainOptions train;
  io::Fields rest;

  TrainingOptions(const char* text, const Lists& lists)
      : TrainingOptions(parse_object(text, kWhat), lists) {}

 private:
  TrainingOptions(io::Value::Table given, const Lists& lists)
      : request{.settings = take_settings(given, lists)},
        rest(std::move(given), {.where = kWhat, .noun = "option"}) {
    for (const auto& setting : training::list_settings(workflows::default_experiment())) {
      if (training::is_offered(setting, training::Scope::kSequences)) rest.know(setting.name);
    }
    train.threads = default_threads();
    rest("threads", train.threads, {.least = 1, .most = kMostThreads});
    constexpr double kMostSeconds = training::kMostDays * 24 * 3600.0;
    rest("time_budget", train.time_budget,
         io::Range<double>{.least = 0, .most = kMostSeconds, .without_least = true});
  }

  static training::Overrides take_settings(io::Value::Table& given, const Lists& lists) {
    io::Value::Table task = {{"train", {io::Value::Array{{std::string(kTrain)}}}},
                             {"kmer", {std::int64_t{lists.train.kmer}}},
                             {"tokens", {lists.train.tokens}},
                             {"lower", {lists.train.lower}}};
    if (lists.valid != nullptr) {
      task.push_back({"valid", {io::Value::Array{{std::string(kValid)}}}});
    }
    training::Overrides settings({{"task", {std::move(task)}}});
    for (io::Field& field : given) field.place = field.value.place = kWhat;
    training::Overrides theirs;
    theirs.take(given, training::Scope::kSequences);
    settings.add(theirs);
    return settings;
  }
};

workflows::Plan plan(const TrainingOptions& options, const Lists& lists,
                     bool begins_search = false) {
  if (lists.valid == &lists.train) {
    throw ConfigError(
        "the validation data is the training data, expected other sequences: leave it out to hold "
        "out a part");
  }
  const auto open = [&](const std::vector<std::filesystem::path>& paths,
                        const formats::Options& how,
                        const std::shared_ptr<formats::Vocabulary>& words) {
    const rwa_sequences& list = paths.front() == kTrain ? lists.train : *lists.valid;
    return open_list(list, how.as ? &*how.as : nullptr, true, *words);
  };
  const auto experiment = workflows::experiment_of(options.request.settings);
  const auto& task = training::files_task(experiment);
  workflows::Plan plan =
      workflows::plan(options.request, datasets::open_files(task, experiment.seed, {}, {}, open));
  workflows::refuse_without_effect(options.request.settings, plan.runs.front().experiment,
                                   *plan.files, begins_search);
  return plan;
}

Json to_json(const training::Metric& metric) {
  return Json::parse(training::format_metric(metric));
}

// Reports progress to the listener: every evaluation, and otherwise at most every kBetweenNews.
class ListenerNews final : public workflows::TuneObserver {
 public:
  ListenerNews(rwa_listener listener, void* user) : listener_(listener), user_(user) {}

  void watch(workflows::TrainOptions& options) {
    options.stop = [this] { return answer_ == RWA_GIVE_UP; };
    options.finish = [this] { return answer_ == RWA_FINISH; };
  }

  void start(const training::RunQueue& queue) override {
    queue_ = &queue;
    scored_.assign(queue.runs().size(), kNoStep);
  }
  void progress(std::size_t index, const training::Progress& progress) override {
    const std::lock_guard lock(mutex_);
    if (listener_ == nullptr || answer_ != RWA_GO_ON) return;
    const std::int64_t scored = progress.test ? progress.test->step : -1;
    const bool ends = progress.step == progress.steps;
    if (scored == scored_[index] && !ends && Clock::now() - told_ < kBetweenNews) return;
    scored_[index] = scored;
    const Json news = {{"run", queue_->runs()[index].title},
                       {"step", progress.step},
                       {"steps", progress.steps},
                       {"loss", progress.loss},
                       {"score", progress.test ? to_json(*progress.test) : Json()},
                       {"seconds_left", progress.seconds_left}};
    answer_ = listener_(user_, news.dump().c_str());
    told_ = Clock::now();
  }

 private:
  rwa_listener listener_;
  void* user_;
  const training::RunQueue* queue_ = nullptr;
  std::mutex mutex_;
  static constexpr std::int64_t kNoStep = -2;
  std::vector<std::int64_t> scored_;  // the last step reported, per run
  Clock::time_point told_ = Clock::now();
  std::atomic<int> answer_ = RWA_GO_ON;
};

Json to_json(const io::Value& value) {
  return Json::parse(io::to_toml(value));  // the TOML of a setting is valid JSON
}

// Returns the settings of a run that callers can set, by name.
Json settings_of(const training::Experiment& experiment) {
  Json json;
  for (const auto& setting : training::list_settings(experiment)) {
    const bool offered = training::is_offered(setting, training::Scope::kSequences);
    if (offered && setting.kept) json[setting.name] = to_json(setting.value);
  }
  return json;
}

Json about_run(const training::RunStore& store) {
  const training::Record record = store.record();
  Json history = Json::array();
  for (const training::Metric& metric : record.metrics) history.push_back(to_json(metric));
  return {{"status", to_string(record.status)},
          {"end", to_string(record.end)},
          {"steps", record.steps},
          {"best_step", record.best_step ? Json(*record.best_step) : Json()},
          {"parameters", record.parameters},
          {"seconds", record.train_seconds},
          {"settings", settings_of(record.experiment)},
          {"history", std::move(history)}};
}

// Adds the scores on held-out data, if there is any.
void add_scores(const workflows::TrainedRun& run, Json& about) {
  about["scores"] = run.scores ? Json::parse(workflows::to_json(*run.scores)) : Json::object();
  about["baselines"] = Json::parse(workflows::to_json(run.baselines));
  about["remark"] = workflows::remark({run});
}

workflows::TrainResult train_all(const workflows::Plan& plan, workflows::TrainOptions options,
                                 ListenerNews& news) {
  news.watch(options);
  auto result = workflows::train(plan, options, news);
  workflows::throw_if_diverged(result.diverged, plan.runs.size());
  return result;
}

// Trains one model. Folds are left out where they only give scores: without early stopping.
workflows::TrainedRun train_one(workflows::Plan plan, const workflows::TrainOptions& options,
                                ListenerNews& news) {
  if (workflows::is_refitted(plan)) {
    const bool finds_steps = plan.runs.front().experiment.evaluation.patience > 0;
    std::vector<workflows::FoldEnd> ends;
    if (finds_steps) ends = workflows::ends_of(train_all(plan, options, news));
    plan.runs = {workflows::plan_refit(plan, ends)};
  }
  return train_all(plan, options, news).runs.front();
}

std::pair<Model, Json> train(const Lists& lists, const char* text, ListenerNews& news) {
  const TrainingOptions options(text, lists);
  options.rest.finish();
  const workflows::Plan plan = c_api::plan(options, lists);
  const workflows::TrainedRun run = train_one(plan, options.train, news);
  const training::RunStore& store = *run.store;
  Json about = about_run(store);
  about["notes"] = plan.notes;
  add_scores(run, about);
  return {store.model(), std::move(about)};
}

void set_folds(int folds, TrainingOptions& options) {
  options.request.settings.add(
      training::Overrides({{"task", {io::Value::Table{{"folds", {std::int64_t{folds}}}}}}}));
}

rwa_runs cross_validate(const Lists& lists, const char* text, ListenerNews& news) {
  TrainingOptions options(text, lists);
  int folds = 5;
  options.rest("folds", folds, {.least = 2, .most = datasets::kMostFolds});
  options.rest("repeat", options.request.repeat, {.least = 1, .most = workflows::kMostRepeats});
  options.rest("jobs", options.train.jobs, {.least = 1, .most = training::kMostJobs});
  options.rest.finish();
  set_folds(folds, options);
  const auto result = train_all(plan(options, lists), options.train, news);
  rwa_runs runs{.about = Json::array(), .stores = {}};
  for (const workflows::TrainedRun& run : result.runs) {
    Json about = about_run(*run.store);
    about["run"] = run.title;
    add_scores(run, about);
    runs.about.push_back(std::move(about));
    runs.stores.push_back(run.store);
  }
  return runs;
}

// The mean score of a candidate on its folds; empty without folds.
Json mean_scores(const workflows::Candidate& candidate) {
  if (candidate.runs.empty()) return Json::object();
  std::vector<workflows::Comparison> each;
  for (const workflows::TrainedRun& run : candidate.runs) {
    each.push_back(workflows::compare(*run.scores, {}));
  }
  const workflows::MainScore score = workflows::mean_of(each).model;
  Json scores = {{"loss", candidate.loss}};
  if (score.kind == workflows::MainScore::Kind::kAccuracy) scores["accuracy"] = score.value;
  if (score.kind == workflows::MainScore::Kind::kError) scores["rmse"] = score.value;
  return scores;
}

// The first run has the best model. With folds, the others have none.
rwa_runs tune(const Lists& lists, const char* text, ListenerNews& news) {
  TrainingOptions options(text, lists);
  workflows::TuneOptions search;
  int folds = 0;
  options.rest("candidates", search.candidates, {.least = 1, .most = workflows::kMostCandidates});
  options.rest("folds", folds, {.least = 2, .most = datasets::kMostFolds});
  options.rest("jobs", options.train.jobs, {.least = 1, .most = training::kMostJobs});
  options.rest.finish();
  if (folds > 0) set_folds(folds, options);
  search.time_budget = options.train.time_budget.value_or(search.time_budget);
  search.train = options.train;
  news.watch(search.train);
  rwa_runs runs{.about = Json::array(), .stores = {}};
  const auto result =
      workflows::tune(options.request, plan(options, lists, true).files, search, news);
  for (const workflows::Candidate& candidate : result.candidates) {
    const bool is_best = runs.stores.empty();
    const auto& store = is_best ? result.best->store : candidate.plan.runs.front().store;
    Json about = about_run(*store);
    about["run"] = fmt::format("candidate {}", candidate.number);
    about["loss"] = std::isfinite(candidate.loss) ? Json(candidate.loss) : Json();
    about["has_model"] = is_best || !result.has_folds;
    about["scores"] = mean_scores(candidate);
    about["expected"] = is_best ? result.expected : "";
    runs.about.push_back(std::move(about));
    runs.stores.push_back(store);
  }
  return runs;
}

// Replaces the loop's message when the listener aborts: only the listener can stop these runs.
template <class Work>
rwa_result guarded_training(Work&& work) {
  return guarded([&] {
    try {
      work();
    } catch (const training::Interrupted&) {
      throw training::Interrupted("training was aborted by the listener");
    }
  });
}

Json settings_json() {
  static constexpr const char* kKindNames[] = {"bool", "int", "float", "str", "list", "choice"};
  Json all = Json::array();
  for (const auto& setting : training::list_settings(workflows::default_experiment())) {
    if (!training::is_offered(setting, training::Scope::kFiles)) continue;
    const bool of_sequences = training::is_offered(setting, training::Scope::kSequences);
    all.push_back({{"name", setting.name},
                   {"table", setting.table},
                   {"group", to_string(setting.group)},
                   {"help", setting.help},
                   {"kind", kKindNames[static_cast<int>(setting.kind)]},
                   {"choices", setting.choices.empty() ? Json() : Json(setting.choices)},
                   {"range", setting.range.empty() ? Json() : Json(setting.range)},
                   {"default", to_json(setting.value)},
                   {"of_sequences", of_sequences}});
  }
  return all;
}

}  // namespace
}  // namespace rwa::c_api

using rwa::c_api::guarded;
using rwa::c_api::guarded_training;
using rwa::c_api::require;

extern "C" {

rwa_result rwa_settings(const char** json) {
  return guarded([&] {
    require(json, "json");
    *json = rwa::c_api::keep_json(rwa::c_api::settings_json());
  });
}

rwa_result rwa_train(const rwa_sequences* train, const rwa_sequences* valid, const char* options,
                     rwa_listener listener, void* user, rwa_model** out, const char** summary) {
  return guarded_training([&] {
    require(train, "train");
    require(out, "out");
    rwa::c_api::ListenerNews news(listener, user);
    auto [model, about] = rwa::c_api::train({*train, valid}, options, news);
    auto handle = std::make_unique<rwa_model>(rwa_model{std::move(model)});
    if (summary != nullptr) *summary = rwa::c_api::keep_json(about);
    *out = handle.release();
  });
}

rwa_result rwa_cross_validate(const rwa_sequences* sequences, const char* options,
                              rwa_listener listener, void* user, rwa_runs** out) {
  return guarded_training([&] {
    require(sequences, "sequences");
    require(out, "out");
    rwa::c_api::ListenerNews news(listener, user);
    auto runs = rwa::c_api::cross_validate({*sequences, nullptr}, options, news);
    *out = std::make_unique<rwa_runs>(std::move(runs)).release();
  });
}

rwa_result rwa_tune(const rwa_sequences* train, const rwa_sequences* valid, const char* options,
                    rwa_listener listener, void* user, rwa_runs** out) {
  return guarded_training([&] {
    require(train, "train");
    require(out, "out");
    rwa::c_api::ListenerNews news(listener, user);
    auto runs = rwa::c_api::tune({*train, valid}, options, news);
    *out = std::make_unique<rwa_runs>(std::move(runs)).release();
  });
}

rwa_result rwa_runs_describe(const rwa_runs* runs, const char** json) {
  return guarded([&] {
    require(runs, "runs");
    require(json, "json");
    *json = rwa::c_api::keep_json(runs->about);
  });
}

rwa_result rwa_runs_model(const rwa_runs* runs, size_t number, rwa_model** out) {
  return guarded([&] {
    require(runs, "runs");
    require(out, "out");
    if (number >= runs->stores.size()) {
      throw rwa::InputError(fmt::format("there is no run {}, expected an index below {}", number,
                                        runs->stores.size()));
    }
    *out = std::make_unique<rwa_model>(rwa_model{runs->stores[number]->model()}).release();
  });
}

void rwa_runs_free(rwa_runs* runs) { delete runs; }
}
