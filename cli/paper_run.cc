// cli/paper_run.cc: `rwa paper run`: trains and scores, from the beginning or from where it was
// left.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan.h"
#include "interrupt.h"
#include "paper/evidence.h"
#include "paper/places.h"
#include "paper/plan.h"
#include "paper/report.h"
#include "paper_command.h"
#include "progress.h"
#include "report/table.h"
#include "run/loop.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "words.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick                          a first look, in a few minutes\n"
    "  rwa paper run grammar adding-100 --seeds 3     two experiments, seeds 1, 2 and 3\n"
    "  rwa paper run copy-100 --model rwa --variant script\n"
    "  rwa paper run copy-100 --model gru,rwa-forget  other cells\n"
    "  rwa paper run step-size --jobs 2               a study: its cases are the models\n"
    "  rwa paper run runs/grammar/rwa-seed1/config.toml --out again\n"
    "  rwa paper run all --device cuda --jobs 4       on a GPU, four at a time\n"
    "\n"
    "Ctrl-C or the end of --time-limit leaves a checkpoint: the same command goes on from there.\n"
    "What is finished is not run again; with more --steps it is continued.";

struct RunOptions {
  paper::Request request;
  std::filesystem::path data;
  int threads = bench::default_threads();
  int jobs = 1;
  double checkpoint_seconds = 60;
  std::optional<std::string> time_limit;
};

void check_range(std::string_view option, int value, int most) {
  if (value >= 1 && value <= most) return;
  throw ConfigError(fmt::format("{} is {}, expected 1 to {}", option, value, most));
}

void check_numbers(const RunOptions& options) {
  constexpr int kMostThreads = 1024;
  constexpr int kMostJobs = 64;
  check_range("--threads", options.threads, kMostThreads);
  check_range("--jobs", options.jobs, kMostJobs);
  if (!std::isfinite(options.checkpoint_seconds) || options.checkpoint_seconds < 0) {
    throw ConfigError(
        fmt::format("--checkpoint is {}, expected seconds, 0 or more", options.checkpoint_seconds));
  }
  instruction_set();  // throws for an RWA_CPU that this machine lacks
}

// "98.1 %, 0.175 bits", or where the run has no final score, nothing.
std::string final_score(const run::Record& record) {
  const run::Metric* final = run::final_of(record);
  if (final == nullptr) return "";
  return final->accuracy ? score(*final) + ", " + loss(*final) : loss(*final);
}

// Nothing: without limit.
std::optional<double> time_limit(const RunOptions& options) {
  if (!options.time_limit) return std::nullopt;
  const auto seconds = parse_duration(*options.time_limit);
  if (seconds) return seconds;
  throw ConfigError(
      fmt::format("--time-limit is '{}', expected seconds, more than 0, or a time such as 9m or "
                  "1h30m",
                  *options.time_limit));
}

// What a step costs is proportional to the length of its sequences.
double work_of_step(const paper::PlannedRun& planned) {
  return data::facts(planned.experiment.task).shape.mean_length;
}

double work_of(const paper::PlannedRun& planned) {
  return work_of_step(planned) * static_cast<double>(planned.experiment.training.steps);
}

// As they were planned; several at a time, the longest first, so that none is left alone at the end.
std::vector<paper::PlannedRun> in_order(std::vector<paper::PlannedRun> runs, int jobs) {
  if (jobs > 1) std::ranges::stable_sort(runs, std::greater(), work_of);
  return runs;
}

std::vector<ProgressDisplay::Run> to_be_shown(const std::vector<paper::PlannedRun>& runs) {
  std::vector<ProgressDisplay::Run> shown;
  shown.reserve(runs.size());
  for (const auto& planned : runs) {
    shown.push_back({.title = title(planned.experiment),
                     .steps = planned.experiment.training.steps,
                     .work = work_of_step(planned)});
  }
  return shown;
}

// Runs them all, and says how they end.
class Runner {
 public:
  Runner(const std::vector<paper::PlannedRun>& runs, const run::Options& options, int jobs)
      : runs_(in_order(runs, jobs)),
        options_(options),
        jobs_(jobs),
        display_(to_be_shown(runs_), jobs) {}

  // One that diverges does not stop the others: returns what those said. Any other error does, and
  // is thrown when the others have left their checkpoints; so is Interrupted.
  std::vector<std::string> run();

 private:
  void work();
  std::optional<std::size_t> take_next();
  void run_one(std::size_t index);
  run::Outcome run_and_show(std::size_t index);
  void say_outcome(std::size_t index, run::Outcome outcome, double seconds);
  void fail(std::exception_ptr error);
  [[nodiscard]] std::string name(std::size_t index) const { return title(runs_[index].experiment); }
  // What is said of a run stands under its first line, unless others come between.
  [[nodiscard]] std::string about(std::size_t index) const {
    return jobs_ == 1 ? "  " : name(index) + ": ";
  }

  const std::vector<paper::PlannedRun> runs_;
  const run::Options& options_;
  const int jobs_;
  ProgressDisplay display_;

  std::mutex mutex_;  // of all that follows
  std::size_t next_ = 0;
  std::vector<std::string> diverged_;
  std::vector<std::string> interrupted_;  // where
  std::exception_ptr error_;              // the first that was neither
};

std::vector<std::string> Runner::run() {
  {
    std::vector<std::jthread> others;
    try {
      while (static_cast<int>(others.size()) + 1 < jobs_) others.emplace_back([this] { work(); });
    } catch (...) {
      fail(std::current_exception());
    }
    work();
  }
  if (error_) std::rethrow_exception(error_);
  if (interrupted_.empty() && next_ < runs_.size()) interrupted_.push_back("before " + name(next_));
  if (interrupted_.empty()) return diverged_;
  throw Interrupted(fmt::format("{} {}; the same command goes on from there", cause_of_interrupt(),
                                fmt::join(interrupted_, "; ")));
}

void Runner::work() {
  while (const auto index = take_next()) {
    display_.begin(*index);
    try {
      run_one(*index);
    } catch (const DivergenceError& error) {
      display_.say(about(*index) + error.what());
      const std::lock_guard lock(mutex_);
      diverged_.push_back(fmt::format("{}: {}", name(*index), error.what()));
    } catch (...) {
      fail(std::current_exception());
    }
    display_.end(*index);
  }
}

// Nothing is begun after a reason to stop.
std::optional<std::size_t> Runner::take_next() {
  const std::lock_guard lock(mutex_);
  if (next_ == runs_.size() || *options_.stop) return std::nullopt;
  const auto& [experiment, folder] = runs_[next_];
  display_.say(fmt::format("[{}/{}] {}, {} steps, in {}", next_ + 1, runs_.size(), name(next_),
                           count(experiment.training.steps), folder.string()));
  return next_++;
}

void Runner::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  interrupt();
}

void Runner::run_one(std::size_t index) {
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = run_and_show(index);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  say_outcome(index, outcome, time.count());
}

run::Outcome Runner::run_and_show(std::size_t index) {
  const auto& [experiment, folder] = runs_[index];
  bool first = true;
  return run::run(experiment, folder, options_, [&](const run::Progress& progress) {
    if (std::exchange(first, false) && progress.step > 0) {
      display_.say(fmt::format("{}goes on from step {}", about(index), count(progress.step)));
    }
    display_.show(index, progress);
  });
}

void Runner::say_outcome(std::size_t index, run::Outcome outcome, double seconds) {
  const auto& [experiment, folder] = runs_[index];
  const run::Record record = run::read_run(folder);
  switch (outcome) {
    case run::Outcome::kFinished:
      display_.say(fmt::format("{}finished in {}: {} on the whole test set", about(index),
                               duration(seconds), final_score(record)));
      return;
    case run::Outcome::kAlreadyFinished:
      display_.say(fmt::format("{}was finished already: {} on the whole test set", about(index),
                               final_score(record)));
      return;
    case run::Outcome::kInterrupted: {
      const std::lock_guard lock(mutex_);
      interrupted_.push_back(fmt::format("after step {} of {}, in {}", count(record.steps),
                                         count(experiment.training.steps), folder.string()));
      return;
    }
  }
}

// Of runs that are in the catalogue, or a study's; others have none.
void print_summary(const std::vector<paper::PlannedRun>& runs, const paper::Library& authors,
                   const std::filesystem::path& out) {
  std::vector<run::Record> records;
  records.reserve(runs.size());
  for (const auto& planned : runs) records.push_back(run::read_run(planned.folder));
  const auto tables = paper::summarise(records, authors);
  if (tables.empty()) return;
  for (const auto& table : tables) fmt::print("\n{}", report::to_text(table));
  fmt::print("\nThe page with figures and claims: rwa paper report {}\n", out.string());
}

void run_paper(const RunOptions& options) {
  check_numbers(options);
  if (const auto seconds = time_limit(options)) interrupt_after(*seconds);
  const auto runs = paper::plan(options.request);
  const auto data = paper::check(runs, options.data);
  const auto authors = paper::evidence_of_authors(paper::find_curves({}));
  const int jobs = std::min(options.jobs, static_cast<int>(runs.size()));
  const run::Options each{.threads = std::max(1, options.threads / jobs),
                          .share = jobs,
                          .checkpoint_seconds = options.checkpoint_seconds,
                          .data_folder = data,
                          .stop = &watch_for_interrupts()};
  const auto diverged = Runner(runs, each, jobs).run();
  print_summary(runs, authors, options.request.out);
  if (!diverged.empty()) {
    throw DivergenceError(fmt::format("{} of {} runs diverged: {}", diverged.size(), runs.size(),
                                      fmt::join(diverged, "; ")));
  }
}

void add_request(CLI::App& command, paper::Request& request) {
  command.add_option("NAME", request.names,
                     "Experiments and studies (see rwa paper list), 'all', or a config.toml");
  command.add_flag(
      "--quick", request.quick,
      "Each at a length that shows the paper's point; without names, the three that have one");
  command
      .add_option("--model", request.models,
                  "rwa, rwa-forget, rwa-decay, lstm, gru, or one of the experiment's or the "
                  "study's own (default: all its own; of the paper's, rwa and lstm)")
      ->option_text("NAME[,NAME...]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--steps", request.steps, "Training steps (default: the experiment's)");
  command.add_option("--seeds", request.seeds, "How many seeds (default: 1)");
  command.add_option("--seed", request.seed, "The first of them (default: 1)");
  command.add_option("--variant", request.variant,
                     "text: as the paper says (default); script: as the released scripts do");
  command.add_option("--device", request.device, "cpu (default), cuda or cuda:N");
  add_folder(command, "--out", request.out, "Folder for the runs")->capture_default_str();
}

}  // namespace

void add_paper_run(CLI::App& paper) {
  auto options = std::make_shared<RunOptions>();
  auto* command = paper.add_subcommand("run", "Train and score experiments as the paper does");
  add_request(*command, options->request);
  add_folder(*command, "--data", options->data,
             "Folder with the files of MNIST (default: RWA_DATA, or the cache)");
  command->add_option("--threads", options->threads, "Threads (default: cores, at most 8)")
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Runs at a time; they share the threads or the GPU")
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit,
                      "As Ctrl-C after this time: seconds, or such as 9m or 1h30m");
  command->add_option("--checkpoint", options->checkpoint_seconds, "Seconds between checkpoints")
      ->capture_default_str();
  command->footer(kExample);
  command->callback([options] { run_paper(*options); });
}

}  // namespace rwa::cli
