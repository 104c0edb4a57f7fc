// cli/run_display.h: reports the progress and results of runs, as permanent lines and a bar.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "progress.h"
#include "training/run_queue.h"
#include "workflows/tune.h"

namespace rwa::cli {

class RunDisplay final : public workflows::TuneObserver {
 public:
  void start(const training::RunQueue& queue) override;
  void begin_round(const workflows::Round& round) override;
  void scored(const workflows::Candidate& candidate) override;
  void begin(std::size_t index, int ranks) override;
  void progress(std::size_t index, const training::Progress& progress) override;
  void end(std::size_t index, const training::RunResult& result) override;

 private:
  // Prefix of a run's lines: an indent below its first line, or its title if runs interleave.
  [[nodiscard]] std::string about(std::size_t index) const;
  [[nodiscard]] std::string end_in_words(std::size_t index,
                                         const training::RunResult& result) const;

  const training::RunQueue* queue_ = nullptr;
  std::optional<ProgressDisplay> display_;
  std::vector<char> begun_;   // whether a run has shown progress
  bool is_of_folds_ = false;  // a line for each candidate of a search, not for its folds
};

// Prints the scores of a model trained on all data, if there is test data, and where it is. `of` says
// which model it is: "candidate 3, " or nothing.
void print_refit(const workflows::TrainedRun& run, const std::string& expected, int folds,
                 const std::filesystem::path& out, const std::string& of = {});
// Prints that the models of the runs are not better than their baselines.
void print_remark(const std::vector<workflows::TrainedRun>& runs);

}  // namespace rwa::cli
