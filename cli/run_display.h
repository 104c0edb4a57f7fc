// cli/run_display.h: what becomes of several runs, told while they run: lines that stay, and a bar.
#pragma once

#include <cstddef>
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
  void begin_round(int number, int rounds, int candidates, double seconds) override;
  void begin(std::size_t index, int ranks) override;
  void progress(std::size_t index, const training::Progress& progress) override;
  void end(std::size_t index, const training::RunResult& result) override;

 private:
  // What is said of a run stands under its first line, unless others come between.
  [[nodiscard]] std::string about(std::size_t index) const;
  [[nodiscard]] std::string end_in_words(std::size_t index,
                                         const training::RunResult& result) const;

  const training::RunQueue* queue_ = nullptr;
  std::optional<ProgressDisplay> display_;
  std::vector<char> begun_;  // whether a run has shown progress
};

}  // namespace rwa::cli
