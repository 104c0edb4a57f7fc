// cli/progress.h: how far a run is: a bar on a terminal, now and then a line elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "run/loop.h"

namespace rwa::cli {

// What a terminal can show.
struct Look {
  int width = 80;  // columns
  bool unicode = false;
  bool colour = false;
};

// One line of less than `look.width` columns; in a narrow one the least important parts are left
// out.
std::string bar_line(std::string_view title, const run::Progress& progress, const Look& look);
std::string plain_line(std::string_view title, const run::Progress& progress);

// Writes to the standard error.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(std::string title);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay();  // takes the bar away

  void show(const run::Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  std::string title_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace rwa::cli
