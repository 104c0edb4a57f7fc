// src/training/loop.cc: a run killed at any time resumes bit for bit because of the order of
// writes. A checkpoint is written after the metrics up to its step and records their size; anything
// written later is cut off on resume and written again. The work after the last step comes after
// the checkpoint of that step, so that it can be repeated, and steps can be added.
#include "training/loop.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <new>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/trainer.h"
#include "training/augmentation.h"
#include "training/first_model.h"
#include "training/intervals.h"
#include "training/prefetch.h"
#include "training/schedule.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;

constexpr int kBatchesAhead = 2;  // one ready, one in preparation

SessionOptions session_options(const Experiment& experiment, const Options& options) {
  return {.threads = options.threads,
          .memory = options.memory,
          .device = options.device.empty() ? experiment.device : options.device,
          .share = options.share};
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Measures the time per step, including evaluations and checkpoints.
class Pace {
 public:
  void see_step() {
    const double seconds = seconds_since(std::exchange(last_, Clock::now()));
    ++count_;
    mean_ += (seconds - mean_) * std::max(1.0 / count_, kNewest);
  }
  [[nodiscard]] double seconds_per_step() const { return mean_; }

 private:
  static constexpr double kNewest = 0.01;  // the weight of the last step in the mean

  Clock::time_point last_ = Clock::now();
  double count_ = 0;
  double mean_ = 0;
};

class Loop {
 public:
  // Writes nothing; begin() does.
  Loop(const Experiment& experiment, std::shared_ptr<const datasets::Dataset> dataset,
       RunStore& store, const Options& options, const Listener& listener)
      : experiment_(experiment),
        store_(store),
        options_(options),
        listener_(listener),
        ranks_(options.link),
        overlap_(options.overlap.value_or(experiment.device != "cpu")),
        dataset_(std::move(dataset)),
        model_(first_model(model_config(experiment, dataset_->shape()), dataset_->shape())),
        trainer_(model_, trainer_options(experiment.training, session_options(experiment, options),
                                         options.link)),
        scorer_(experiment, model_, *dataset_, session_options(experiment, options), options.link) {
    for (const auto& [name, text] : dataset_->notes()) model_.set_note(name, text);
  }

  void begin(const Found& found);
  // Runs to the end, or until stopped.
  Outcome go_on();

 private:
  // Reasons to stop or pause, agreed on by all ranks at the same step.
  struct Pause {
    bool stopped = false, finish = false, time_up = false, checkpoint_due = false;
  };

  [[nodiscard]] Prefetch::Fill training_batches() const;
  [[nodiscard]] Pause find_pause();
  void submit_steps();
  void submit_step();
  void collect_step();
  void evaluate();
  void write(const Metric& metric);
  void save(Status status);
  void write_run(Status status, const std::optional<Metric>& final = {});
  Outcome interrupt();
  Outcome finish();
  void calibrate_intervals();
  void tell();

  [[nodiscard]] std::optional<End> find_end() const;
  [[nodiscard]] double seconds_left() const;
  [[nodiscard]] bool is_first() const { return ranks_.rank() == 0; }
  [[nodiscard]] bool stopped_here() const { return options_.stop && options_.stop(); }
  [[nodiscard]] bool is_end_wanted() const { return options_.finish && options_.finish(); }
  [[nodiscard]] double seconds_worked() const {
    return state_.train_seconds + state_.evaluate_seconds;
  }
  // Requires at least one completed step.
  [[nodiscard]] bool is_time_up() const {
    return options_.time_budget && state_.step > 0 && seconds_worked() >= *options_.time_budget;
  }
  // The loss may be diverging: saving these weights would replace better ones.
  [[nodiscard]] bool is_losing() const { return state_.rule.is_counting(); }
  [[nodiscard]] bool is_evaluated(std::int64_t step) const {
    return step % experiment_.evaluation.every == 0;
  }
  [[nodiscard]] int most_submitted() const { return overlap_ ? Trainer::kMostSubmitted : 1; }
  [[nodiscard]] Loss loss() const { return dataset_->shape().loss; }

  const Experiment& experiment_;
  RunStore& store_;  // of rank 0
  const Options& options_;
  const Listener& listener_;
  Ranks ranks_;
  const bool overlap_;
  std::shared_ptr<const datasets::Dataset> dataset_;
  Model model_;
  std::optional<Prefetch> batches_;  // outlives the trainer, which may read them
  Trainer trainer_;
  Scorer scorer_;
  std::unique_ptr<MetricsSink> metrics_;  // of rank 0

  State state_;
  Pause pause_;
  std::optional<End> end_;
  std::int64_t saved_step_ = -1;  // of the last checkpoint
  Clock::time_point saved_at_ = Clock::now();

  int submitted_ = 0;                // pending steps
  Clock::time_point counted_until_;  // training time
  double last_loss_ = 0;
  std::optional<Metric> last_test_;
  double interval_scale_ = 0;  // 0: not known yet
  Pace pace_;
};

// Turns a store in any state into one of a run in progress. A finished run stays finished until
// run.json is rewritten. The configuration is written first: it claims the folder.
void Loop::begin(const Found& found) {
  if (found.checkpoint) {
    state_ = restore(*found.checkpoint, model_, trainer_);
    saved_step_ = state_.step;
  } else {
    start_stem(*dataset_, model_);
    state_.started = utc_now();
  }
  if (is_first()) {
    if (!found.configured) store_.set_experiment(experiment_);
    write_run(Status::kRunning);
    metrics_ = store_.begin_metrics(state_.metrics.size);
  }
  batches_.emplace(training_batches(), Prefetch::Extent{.first = state_.step,
                                                        .end = experiment_.training.steps,
                                                        .kept = most_submitted(),
                                                        .ahead = overlap_ ? kBatchesAhead : 0});
}

Prefetch::Fill Loop::training_batches() const {
  const int size = experiment_.training.batch;
  const RankRows rows = rank_rows(size, ranks_.size(), ranks_.rank());
  std::vector<std::int64_t> samples(static_cast<std::size_t>(size));
  return [this, rows, samples](std::int64_t number, datasets::Batch& batch) mutable {
    dataset_->draw(experiment_.seed, number * experiment_.training.batch, samples);
    const auto mine = std::span(samples).subspan(static_cast<std::size_t>(rows.begin),
                                                 static_cast<std::size_t>(rows.end - rows.begin));
    dataset_->fill(datasets::Split::kTrain, mine, batch);
    augment(experiment_.training, {.seed = experiment_.seed, .step = number, .first = rows.begin},
            dataset_->shape(), batch);
  };
}

// A signal to any rank counts for all; rank 0 has the only clock.
Loop::Pause Loop::find_pause() {
  Pause here = {.stopped = stopped_here(), .finish = is_end_wanted() && state_.step > 0};
  if (is_first()) {
    here.time_up = is_time_up();
    here.checkpoint_due = seconds_since(saved_at_) >= options_.checkpoint_seconds;
  }
  std::array<double, 4> flags = {here.stopped ? 1.0 : 0.0, here.finish ? 1.0 : 0.0,
                                 here.time_up ? 1.0 : 0.0, here.checkpoint_due ? 1.0 : 0.0};
  ranks_.sum(flags);
  return {.stopped = flags[0] > 0,
          .finish = flags[1] > 0,
          .time_up = flags[2] > 0,
          .checkpoint_due = flags[3] > 0};
}

Outcome Loop::go_on() try {
  if (saved_step_ < 0) {
    evaluate();
    save(Status::kRunning);
  }
  tell();
  pace_ = Pace();
  while (pause_ = find_pause(), !(end_ = find_end())) {
    if (submitted_ == 0 && pause_.stopped) return interrupt();
    submit_steps();
    collect_step();
    if (is_evaluated(state_.step)) evaluate();
    if (submitted_ == 0 && pause_.checkpoint_due && !is_losing()) save(Status::kRunning);
    pace_.see_step();
    tell();
  }
  save(Status::kRunning);  // even if diverging: this is the regular end
  return finish();
} catch (const DivergenceError&) {
  write_run(Status::kDiverged);
  throw;
}

// Patience and steps come first: they do not depend on time. Only regular evaluations count for
// patience: an extra one at the end of a run would make longer runs differ.
std::optional<End> Loop::find_end() const {
  const int patience = experiment_.evaluation.patience;
  if (patience > 0 && state_.best.evaluations_without >= patience) return End::kPatience;
  if (state_.step >= experiment_.training.steps) return End::kSteps;
  if (submitted_ == 0 && pause_.finish) return End::kRequest;
  if (submitted_ == 0 && pause_.time_up) return End::kTime;
  return std::nullopt;
}

// Submits one step, and more to keep the device busy. Evaluations and checkpoints need the weights
// of their step, so no later step is submitted before them.
void Loop::submit_steps() {
  if (submitted_ == 0) submit_step();
  const bool pausing =
      pause_.stopped || pause_.finish || pause_.time_up || (pause_.checkpoint_due && !is_losing());
  while (!pausing && submitted_ < most_submitted()) {
    const std::int64_t last = state_.step + submitted_;
    if (is_evaluated(last) || last == experiment_.training.steps) return;
    submit_step();
  }
}

void Loop::submit_step() {
  const auto begin = Clock::now();
  if (submitted_ == 0) counted_until_ = begin;
  const datasets::Batch& batch = batches_->next();
  state_.host_wait_seconds += seconds_since(begin);
  trainer_.set_learning_rate(
      learning_rate(experiment_.training, state_.step + submitted_, state_.reductions));
  trainer_.submit(batch.sequences(), batch.targets());
  ++submitted_;
}

void Loop::collect_step() {
  const double loss_now = trainer_.collect().loss;
  --submitted_;
  state_.train_seconds += seconds_since(std::exchange(counted_until_, Clock::now()));

  ++state_.step;
  state_.loss_sum += loss_now;
  ++state_.loss_count;
  last_loss_ = in_unit(loss(), loss_now);
  state_.rule.see(state_.step, loss_now);
}

void Loop::evaluate() {
  if (state_.loss_count > 0) {
    const Score training{.loss = state_.loss_sum, .answers = state_.loss_count};
    write(to_metric(training, loss(), state_.step, "train"));
    state_.loss_sum = 0;
    state_.loss_count = 0;
  }
  const auto begin = Clock::now();
  const std::optional<Metric> metric = scorer_.score_in_passing(state_.step);
  state_.evaluate_seconds += seconds_since(begin);
  if (!metric) return;
  write(*metric);
  last_test_ = metric;
  if (experiment_.evaluation.patience == 0) return;
  state_.best.see(state_.step, metric->loss, model_.weights());
  if (is_reduced(experiment_, state_.best.evaluations_without)) ++state_.reductions;
}

void Loop::write(const Metric& metric) {
  if (!std::isfinite(metric.loss)) {
    throw DivergenceError(fmt::format("training diverged at step {}: the {} loss is {}",
                                      metric.step, metric.split, metric.loss));
  }
  if (metrics_) metrics_->append(metric);
}

// All ranks build the content, so that all see a divergence at the same step.
void Loop::save(Status status) {
  if (saved_step_ != state_.step) {
    if (metrics_) state_.metrics = metrics_->sync();
    const auto content = checkpoint_content(experiment_, state_, model_, trainer_);
    if (is_first()) store_.save_checkpoint(content);
    saved_step_ = state_.step;
  }
  write_run(status);
  saved_at_ = Clock::now();
}

void Loop::write_run(Status status, const std::optional<Metric>& final) {
  if (!is_first()) return;
  std::optional<std::int64_t> best_step;
  if (state_.best.is_known()) best_step = state_.best.step;
  store_.set_progress(experiment_,
                      {.status = status,
                       .started = state_.started,
                       .steps = state_.step,
                       .best_step = best_step,
                       .train_seconds = state_.train_seconds,
                       .host_wait_seconds = state_.host_wait_seconds,
                       .evaluate_seconds = state_.evaluate_seconds,
                       .parameters = static_cast<std::int64_t>(model_.parameter_count()),
                       .ranks = ranks_.size(),
                       .threads = options_.threads,
                       .share = options_.share,
                       .interval_scale = interval_scale_,
                       .end = status == Status::kFinished ? end_ : std::nullopt,
                       .final = final});
}

Outcome Loop::interrupt() {
  if (is_losing()) {
    write_run(Status::kInterrupted);
  } else {
    save(Status::kInterrupted);
  }
  return Outcome::kInterrupted;
}

Outcome Loop::finish() {
  if (!is_evaluated(state_.step)) evaluate();
  if (state_.best.is_known()) model_.set_weights(state_.best.weights);
  calibrate_intervals();
  const auto begin = Clock::now();
  bool stopped = false;
  const auto final = scorer_.score_at_end(
      state_.step, {.stopped = [&] { return stopped = stopped || stopped_here(); },
                    .outputs = options_.final_outputs});
  if (ranks_.any(stopped)) {
    write_run(Status::kInterrupted);
    return Outcome::kInterrupted;
  }
  state_.evaluate_seconds += seconds_since(begin);
  if (final) {
    write(*final);
    last_test_ = final;
  }
  if (is_first()) {
    (void)metrics_->sync();
    store_.save_model(model_);
  }
  write_run(Status::kFinished, final);
  tell();
  return Outcome::kFinished;
}

// Checkpoints have the weights from before, so that a resumed run does this once, too.
void Loop::calibrate_intervals() {
  if (loss() != Loss::kPinball) return;
  interval_scale_ = dataset_->shape().interval_scale;
  if (interval_scale_ == 0) {
    IntervalFit fit;
    scorer_.show(datasets::Split::kValid, [&](auto, auto, const auto& batch, auto outputs) {
      fit.add(outputs, batch.values);
    });
    interval_scale_ = fit.factor(dataset_->shape().interval,
                                 static_cast<double>(dataset_->size(datasets::Split::kValid)));
  }
  scale_intervals(interval_scale_, model_);
}

double Loop::seconds_left() const {
  if (end_) return 0;
  const auto steps = static_cast<double>(experiment_.training.steps - state_.step);
  const double seconds = pace_.seconds_per_step() * steps;
  if (!options_.time_budget) return seconds;
  return std::clamp(*options_.time_budget - seconds_worked(), 0.0, seconds);
}

void Loop::tell() {
  if (!listener_) return;
  const double pace = pace_.seconds_per_step();
  listener_({.step = state_.step,
             .steps = experiment_.training.steps,
             .loss = last_loss_,
             .test = last_test_,
             .steps_per_second = pace > 0 ? 1 / pace : 0,
             .seconds_left = seconds_left()});
}

void check_options(const Options& options) {
  if (!(options.checkpoint_seconds >= 0)) {
    throw ConfigError(fmt::format("the time between checkpoints is {} seconds, expected 0 or more",
                                  options.checkpoint_seconds));
  }
  if (options.time_budget && !(*options.time_budget > 0)) {
    throw ConfigError(
        fmt::format("the time budget is {} seconds, expected more than 0", *options.time_budget));
  }
}

// Rank 0 inspects the store; all ranks learn whether the run is finished.
Found inspect_as_first(const Experiment& experiment, const RunStore& store, const Options& options,
                       Ranks& ranks) {
  Found found;
  if (ranks.rank() == 0) found = store.inspect(experiment, options.time_budget);
  found.finished = ranks.any(found.finished);
  return found;
}

// Checks the limits of network and optimiser by constructing them, on the CPU: the limits are the
// same on every device.
void check_limits(const Experiment& experiment, const datasets::Shape& shape, bool has_validation) {
  Model model(model_config(experiment, shape));
  const Trainer trainer(model, trainer_options(experiment.training, {}));
  check_augmentation(experiment.training, shape);
  if (experiment.evaluation.patience > 0 && !has_validation) {
    throw ConfigError(fmt::format("patience is {}, expected 0: there is no validation set",
                                  experiment.evaluation.patience));
  }
}

// Any experiment must be valid as a file, even if it does not come from one.
void check_all(const Experiment& experiment, const std::string& name,
               const std::function<void()>& check_data) try {
  (void)parse_experiment(format_experiment(experiment), "experiment");
  (void)find_device(experiment.device);
  check_schedule(experiment);
  check_data();
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{}: {}", name, error.what()));
} catch (const ResourceError& error) {
  throw ResourceError(fmt::format("{}: {}", name, error.what()));
}

// Checks an experiment before its data is read. For files, whether data and network fit is checked
// later. Only files have a validation set.
void check_experiment(const Experiment& experiment, const std::string& name) {
  check_all(experiment, name, [&] {
    if (std::holds_alternative<datasets::FilesTask>(experiment.task)) return;
    check_limits(experiment, tasks::facts(experiment.task).shape, false);
  });
}

void check_experiment(const Experiment& experiment, const datasets::Dataset& dataset,
                      const std::string& name) {
  check_all(experiment, name, [&] {
    check_limits(experiment, dataset.shape(), dataset.size(datasets::Split::kValid) > 0);
  });
}

[[noreturn]] void refuse_memory(const std::string& name) {
  throw ResourceError(fmt::format("{}: not enough memory for this run", name));
}

}  // namespace

bool check(const Experiment& experiment, const fs::path& folder,
           const std::optional<double>& time_budget) {
  check_experiment(experiment, folder.string());
  return FolderStore(folder).inspect(experiment, time_budget).finished;
}

Outcome run(const Experiment& experiment, std::shared_ptr<const datasets::Dataset> dataset,
            RunStore& store, const Options& options, const Listener& listener) try {
  check_experiment(experiment, *dataset, store.name());
  check_options(options);
  Ranks ranks(options.link);
  if (inspect_as_first(experiment, store, options, ranks).finished) {
    return Outcome::kAlreadyFinished;
  }
  Loop loop(experiment, std::move(dataset), store, options, listener);
  const auto lock = ranks.rank() == 0 ? store.lock() : std::nullopt;
  // Inspects again: from here on no other process can change the store.
  Found found = inspect_as_first(experiment, store, options, ranks);
  if (found.finished) return Outcome::kAlreadyFinished;
  share(found.checkpoint, ranks);
  loop.begin(found);
  return loop.go_on();
} catch (const std::bad_alloc&) {
  refuse_memory(store.name());
}

Outcome run(const Experiment& experiment, RunStore& store, const Options& options,
            const Listener& listener) try {
  check_experiment(experiment, store.name());
  Ranks ranks(options.link);
  if (inspect_as_first(experiment, store, options, ranks).finished) {
    return Outcome::kAlreadyFinished;
  }
  return run(experiment, tasks::open_task(experiment.task, experiment.seed, options.data_folder),
             store, options, listener);
} catch (const std::bad_alloc&) {
  refuse_memory(store.name());
}

Outcome run(const Experiment& experiment, const fs::path& folder, const Options& options,
            const Listener& listener) {
  FolderStore store(folder);
  return run(experiment, store, options, listener);
}

}  // namespace rwa::training
