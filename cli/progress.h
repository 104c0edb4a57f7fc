// cli/progress.h: the progress of runs: a bar on a terminal, an occasional line elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/loop.h"

namespace rwa::cli {

// What the terminal can display.
struct TerminalStyle {
  int width = 80;  // columns
  bool unicode = false;
  bool colour = false;
};

// The sum over several runs.
struct RunTotals {
  std::size_t runs = 0, running = 0, ended = 0;
  std::int64_t step = 0, steps = 0;
  double done = 0;  // fraction of the work, 0…1
  double steps_per_second = 0;
  std::optional<double> seconds_left = {};  // absent before the first steps
};

// One line of less than `style.width` columns. The least important parts are dropped if it is
// narrow.
std::string bar_line(std::string_view title, const training::Progress& progress,
                     const TerminalStyle& style);
std::string bar_line(const RunTotals& sum, const TerminalStyle& style);
std::string plain_line(std::string_view title, const training::Progress& progress);

// Writes to standard error, from any thread: permanent lines and, on a terminal, a bar below them.
// The bar shows the current run, or the sum of all if several run at a time.
class ProgressDisplay {
 public:
  struct Run {
    std::string title;
    std::int64_t steps = 0;
    double work = 1;  // expected work of a step, in any unit
  };

  ProgressDisplay(const std::vector<Run>& runs, int jobs);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay();  // erases the bar

  void say(const std::string& line);
  // `index` counts the runs in the order given.
  void begin(std::size_t index);
  void show(std::size_t index, const training::Progress& progress);
  void end(std::size_t index);

 private:
  using Clock = std::chrono::steady_clock;

  enum class Stage { kWaiting, kRunning, kEnded };
  struct Shown {
    Run run;
    Stage stage = Stage::kWaiting;
    std::optional<training::Progress> progress;
    std::int64_t first_step = 0;  // where it was resumed
    Clock::time_point start, shown;
  };

  void draw(const Shown& latest);
  [[nodiscard]] RunTotals sum() const;

  const bool several_;
  const bool terminal_;
  std::mutex mutex_;  // guards all that follows
  std::vector<Shown> runs_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_at_;
};

}  // namespace rwa::cli
