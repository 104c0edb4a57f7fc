// src/run/loop.cc: the order in which things reach the disk is what makes a run killed at any
// moment go on with the bits of one that was not. A checkpoint is written after the metrics up to
// its step and says how many bytes they have; whatever was written later is cut off when the run
// goes on, and written again. What happens at the end of a run, after its last step, comes after
// the checkpoint of that step: so it can be done again, and steps can be added.
#include "run/loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "io/text_file.h"
#include "run/checkpoint.h"
#include "run/evaluate.h"
#include "run/inspect.h"
#include "run/metrics_file.h"
#include "run/prefetch.h"
#include "run/run_file.h"
#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/trainer.h"

namespace rwa::run {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kBatchesAhead = 2;  // one that is ready, and one that is being made

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Numbers of samples drawn with replacement: those of draw `first` and the ones after it.
void draw(const Random& random, std::int64_t first, std::int64_t size,
          std::span<std::int64_t> samples) {
  for (std::int64_t& sample : samples) {
    sample = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(first++), static_cast<std::uint64_t>(size)));
  }
}

SessionOptions session_options(const Experiment& experiment, const Options& options) {
  return {.threads = options.threads, .device = experiment.device, .share = options.share};
}

TrainerOptions trainer_options(const Training& training, const SessionOptions& session) {
  return {.learning_rate = training.learning_rate,
          .beta1 = training.beta1,
          .beta2 = training.beta2,
          .epsilon = training.epsilon,
          .clip_norm = training.clip_norm,
          .session = session};
}

// How long a step takes, with its share of evaluations and checkpoints.
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
  // Nothing is written before begin().
  Loop(const Experiment& experiment, const fs::path& folder, const Options& options,
       const Listener& listener)
      : experiment_(experiment),
        folder_(folder),
        options_(options),
        listener_(listener),
        overlap_(options.overlap.value_or(experiment.device != "cpu")),
        dataset_(data::open_task(experiment.task, experiment.seed, options.data_folder)),
        model_(model_config(experiment, dataset_->shape())),
        trainer_(model_,
                 trainer_options(experiment.training, session_options(experiment, options))),
        evaluator_(model_, *dataset_, session_options(experiment, options)) {}

  void begin(const Found& found);
  // To the end, or until it is stopped.
  Outcome go_on();

 private:
  [[nodiscard]] Prefetch::Fill training_batches() const;
  void submit_steps();
  void submit_step();
  void collect_step();
  void evaluate();
  std::optional<Score> score_all();
  Metric checked(Metric metric) const;
  void save(Status status);
  void write_run(Status status, const std::optional<Metric>& final = {});
  Outcome interrupt();
  Outcome finish();
  void tell();

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  // Weights on their way to nowhere would replace better ones.
  [[nodiscard]] bool is_losing() const { return state_.rule.is_counting(); }
  [[nodiscard]] bool is_checkpoint_due() const {
    return !is_losing() && seconds_since(saved_at_) >= options_.checkpoint_seconds;
  }
  [[nodiscard]] bool is_evaluated(std::int64_t step) const {
    return step % experiment_.evaluation.every == 0;
  }
  [[nodiscard]] int most_submitted() const { return overlap_ ? Trainer::kMostSubmitted : 1; }
  [[nodiscard]] Loss loss() const { return dataset_->shape().loss; }

  const Experiment& experiment_;
  const fs::path& folder_;
  const Options& options_;
  const Listener& listener_;
  const bool overlap_;
  std::unique_ptr<data::Dataset> dataset_;
  Model model_;
  std::optional<Prefetch> batches_;  // outlives the trainer, which may be reading them
  Trainer trainer_;
  Evaluator evaluator_;
  std::optional<MetricsFile> metrics_;

  State state_;
  std::int64_t saved_step_ = -1;  // of the checkpoint in the folder
  Clock::time_point saved_at_ = Clock::now();

  int submitted_ = 0;                  // steps that are not collected
  Clock::time_point counted_until_;    // of the time in training
  std::vector<std::int64_t> samples_;  // of an evaluation
  double last_loss_ = 0;
  std::optional<Metric> last_test_;
  Pace pace_;
};

// From a folder in any state to one of a run in progress. Until run.json says so, a finished run is
// finished; the configuration comes first, since it makes the folder ours.
void Loop::begin(const Found& found) {
  if (found.checkpoint) {
    restore(*found.checkpoint, model_, trainer_);
    state_ = found.checkpoint->state;
    saved_step_ = state_.step;
  } else {
    state_.started = utc_now();
  }
  if (!found.configured) io::replace_text(folder_ / kConfigFile, format_experiment(experiment_));
  write_run(Status::kRunning);
  metrics_.emplace(folder_ / kMetricsFile, state_.metrics_bytes);
  batches_.emplace(training_batches(), Prefetch::Extent{.first = state_.step,
                                                        .end = experiment_.training.steps,
                                                        .kept = most_submitted(),
                                                        .ahead = overlap_ ? kBatchesAhead : 0});
}

Prefetch::Fill Loop::training_batches() const {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(experiment_.training.batch));
  return [this, samples](std::int64_t number, data::Batch& batch) mutable {
    draw({experiment_.seed, Purpose::kTrainDraws}, number * experiment_.training.batch,
         dataset_->size(data::Split::kTrain), samples);
    dataset_->fill(data::Split::kTrain, samples, batch);
  };
}

Outcome Loop::go_on() try {
  if (saved_step_ < 0) {
    evaluate();
    save(Status::kRunning);
  }
  tell();
  pace_ = Pace();
  while (state_.step < experiment_.training.steps) {
    if (submitted_ == 0 && stopped()) return interrupt();
    submit_steps();
    collect_step();
    if (is_evaluated(state_.step)) evaluate();
    if (submitted_ == 0 && is_checkpoint_due()) save(Status::kRunning);
    pace_.see_step();
    tell();
  }
  save(Status::kRunning);  // even a lost one: these are the steps that were asked for
  return finish();
} catch (const DivergenceError&) {
  write_run(Status::kDiverged);
  throw;
}

// One, and as many more as keep the device at work. Evaluations and checkpoints need the weights of
// their step: none is submitted beyond it before they are done.
void Loop::submit_steps() {
  if (submitted_ == 0) submit_step();
  const bool pausing = stopped() || is_checkpoint_due();
  while (!pausing && submitted_ < most_submitted()) {
    const std::int64_t last = state_.step + submitted_;
    if (is_evaluated(last) || last == experiment_.training.steps) return;
    submit_step();
  }
}

void Loop::submit_step() {
  const auto begin = Clock::now();
  if (submitted_ == 0) counted_until_ = begin;
  const data::Batch& batch = batches_->next();
  state_.host_wait_seconds += seconds_since(begin);
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

// Every evaluation has test samples of its own. One that comes early, at the end of a run, has
// those of the next.
void Loop::evaluate() {
  if (state_.loss_count > 0) {
    const Score training{.loss = state_.loss_sum, .answers = state_.loss_count};
    metrics_->append(checked(to_metric(training, loss(), state_.step, "train")));
    state_.loss_sum = 0;
    state_.loss_count = 0;
  }
  const auto begin = Clock::now();
  const std::int64_t every = experiment_.evaluation.every;
  const std::int64_t number = state_.step / every + (state_.step % every != 0 ? 1 : 0);
  samples_.resize(static_cast<std::size_t>(experiment_.evaluation.samples));
  draw({experiment_.seed, Purpose::kTestDraws}, number * experiment_.evaluation.samples,
       dataset_->size(data::Split::kTest), samples_);
  const Score score = evaluator_.score(data::Split::kTest, samples_);
  state_.evaluate_seconds += seconds_since(begin);
  last_test_ = checked(to_metric(score, loss(), state_.step, "test"));
  metrics_->append(*last_test_);
}

// As many test samples as there are; nothing if it was stopped on the way.
std::optional<Score> Loop::score_all() {
  const auto begin = Clock::now();
  const std::int64_t size = dataset_->size(data::Split::kTest);
  Score total;
  for (std::int64_t first = 0; first < size; first += experiment_.evaluation.samples) {
    if (stopped()) return std::nullopt;
    const std::int64_t count = std::min<std::int64_t>(experiment_.evaluation.samples, size - first);
    samples_.resize(static_cast<std::size_t>(count));
    if (experiment_.evaluation.final_draws) {
      draw({experiment_.seed, Purpose::kFinalDraws}, first, size, samples_);
    } else {
      std::iota(samples_.begin(), samples_.end(), first);
    }
    total += evaluator_.score(data::Split::kTest, samples_);
  }
  state_.evaluate_seconds += seconds_since(begin);
  return total;
}

Metric Loop::checked(Metric metric) const {
  if (!std::isfinite(metric.loss)) {
    throw DivergenceError(fmt::format("training diverged at step {}: the {} loss is {}",
                                      metric.step, metric.split, metric.loss));
  }
  return metric;
}

void Loop::save(Status status) {
  if (saved_step_ != state_.step) {
    metrics_->sync();
    state_.metrics_bytes = metrics_->size();
    write_checkpoint(folder_ / kCheckpointFile, experiment_, state_, model_, trainer_);
    saved_step_ = state_.step;
  }
  write_run(status);
  saved_at_ = Clock::now();
}

void Loop::write_run(Status status, const std::optional<Metric>& final) {
  write_run_file(folder_ / kRunFile, experiment_,
                 {.status = status,
                  .started = state_.started,
                  .steps = state_.step,
                  .train_seconds = state_.train_seconds,
                  .host_wait_seconds = state_.host_wait_seconds,
                  .evaluate_seconds = state_.evaluate_seconds,
                  .parameters = static_cast<std::int64_t>(model_.parameter_count()),
                  .threads = options_.threads,
                  .share = options_.share,
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
  const std::optional<Score> score = score_all();
  if (!score) {
    write_run(Status::kInterrupted);
    return Outcome::kInterrupted;
  }
  last_test_ = checked(to_metric(*score, loss(), state_.step, "final"));
  metrics_->append(*last_test_);
  metrics_->sync();
  model_.save(folder_ / kModelFile);
  write_run(Status::kFinished, last_test_);
  tell();
  return Outcome::kFinished;
}

void Loop::tell() {
  if (!listener_) return;
  const double pace = pace_.seconds_per_step();
  const std::int64_t steps = experiment_.training.steps;
  listener_({.step = state_.step,
             .steps = steps,
             .loss = last_loss_,
             .test = last_test_,
             .steps_per_second = pace > 0 ? 1 / pace : 0,
             .seconds_left = pace * static_cast<double>(steps - state_.step)});
}

// The limits of the task, the network and the optimiser are known where these are made; they are
// the same on every device, and the CPU is there at once.
void check_limits(const Experiment& experiment) {
  Model model(model_config(experiment, data::facts(experiment.task).shape));
  const Trainer trainer(model, trainer_options(experiment.training, {}));
}

// An experiment need not come from a file, but must be one that could.
void check_experiment(const Experiment& experiment, const fs::path& folder) try {
  (void)parse_experiment(format_experiment(experiment), "experiment");
  (void)find_device(experiment.device);
  check_limits(experiment);
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{}: {}", folder.string(), error.what()));
} catch (const ResourceError& error) {
  throw ResourceError(fmt::format("{}: {}", folder.string(), error.what()));
}

}  // namespace

bool check(const Experiment& experiment, const fs::path& folder) {
  check_experiment(experiment, folder);
  return inspect(experiment, folder).finished;
}

Outcome run(const Experiment& experiment, const fs::path& folder, const Options& options,
            const Listener& listener) try {
  if (check(experiment, folder)) return Outcome::kAlreadyFinished;
  if (!(options.checkpoint_seconds >= 0)) {
    throw ConfigError(fmt::format("the time between checkpoints is {} seconds, expected 0 or more",
                                  options.checkpoint_seconds));
  }
  Loop loop(experiment, folder, options, listener);
  const FolderLock lock(folder);
  // Only now can nobody else change it.
  const Found found = inspect(experiment, folder);
  if (found.finished) return Outcome::kAlreadyFinished;
  loop.begin(found);
  return loop.go_on();
} catch (const std::bad_alloc&) {
  throw ResourceError(fmt::format("{}: not enough memory for this run", folder.string()));
}

}  // namespace rwa::run
