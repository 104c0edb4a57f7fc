#include "progress.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "say.h"

namespace rwa::cli {
namespace {

constexpr int kNarrowestBar = 8;
constexpr int kWidestBar = 40;
constexpr double kRedrawSeconds = 0.1;
constexpr double kLineSeconds = 10;
// Lines become rarer as a run goes on: a day of training writes about a hundred.
constexpr double kLineFraction = 0.05;

constexpr const char* kClearLine = "\r\x1b[K";

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// The first of these that is set decides, as in setlocale(3), which also requires the locale to be
// installed.
bool speaks_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = value_of(variable);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

bool is_terminal() {
  const std::string_view kind = value_of("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !kind.empty() && kind != "dumb";
}

TerminalStyle style_of_terminal() {
  TerminalStyle style{.unicode = speaks_utf8(), .colour = value_of("NO_COLOR").empty()};
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

std::string bar(double fraction, int width, const TerminalStyle& style) {
  const int done = std::clamp(static_cast<int>(fraction * width), 0, width);
  std::string full, rest;
  for (int i = 0; i < done; ++i) full += style.unicode ? "━" : "#";
  for (int i = done; i < width; ++i) rest += style.unicode ? "─" : "-";
  return style.colour ? fmt::format("\x1b[36m{}\x1b[0m\x1b[2m{}\x1b[0m", full, rest) : full + rest;
}

std::string rate(double per_second) {
  return fmt::format("{:>4}/s", per_second < 100 ? fmt::format("{:#.3g}", per_second)
                                                 : fmt::format("{:.0f}", per_second));
}

std::string steps_of(std::int64_t step, std::int64_t steps) {
  const std::string all = count(steps);
  return fmt::format("{:>{}}/{}", count(step), all.size(), all);
}

std::string time_left(double seconds) { return fmt::format("ETA {:>6}", duration(seconds)); }

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

struct Segment {
  std::string text;
  int importance;  // the lowest is dropped first
};
constexpr int kBarImportance = 6;

// The parts in display order. All are ASCII, and padded so that a changing number does not move
// the rest.
std::vector<Segment> parts_of(std::string_view title, const training::Progress& progress) {
  std::vector<Segment> parts;
  parts.push_back({std::string(title), 1});  // the line above has it too
  parts.push_back({steps_of(progress.step, progress.steps), 7});
  const bool begun = progress.steps_per_second > 0;  // by this process
  if (begun) {
    parts.push_back({rate(progress.steps_per_second), 3});
    parts.push_back({fmt::format("loss {:<#8.3g}", progress.loss), 2});
  }
  if (progress.test) {
    const char* set = progress.test->split == "valid" ? "validation" : "test";
    parts.push_back({fmt::format("{} {:<7}", set, score(*progress.test)), 4});
  }
  if (progress.step == progress.steps) {
    parts.push_back({"scoring", 5});
  } else if (begun) {
    parts.push_back({time_left(progress.seconds_left), 5});
  }
  return parts;
}

std::vector<Segment> parts_of(const RunTotals& sum) {
  std::vector<Segment> parts;
  parts.push_back({fmt::format("{} of {} done, {} running", sum.ended, sum.runs, sum.running), 7});
  parts.push_back({steps_of(sum.step, sum.steps), 2});
  if (sum.steps_per_second > 0) parts.push_back({rate(sum.steps_per_second), 1});
  if (sum.seconds_left) parts.push_back({time_left(*sum.seconds_left), 5});
  return parts;
}

std::string join(const std::vector<Segment>& parts) {
  std::string text;
  for (const Segment& part : parts) text += (text.empty() ? "" : "  ") + part.text;
  return text;
}

// As many parts as fit, with a bar after the first.
std::string fit(std::vector<Segment> parts, double fraction, const TerminalStyle& style) {
  parts.insert(parts.begin() + 1, {std::string(kNarrowestBar, ' '), kBarImportance});
  // A character in the last column makes some terminals wrap.
  const auto space = [&] { return style.width - 1 - static_cast<int>(join(parts).size()); };
  while (space() < 0 && !parts.empty()) {
    parts.erase(std::ranges::min_element(parts, {}, &Segment::importance));
  }
  const auto place = std::ranges::find(parts, kBarImportance, &Segment::importance);
  if (place != parts.end()) {
    place->text = bar(fraction, std::min(kNarrowestBar + space(), kWidestBar), style);
  }
  return join(parts);
}

}  // namespace

std::string bar_line(std::string_view title, const training::Progress& progress,
                     const TerminalStyle& style) {
  const double fraction = static_cast<double>(progress.step) /
                          static_cast<double>(std::max<std::int64_t>(progress.steps, 1));
  return fit(parts_of(title, progress), fraction, style);
}

std::string bar_line(const RunTotals& sum, const TerminalStyle& style) {
  return fit(parts_of(sum), sum.done, style);
}

std::string plain_line(std::string_view title, const training::Progress& progress) {
  return join(parts_of(title, progress));
}

ProgressDisplay::ProgressDisplay(const std::vector<Run>& runs, int jobs)
    : several_(jobs > 1), terminal_(is_terminal()) {
  for (const Run& run : runs) runs_.emplace_back().run = run;
}

ProgressDisplay::~ProgressDisplay() {
  if (drawn_) std::fputs(kClearLine, stderr);
}

void ProgressDisplay::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  say_here("{}{}\n", std::exchange(drawn_, false) ? kClearLine : "", line);
}

void ProgressDisplay::begin(std::size_t index) {
  const std::lock_guard lock(mutex_);
  runs_[index].stage = Stage::kRunning;
  runs_[index].start = runs_[index].shown = Clock::now();
}

void ProgressDisplay::end(std::size_t index) {
  const std::lock_guard lock(mutex_);
  runs_[index].stage = Stage::kEnded;
}

void ProgressDisplay::show(std::size_t index, const training::Progress& progress) {
  const std::lock_guard lock(mutex_);
  Shown& shown = runs_[index];
  if (!shown.progress) shown.first_step = progress.step;
  shown.progress = progress;
  if (terminal_) {
    draw(shown);
    return;
  }
  const auto now = Clock::now();
  const double pause = std::max(kLineSeconds, kLineFraction * seconds_between(shown.start, now));
  if (seconds_between(shown.shown, now) < pause) return;
  say_here("{}\n", plain_line(shown.run.title, progress));
  shown.shown = now;
}

void ProgressDisplay::draw(const Shown& latest) {
  const auto now = Clock::now();
  // Always show the last step: scoring the whole test set follows and may take a while.
  const bool last = latest.progress->step == latest.progress->steps;
  if (drawn_ && !last && seconds_between(drawn_at_, now) < kRedrawSeconds) return;
  const TerminalStyle style = style_of_terminal();
  say_here("{}{}", kClearLine,
           several_ ? bar_line(sum(), style) : bar_line(latest.run.title, *latest.progress, style));
  drawn_ = true;
  drawn_at_ = now;
}

// Estimates the time left from the work done since the start. A run that has ended, for whatever
// reason, has no work left.
RunTotals ProgressDisplay::sum() const {
  RunTotals sum{.runs = runs_.size()};
  double all = 0, left = 0, done_here = 0;
  for (const Shown& shown : runs_) {
    const auto& [title, steps, work] = shown.run;
    const std::int64_t at = shown.progress ? shown.progress->step : 0;
    const std::int64_t step = shown.stage == Stage::kEnded ? steps : at;
    sum.step += step;
    sum.steps += steps;
    all += work * static_cast<double>(steps);
    left += work * static_cast<double>(steps - step);
    done_here += work * static_cast<double>(at - shown.first_step);
    if (shown.stage == Stage::kEnded) ++sum.ended;
    if (shown.stage != Stage::kRunning) continue;
    ++sum.running;
    if (shown.progress) sum.steps_per_second += shown.progress->steps_per_second;
  }
  sum.done = 1 - left / all;
  if (done_here > 0) sum.seconds_left = seconds_between(start_, Clock::now()) * left / done_here;
  return sum;
}

}  // namespace rwa::cli
