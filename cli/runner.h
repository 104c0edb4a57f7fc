// cli/runner.h: runs training jobs, several at a time where asked to, shows how far they are, and says
// how they end.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "progress.h"
#include "run/experiment.h"
#include "run/loop.h"

namespace rwa::cli {

struct Job {
  run::Experiment experiment;
  std::filesystem::path folder;
  std::string title;
  double work_of_step = 1;  // what a step costs beside those of the others, in any unit
  std::shared_ptr<const data::Dataset> dataset = {};  // absent: the loop opens the task itself
  std::optional<double> time_budget = {};
  Memory memory = Memory::kFull;
  std::string scored_on = "the whole test set";
};

class Runner {
 public:
  // Those that take longest come first where several are run at a time, so that none is left alone at
  // the end.
  Runner(std::vector<Job> jobs, const run::Options& options, int at_a_time);

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
  // What is said of a run stands under its first line, unless others come between.
  [[nodiscard]] std::string about(std::size_t index) const;

  const std::vector<Job> jobs_;
  const run::Options& options_;
  const int at_a_time_;
  ProgressDisplay display_;

  std::mutex mutex_;  // of all that follows
  std::size_t next_ = 0;
  std::vector<std::string> diverged_;
  std::vector<std::string> interrupted_;  // where
  std::exception_ptr error_;              // the first that was neither
};

// Seconds of an option such as --time-limit; nothing where it was not given. Throws ConfigError.
std::optional<double> duration_of(const std::string& option,
                                  const std::optional<std::string>& text);
// Throws ConfigError where an option's value is not in 1…most.
void check_count(const std::string& option, int value, int most);
inline constexpr int kMostThreads = 1024;
inline constexpr int kMostJobs = 64;

}  // namespace rwa::cli
