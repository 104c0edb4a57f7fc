#include "runner.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/ranks.h"
#include "interrupt.h"
#include "ranks.h"
#include "rwa/errors.h"
#include "training/folder.h"
#include "words.h"

namespace rwa::cli {
namespace {

double work_of(const Run& run) {
  return run.work_of_step * static_cast<double>(run.experiment.training.steps);
}

std::vector<Run> in_order(std::vector<Run> runs, int at_a_time) {
  if (at_a_time > 1) std::ranges::stable_sort(runs, std::greater(), work_of);
  return runs;
}

std::vector<ProgressDisplay::Run> to_be_shown(const std::vector<Run>& runs) {
  std::vector<ProgressDisplay::Run> shown;
  shown.reserve(runs.size());
  for (const Run& run : runs) {
    shown.push_back({run.title, run.experiment.training.steps, run.work_of_step});
  }
  return shown;
}

int ranks_there() { return all_ranks() == nullptr ? 1 : all_ranks()->size(); }
int groups_for(int runs) { return std::clamp(runs, 1, ranks_there()); }

std::optional<RankGroup> make_group(int groups) {
  if (all_ranks() == nullptr) return std::nullopt;
  return std::make_optional<RankGroup>(*all_ranks(), groups);
}

// Tickets from here on are for the runs that follow: nobody takes one before all have this.
std::int64_t find_first_ticket() {
  if (job() == nullptr) return 0;
  Ranks ranks(all_ranks());
  ranks.meet();
  std::int64_t first = ranks.rank() == 0 ? job()->ticket() + 1 : 0;
  ranks.broadcast(std::as_writable_bytes(std::span(&first, 1)));
  return first;
}

// A configuration that only some have, or an older one, would make ranks disagree in the middle.
void check_same_runs(const std::vector<Run>& runs) {
  Ranks ranks(all_ranks());
  const auto refuse = [&](const std::string& what) {
    throw ConfigError(fmt::format("rank {} plans other work than rank 0: {}", ranks.rank(), what));
  };
  std::size_t count = runs.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&count, 1)));
  if (count != runs.size()) refuse(fmt::format("{} runs there, {} here", count, runs.size()));
  for (const Run& run : runs) {
    const std::string mine = training::format_experiment(run.experiment);
    std::string theirs = mine;
    ranks.broadcast(theirs);
    if (theirs == mine) continue;
    const auto there = training::parse_experiment(theirs, "rank 0");
    refuse(fmt::format("{}", fmt::join(training::differences(there, run.experiment), "; ")));
  }
}

// The lists of all ranks, one after the other.
void gather(Ranks& ranks, std::vector<std::string>& lines) {
  constexpr char kEnd = '\0';
  std::string mine;
  for (const std::string& line : lines) (mine += line) += kEnd;
  lines.clear();
  for (const std::string& text : ranks.gather(mine)) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find(kEnd, begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

// "98.1 %, 0.175 bits", or where the run has no final score, nothing.
std::string final_score(const training::Record& record) {
  const training::Metric* final = training::final_of(record);
  if (final == nullptr) return "";
  return final->accuracy ? score(*final) + ", " + loss(*final) : loss(*final);
}

}  // namespace

Runner::Runner(std::vector<Run> runs, const training::Options& options, int at_a_time)
    : groups_(groups_for(static_cast<int>(runs.size()))),
      at_a_time_(at_a_time),
      runs_(in_order(std::move(runs), groups_ * at_a_time_)),
      options_(options),
      group_(make_group(groups_)),
      first_ticket_(find_first_ticket()) {
  if (all_ranks() != nullptr) check_same_runs(runs_);
  if (!group_ || group_->rank() == 0) display_.emplace(to_be_shown(runs_), at_a_time_);
}

std::string Runner::about(std::size_t index) const {
  return is_only_one() ? "  " : runs_[index].title + ": ";
}

void Runner::say(const std::string& line) {
  if (display_) display_->say(line);
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
  share_outcomes();
  if (interrupted_.empty() && taken_ < runs_.size())
    interrupted_.push_back("before " + runs_[taken_].title);
  if (interrupted_.empty()) return diverged_;
  throw Interrupted(fmt::format("{} {}; the same command goes on from there", cause_of_interrupt(),
                                fmt::join(interrupted_, "; ")));
}

void Runner::share_outcomes() {
  if (!group_) return;
  Ranks ranks(all_ranks());
  const bool leads = group_->rank() == 0;
  if (!leads) diverged_.clear();
  gather(ranks, diverged_);
  gather(ranks, interrupted_);
  double taken = leads ? static_cast<double>(taken_) : 0;
  ranks.sum(std::span(&taken, 1));
  taken_ = static_cast<std::size_t>(taken);
}

void Runner::work() {
  while (const auto index = take_next()) {
    if (display_) display_->begin(*index);
    try {
      run_one(*index);
    } catch (const DivergenceError& error) {
      say(about(*index) + error.what());
      const std::lock_guard lock(mutex_);
      diverged_.push_back(fmt::format("{}: {}", runs_[*index].title, error.what()));
    } catch (...) {
      if (group_ && group_->size() > 1) throw;  // the others of the group wait for this rank
      fail(std::current_exception());
    }
    if (display_) display_->end(*index);
  }
}

std::optional<std::size_t> Runner::take_next() {
  const std::lock_guard lock(mutex_);
  // Its rank 0 alone takes tickets; all of the group have the same count of runs in the end.
  std::int64_t next = -1;
  if (!group_ || group_->rank() == 0) next = choose_next();
  if (group_) Ranks(&*group_).broadcast(std::as_writable_bytes(std::span(&next, 1)));
  if (next < 0) return std::nullopt;
  ++taken_;
  const auto index = static_cast<std::size_t>(next);
  const Run& run = runs_[index];
  const std::string ranks =
      group_ && group_->size() > 1 ? fmt::format(", on {} ranks", group_->size()) : "";
  say(fmt::format("[{}/{}] {}, {} steps{}, in {}", index + 1, runs_.size(), run.title,
                  count(run.experiment.training.steps), ranks, run.folder.string()));
  return index;
}

// Nothing is begun after a reason to stop, and -1 is nothing.
std::int64_t Runner::choose_next() {
  if (*options_.stop || error_) return -1;
  const std::int64_t next =
      job() == nullptr ? static_cast<std::int64_t>(taken_) : job()->ticket() - first_ticket_;
  return next < static_cast<std::int64_t>(runs_.size()) ? next : -1;
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
  if (display_) say_outcome(index, outcome, time.count());
}

training::Outcome Runner::run_and_show(std::size_t index) {
  const Run& run = runs_[index];
  training::Options options = options_;
  options.time_budget = run.time_budget;
  options.memory = run.memory;
  options.device = device_of_rank(run.experiment.device);
  if (group_ && group_->size() > 1) options.link = &*group_;
  bool first = true;
  const auto show = [&](const training::Progress& progress) {
    if (!display_) return;
    if (std::exchange(first, false) && progress.step > 0) {
      say(fmt::format("{}goes on from step {}", about(index), count(progress.step)));
    }
    display_->show(index, progress);
  };
  return run.dataset ? training::run(run.experiment, run.dataset, run.folder, options, show)
                     : training::run(run.experiment, run.folder, options, show);
}

void Runner::say_outcome(std::size_t index, training::Outcome outcome, double seconds) {
  const Run& run = runs_[index];
  const training::Record record = training::read_run(run.folder);
  const std::string last = final_score(record);
  const std::string scored =
      last.empty() ? std::string() : fmt::format(": {} on {}", last, run.scored_on);
  switch (outcome) {
    case training::Outcome::kFinished:
      say(fmt::format("{}finished in {}{}", about(index), duration(seconds), scored));
      return;
    case training::Outcome::kAlreadyFinished:
      say(fmt::format("{}was finished already{}", about(index), scored));
      return;
    case training::Outcome::kInterrupted: {
      const std::lock_guard lock(mutex_);
      interrupted_.push_back(fmt::format("after step {} of {}, in {}", count(record.steps),
                                         count(run.experiment.training.steps),
                                         run.folder.string()));
      return;
    }
  }
}

void throw_if_diverged(const std::vector<std::string>& diverged, std::size_t runs) {
  if (diverged.empty()) return;
  throw DivergenceError(
      fmt::format("{} of {} runs diverged: {}", diverged.size(), runs, fmt::join(diverged, "; ")));
}

std::optional<double> duration_of(const std::string& option,
                                  const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto seconds = parse_duration(*text);
  if (seconds) return seconds;
  throw ConfigError(fmt::format(
      "{} is '{}', expected seconds, more than 0, or a time such as 9m or 1h30m", option, *text));
}

int jobs_of_rank(int runs, int jobs) {
  const int ranks = ranks_there();
  return ranks > runs ? 1 : std::min(jobs, (runs + ranks - 1) / ranks);
}

int runs_at_a_time(int runs, int jobs) {
  return std::min(runs, groups_for(runs) * jobs_of_rank(runs, jobs));
}

void check_count(const std::string& option, int value, int most) {
  if (value >= 1 && value <= most) return;
  throw ConfigError(fmt::format("{} is {}, expected 1 to {}", option, value, most));
}

}  // namespace rwa::cli
