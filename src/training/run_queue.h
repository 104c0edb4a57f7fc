// src/training/run_queue.h: several runs, some at a time. Where there are several ranks, they
// are cut into as many groups as there are runs; each group does a run together, and then the
// next that no group has begun.
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

// Work was left with a checkpoint. The message says where: "after step 5 of 10, in runs/one".
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct QueuedRun {
  Experiment experiment;
  std::shared_ptr<RunStore> store;
  std::string title;
  double work_of_step = 1;  // what a step costs beside those of the others, in any unit
  // Absent: the data of the task, which are opened when the run begins.
  std::shared_ptr<const datasets::Dataset> dataset = {};
  std::optional<double> time_budget = {};
  Memory memory = Memory::kFull;
  OutputListener final_outputs = {};
  std::string scored_on = "the whole test set";  // at its end, in words
};

class RunQueue;

struct RunResult {
  Outcome outcome = Outcome::kFinished;
  std::string divergence = {};  // why it has no outcome; empty: it has
  double seconds = 0;           // that it took here
};

// Is told what becomes of the runs, by the first rank of the group that does them; from several
// threads at once.
class QueueObserver {
 public:
  virtual ~QueueObserver() = default;
  // Before all others, and on every rank; indexes are those of queue.runs().
  virtual void start(const RunQueue& /*queue*/) {}
  virtual void begin(std::size_t /*index*/, int /*ranks*/) {}
  virtual void progress(std::size_t /*index*/, const Progress& /*progress*/) {}
  virtual void end(std::size_t /*index*/, const RunResult& /*result*/) {}
};

// A run that left what can be trained.
struct Divergence {
  std::string title, message;
};

struct QueueOptions {
  Options each = {};   // of a run; its time, memory, device and link are the queue's matter
  int at_a_time = 1;   // runs, by each rank
  Job* job = nullptr;  // whose ranks share the work; null: this process is alone
};

class RunQueue {
 public:
  // Those that take longest come first where several are done at a time, so that none is left alone
  // at the end. Throws ConfigError where ranks have different runs.
  RunQueue(std::vector<QueuedRun> runs, const QueueOptions& options);

  // In the order in which they are done, which all indexes of an observer refer to.
  [[nodiscard]] const std::vector<QueuedRun>& runs() const { return runs_; }
  // Whether this rank is told what becomes of its runs.
  [[nodiscard]] bool leads() const { return !group_ || group_->rank() == 0; }
  [[nodiscard]] int at_a_time() const { return options_.at_a_time; }
  // Whether runs are done one after the other.
  [[nodiscard]] bool is_serial() const { return options_.at_a_time == 1 && groups_ == 1; }

  // One that diverges does not stop the others: returns those. Any other error does, and
  // is thrown when the others have left their checkpoints; so is Interrupted. Of several ranks all
  // return or throw the same, but for errors that are one rank's own.
  std::vector<Divergence> run(QueueObserver& observer);

 private:
  void work(QueueObserver& observer);
  // The number of the next run, as all ranks of the group have it.
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
  std::optional<RankGroup> group_;  // absent: there are no other ranks
  const std::int64_t first_ticket_;
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;  // of all that follows
  std::size_t taken_ = 0;
  std::vector<Divergence> diverged_;
  std::vector<std::string> interrupted_;  // where
  std::exception_ptr error_;              // the first that was neither
};

// How many of `runs` one rank does at a time where it may do `jobs`: one that does a run with
// others has no more beside it.
int jobs_of_rank(int runs, int jobs, Job* job);
// And all ranks together.
int runs_at_a_time(int runs, int jobs, Job* job);

}  // namespace rwa::training
