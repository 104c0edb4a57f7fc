#include "runner.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interrupt.h"
#include "run/folder.h"
#include "rwa/errors.h"
#include "words.h"

namespace rwa::cli {
namespace {

double work_of(const Job& job) {
  return job.work_of_step * static_cast<double>(job.experiment.training.steps);
}

std::vector<Job> in_order(std::vector<Job> jobs, int at_a_time) {
  if (at_a_time > 1) std::ranges::stable_sort(jobs, std::greater(), work_of);
  return jobs;
}

std::vector<ProgressDisplay::Run> to_be_shown(const std::vector<Job>& jobs) {
  std::vector<ProgressDisplay::Run> shown;
  shown.reserve(jobs.size());
  for (const Job& job : jobs) {
    shown.push_back({job.title, job.experiment.training.steps, job.work_of_step});
  }
  return shown;
}

// "98.1 %, 0.175 bits", or where the run has no final score, nothing.
std::string final_score(const run::Record& record) {
  const run::Metric* final = run::final_of(record);
  if (final == nullptr) return "";
  return final->accuracy ? score(*final) + ", " + loss(*final) : loss(*final);
}

}  // namespace

Runner::Runner(std::vector<Job> jobs, const run::Options& options, int at_a_time)
    : jobs_(in_order(std::move(jobs), at_a_time)),
      options_(options),
      at_a_time_(at_a_time),
      display_(to_be_shown(jobs_), at_a_time) {}

std::string Runner::about(std::size_t index) const {
  return at_a_time_ == 1 ? "  " : jobs_[index].title + ": ";
}

std::vector<std::string> Runner::run() {
  {
    std::vector<std::jthread> others;
    try {
      while (static_cast<int>(others.size()) + 1 < at_a_time_)
        others.emplace_back([this] { work(); });
    } catch (...) {
      fail(std::current_exception());
    }
    work();
  }
  if (error_) std::rethrow_exception(error_);
  if (interrupted_.empty() && next_ < jobs_.size())
    interrupted_.push_back("before " + jobs_[next_].title);
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
      diverged_.push_back(fmt::format("{}: {}", jobs_[*index].title, error.what()));
    } catch (...) {
      fail(std::current_exception());
    }
    display_.end(*index);
  }
}

// Nothing is begun after a reason to stop.
std::optional<std::size_t> Runner::take_next() {
  const std::lock_guard lock(mutex_);
  if (next_ == jobs_.size() || *options_.stop) return std::nullopt;
  const Job& job = jobs_[next_];
  display_.say(fmt::format("[{}/{}] {}, {} steps, in {}", next_ + 1, jobs_.size(),
                           jobs_[next_].title, count(job.experiment.training.steps),
                           job.folder.string()));
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
  const Job& job = jobs_[index];
  run::Options options = options_;
  options.time_budget = job.time_budget;
  options.memory = job.memory;
  bool first = true;
  const auto show = [&](const run::Progress& progress) {
    if (std::exchange(first, false) && progress.step > 0) {
      display_.say(fmt::format("{}goes on from step {}", about(index), count(progress.step)));
    }
    display_.show(index, progress);
  };
  return job.dataset ? run::run(job.experiment, job.dataset, job.folder, options, show)
                     : run::run(job.experiment, job.folder, options, show);
}

void Runner::say_outcome(std::size_t index, run::Outcome outcome, double seconds) {
  const Job& job = jobs_[index];
  const run::Record record = run::read_run(job.folder);
  const std::string last = final_score(record);
  const std::string scored =
      last.empty() ? std::string() : fmt::format(": {} on {}", last, job.scored_on);
  switch (outcome) {
    case run::Outcome::kFinished:
      display_.say(fmt::format("{}finished in {}{}", about(index), duration(seconds), scored));
      return;
    case run::Outcome::kAlreadyFinished:
      display_.say(fmt::format("{}was finished already{}", about(index), scored));
      return;
    case run::Outcome::kInterrupted: {
      const std::lock_guard lock(mutex_);
      interrupted_.push_back(fmt::format("after step {} of {}, in {}", count(record.steps),
                                         count(job.experiment.training.steps),
                                         job.folder.string()));
      return;
    }
  }
}

std::optional<double> duration_of(const std::string& option,
                                  const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto seconds = parse_duration(*text);
  if (seconds) return seconds;
  throw ConfigError(fmt::format(
      "{} is '{}', expected seconds, more than 0, or a time such as 9m or 1h30m", option, *text));
}

void check_count(const std::string& option, int value, int most) {
  if (value >= 1 && value <= most) return;
  throw ConfigError(fmt::format("{} is {}, expected 1 to {}", option, value, most));
}

}  // namespace rwa::cli
