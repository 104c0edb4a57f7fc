#include "training/run_queue.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/ranks.h"
#include "report/text.h"
#include "rwa/device.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

int ranks_of(Job* job) { return job == nullptr ? 1 : job->link().size(); }
int groups_for(int runs, Job* job) { return std::clamp(runs, 1, ranks_of(job)); }

std::vector<QueuedRun> in_order(std::vector<QueuedRun> runs, int at_a_time) {
  const auto work_of = [](const QueuedRun& run) {
    return run.work_of_step * static_cast<double>(run.experiment.training.steps);
  };
  if (at_a_time > 1) std::ranges::stable_sort(runs, std::greater(), work_of);
  return runs;
}

std::optional<RankGroup> make_group(Job* job, int groups) {
  if (job == nullptr) return std::nullopt;
  return std::make_optional<RankGroup>(job->link(), groups);
}

// Returns the first ticket of these runs. No rank takes one before all ranks know it.
std::int64_t find_first_ticket(Job* job) {
  if (job == nullptr) return 0;
  Ranks ranks(&job->link());
  ranks.meet();
  std::int64_t first = ranks.rank() == 0 ? job->ticket() + 1 : 0;
  ranks.broadcast(std::as_writable_bytes(std::span(&first, 1)));
  return first;
}

// Without this check, ranks with different configurations would disagree in the middle of a run.
void check_same_runs(const std::vector<QueuedRun>& runs, Link* link) {
  Ranks ranks(link);
  const auto refuse = [&](const std::string& what) {
    throw ConfigError(fmt::format("rank {} has other runs than rank 0: {}", ranks.rank(), what));
  };
  std::size_t count = runs.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&count, 1)));
  if (count != runs.size())
    refuse(fmt::format("number of runs: {} there, {} here", count, runs.size()));
  for (const QueuedRun& run : runs) {
    const std::string mine = format_experiment(run.experiment);
    std::string theirs = mine;
    ranks.broadcast(theirs);
    if (theirs == mine) continue;
    const auto there = parse_experiment(theirs, "rank 0");
    refuse(fmt::format("{}", fmt::join(differences(there, run.experiment), "; ")));
  }
}

// Replaces the list by the concatenated lists of all ranks.
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

// Returns the GPU of this rank if the device is "cuda", which means any.
std::string device_of_rank(const std::string& device, const Job* job) {
  if (job == nullptr || device != "cuda") return device;
  const int gpus = static_cast<int>(devices().size()) - 1;  // the first device is the CPU
  return gpus == 0 ? device : fmt::format("cuda:{}", job->local_rank() % gpus);
}

}  // namespace

RunQueue::RunQueue(std::vector<QueuedRun> runs, const QueueOptions& options)
    : options_(options),
      groups_(groups_for(static_cast<int>(runs.size()), options.job)),
      runs_(in_order(std::move(runs), groups_ * options.at_a_time)),
      group_(make_group(options.job, groups_)),
      first_ticket_(find_first_ticket(options.job)) {
  if (options.job != nullptr) check_same_runs(runs_, all_ranks());
}

Link* RunQueue::all_ranks() const { return link_of(options_.job); }

std::vector<Divergence> RunQueue::run(QueueObserver& observer) {
  observer.start(*this);
  {
    std::vector<std::jthread> others;
    try {
      while (static_cast<int>(others.size()) + 1 < options_.at_a_time) {
        others.emplace_back([this, &observer] { work(observer); });
      }
    } catch (...) {
      fail(std::current_exception());
    }
    work(observer);
  }
  if (error_) std::rethrow_exception(error_);
  share_results();
  if (interrupted_.empty() && taken_ < runs_.size()) {
    interrupted_.push_back("before " + runs_[taken_].title);
  }
  if (interrupted_.empty()) return diverged_;
  throw Interrupted(fmt::format("{}", fmt::join(interrupted_, "; ")));
}

void RunQueue::share_results() {
  if (!group_) return;
  Ranks ranks(all_ranks());
  std::vector<std::string> titles, messages;
  for (const auto& [title, message] : diverged_) {
    if (!leads()) continue;
    titles.push_back(title);
    messages.push_back(message);
  }
  gather(ranks, titles);
  gather(ranks, messages);
  diverged_.clear();
  for (std::size_t i = 0; i < titles.size(); ++i) diverged_.push_back({titles[i], messages[i]});
  gather(ranks, interrupted_);
  double taken = leads() ? static_cast<double>(taken_) : 0;
  ranks.sum(std::span(&taken, 1));
  taken_ = static_cast<std::size_t>(taken);
}

void RunQueue::work(QueueObserver& observer) {
  while (const auto index = take_next()) {
    if (leads()) observer.begin(*index, group_ ? group_->size() : 1);
    try {
      const RunResult result = run_one(*index, observer);
      if (leads()) observer.end(*index, result);
    } catch (...) {
      if (group_ && group_->size() > 1) throw;  // other ranks of the group wait for this one
      fail(std::current_exception());
    }
  }
}

std::optional<std::size_t> RunQueue::take_next() {
  const std::lock_guard lock(mutex_);
  // Only the group's rank 0 takes tickets; all its ranks count the same runs.
  std::int64_t next = -1;
  if (leads()) next = choose_next();
  if (group_) Ranks(&*group_).broadcast(std::as_writable_bytes(std::span(&next, 1)));
  if (next < 0) return std::nullopt;
  ++taken_;
  return static_cast<std::size_t>(next);
}

// Returns -1 if there is no next run, or after a reason to stop.
std::int64_t RunQueue::choose_next() {
  if (is_stopped()) return -1;
  const std::int64_t next = options_.job == nullptr ? static_cast<std::int64_t>(taken_)
                                                    : options_.job->ticket() - first_ticket_;
  return next < static_cast<std::int64_t>(runs_.size()) ? next : -1;
}

bool RunQueue::is_stopped() const {
  return failed_ || (options_.each.stop && options_.each.stop());
}

void RunQueue::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  failed_ = true;
}

RunResult RunQueue::run_one(std::size_t index, QueueObserver& observer) {
  const auto start = std::chrono::steady_clock::now();
  RunResult result;
  try {
    result.outcome = run_in_store(index, observer);
  } catch (const DivergenceError& error) {
    result.divergence = error.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  note(index, result);
  return result;
}

void RunQueue::note(std::size_t index, const RunResult& result) {
  const QueuedRun& run = runs_[index];
  const std::lock_guard lock(mutex_);
  if (!result.divergence.empty()) {
    diverged_.push_back({run.title, result.divergence});
  } else if (result.outcome == Outcome::kInterrupted && leads()) {
    interrupted_.push_back(
        fmt::format("after step {} of {}, in {}", report::in_thousands(run.store->record().steps),
                    report::in_thousands(run.experiment.training.steps), run.store->name()));
  }
}

Outcome RunQueue::run_in_store(std::size_t index, QueueObserver& observer) {
  const QueuedRun& run = runs_[index];
  Options options = options_.each;
  options.time_budget = run.time_budget;
  options.memory = run.memory;
  options.device = device_of_rank(run.experiment.device, options_.job);
  options.final_outputs = run.final_outputs;
  if (group_ && group_->size() > 1) options.link = &*group_;
  const auto show = [&](const Progress& progress) {
    if (leads()) observer.progress(index, progress);
  };
  options.stop = [this] { return is_stopped(); };
  if (!run.dataset) return training::run(run.experiment, *run.store, options, show);
  return training::run(run.experiment, run.dataset, *run.store, options, show);
}

int jobs_of_rank(int runs, int jobs, Job* job) {
  const int ranks = ranks_of(job);
  return ranks > runs ? 1 : std::min(jobs, (runs + ranks - 1) / ranks);
}

int runs_at_a_time(int runs, int jobs, Job* job) {
  return std::min(runs, groups_for(runs, job) * jobs_of_rank(runs, jobs, job));
}

}  // namespace rwa::training
