// cli/progress.h: how far runs are: a bar on a terminal, now and then a line elsewhere.
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

// What a terminal can show.
struct TerminalStyle {
  int width = 80;  // columns
  bool unicode = false;
  bool colour = false;
};

// Several runs taken together.
struct RunTotals {
  std::size_t runs = 0, running = 0, ended = 0;
  std::int64_t step = 0, steps = 0;
  double done = 0;  // 0…1, of the work
  double steps_per_second = 0;
  std::optional<double> seconds_left = {};  // absent before the first steps
};

// One line of less than `style.width` columns; in a narrow one the least important parts are left
// out.
std::string bar_line(std::string_view title, const training::Progress& progress,
                     const TerminalStyle& style);
std::string bar_line(const RunTotals& sum, const TerminalStyle& style);
std::string plain_line(std::string_view title, const training::Progress& progress);

// Writes to the standard error, from any thread: lines that stay, and on a terminal a bar below
// them: that of the only run, or where several are run at a time, that of all.
class ProgressDisplay {
 public:
  struct Run {
    std::string title;
    std::int64_t steps = 0;
    double work = 1;  // expected, of a step, in any unit
  };

  ProgressDisplay(const std::vector<Run>& runs, int jobs);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay();  // takes the bar away

  void say(const std::string& line);
  // `index` is that of one of the runs.
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
    std::int64_t first_step = 0;  // where it went on
    Clock::time_point start, shown;
  };

  void draw(const Shown& latest);
  [[nodiscard]] RunTotals sum() const;

  const bool several_;
  const bool terminal_;
  std::mutex mutex_;  // of all that follows
  std::vector<Shown> runs_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_at_;
};

}  // namespace rwa::cli
