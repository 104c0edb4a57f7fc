// cli/runner.h: does runs, several at a time where asked to, shows how far they are, and says how they
// end. Where there are several ranks, they are cut into as many groups as there are runs; each group
// does a run together, and then the next that no group has begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/group.h"
#include "progress.h"
#include "training/experiment.h"
#include "training/loop.h"

namespace rwa::cli {

struct Run {
  training::Experiment experiment;
  std::filesystem::path folder;
  std::string title;
  double work_of_step = 1;  // what a step costs beside those of the others, in any unit
  std::shared_ptr<const datasets::Dataset> dataset = {};  // absent: the loop opens the task itself
  std::optional<double> time_budget = {};
  Memory memory = Memory::kFull;
  std::string scored_on = "the whole test set";
};

class Runner {
 public:
  // at_a_time: by each rank. Those that take longest come first where several are run at a time, so
  // that none is left alone at the end.
  Runner(std::vector<Run> runs, const training::Options& options, int at_a_time);

  // One that diverges does not stop the others: returns what those said. Any other error does, and
  // is thrown when the others have left their checkpoints; so is Interrupted. Of several ranks all
  // return or throw the same, but for errors that are one rank's own.
  std::vector<std::string> run();

 private:
  void work();
  // The number of the next run, as all ranks of the group have it.
  std::optional<std::size_t> take_next();
  std::int64_t choose_next();
  void share_outcomes();
  void say(const std::string& line);
  void run_one(std::size_t index);
  training::Outcome run_and_show(std::size_t index);
  void say_outcome(std::size_t index, training::Outcome outcome, double seconds);
  void fail(std::exception_ptr error);
  // What is said of a run stands under its first line, unless others come between.
  [[nodiscard]] std::string about(std::size_t index) const;
  [[nodiscard]] bool is_only_one() const { return at_a_time_ == 1 && groups_ == 1; }

  const int groups_;
  const int at_a_time_;  // in each of them
  const std::vector<Run> runs_;
  const training::Options& options_;
  std::optional<RankGroup> group_;  // absent: there are no other ranks
  const std::int64_t first_ticket_;
  std::optional<ProgressDisplay> display_;  // of the first rank of the group

  std::mutex mutex_;  // of all that follows
  std::size_t taken_ = 0;
  std::vector<std::string> diverged_;
  std::vector<std::string> interrupted_;  // where
  std::exception_ptr error_;              // the first that was neither
};

// Throws DivergenceError that tells what Runner::run() has returned, unless that is nothing.
void throw_if_diverged(const std::vector<std::string>& diverged, std::size_t runs);

// Seconds of an option such as --time-limit; nothing where it was not given. Throws ConfigError.
std::optional<double> duration_of(const std::string& option,
                                  const std::optional<std::string>& text);
// Throws ConfigError where an option's value is not in 1…most.
void check_count(const std::string& option, int value, int most);
inline constexpr int kMostThreads = 1024;
inline constexpr int kMostJobs = 64;

// How many of `runs` one rank does at a time where it may do `jobs`: one that does a run with others has
// no more beside it.
int jobs_of_rank(int runs, int jobs);
// And all ranks together.
int runs_at_a_time(int runs, int jobs);

}  // namespace rwa::cli
