// src/training/run_queue.h: several runs, some of them in parallel. Several ranks are divided into
// as many groups as there are runs, if possible. Each group does a run together, then takes the
// next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/group.h"
#include "comm/job.h"
#include "training/experiment.h"
#include "training/loop.h"
#include "training/run_store.h"

namespace rwa::training {

// Runs were stopped with a checkpoint. The message says where: "after step 5 of 10, in runs/one".
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct QueuedRun {
  Experiment experiment;
  std::shared_ptr<RunStore> store;
  std::string title;
  double work_of_step = 1;  // relative cost of a step, in any unit
  // Null: opens the data of the task when the run begins.
  std::shared_ptr<const datasets::Dataset> dataset = {};
  std::optional<double> time_budget = {};
  Memory memory = Memory::kFull;
  OutputListener final_outputs = {};
  std::string scored_on = "the whole test set";  // for the final score, in words
};

class RunQueue;

struct RunResult {
  Outcome outcome = Outcome::kFinished;
  std::string divergence = {};  // why it diverged; empty: it did not
  double seconds = 0;           // taken in this process
};

// Gets events of the runs on the first rank of each group, from several threads at once.
class QueueObserver {
 public:
  virtual ~QueueObserver() = default;
  // Called before all others, on every rank. Indices refer to queue.runs().
  virtual void start(const RunQueue& /*queue*/) {}
  virtual void begin(std::size_t /*index*/, int /*ranks*/) {}
  virtual void progress(std::size_t /*index*/, const Progress& /*progress*/) {}
  virtual void end(std::size_t /*index*/, const RunResult& /*result*/) {}
};

// A run that diverged.
struct Divergence {
  std::string title, message;
};

inline constexpr int kMostJobs = 64;

struct QueueOptions {
  Options each = {};   // for each run; the queue sets time budget, memory, device and link
  int at_a_time = 1;   // runs per rank, up to kMostJobs
  Job* job = nullptr;  // its ranks share the work; null: no other ranks
};

class RunQueue {
 public:
  // If runs are done in parallel, the longest come first, so that none is left alone at the end.
  // Throws ConfigError if ranks have different runs.
  RunQueue(std::vector<QueuedRun> runs, const QueueOptions& options);

  // In the order in which they are done. Indices of an observer refer to this.
  [[nodiscard]] const std::vector<QueuedRun>& runs() const { return runs_; }
  // Whether this rank reports the events of its runs.
  [[nodiscard]] bool leads() const { return !group_ || group_->rank() == 0; }
  [[nodiscard]] int at_a_time() const { return options_.at_a_time; }
  // Whether runs are done one after the other.
  [[nodiscard]] bool is_serial() const { return options_.at_a_time == 1 && groups_ == 1; }

  // Does all runs and returns those that diverged. Any other error stops all runs and is thrown
  // after they have written their checkpoints; so is Interrupted. All ranks return or throw the
  // same, except for errors of a single rank.
  std::vector<Divergence> run(QueueObserver& observer);

 private:
  void work(QueueObserver& observer);
  // Returns the next run, agreed on by all ranks of the group.
  std::optional<std::size_t> take_next();
  std::int64_t choose_next();
  RunResult run_one(std::size_t index, QueueObserver& observer);
  Outcome run_in_store(std::size_t index, QueueObserver& observer);
  void note(std::size_t index, const RunResult& result);
  void share_results();
  void fail(std::exception_ptr error);
  [[nodiscard]] bool is_stopped() const;
  [[nodiscard]] Link* all_ranks() const;

  const QueueOptions options_;
  const int groups_;
  const std::vector<QueuedRun> runs_;
  std::optional<RankGroup> group_;  // absent: no other ranks
  const std::int64_t first_ticket_;
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;  // guards the members below
  std::size_t taken_ = 0;
  std::vector<Divergence> diverged_;
  std::vector<std::string> interrupted_;  // where
  std::exception_ptr error_;              // the first other error
};

// Returns how many of `runs` one rank does in parallel, at most `jobs`. A rank that shares a run
// with others does only that.
int jobs_of_rank(int runs, int jobs, Job* job);
// The same for all ranks together.
int runs_at_a_time(int runs, int jobs, Job* job);

}  // namespace rwa::training
