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
#include "words.h"

namespace rwa::cli {
namespace {

constexpr int kNarrowestBar = 8;
constexpr int kWidestBar = 40;
constexpr double kRedrawSeconds = 0.1;
constexpr double kLineSeconds = 10;
// Lines become rarer as a run goes on: a day of training makes some hundred of them.
constexpr double kLineFraction = 0.05;

constexpr const char* kClearLine = "\r\x1b[K";

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// The first of these that is set decides, as in setlocale(3), which would also ask for the locale
// to be installed.
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

Look look_of_terminal() {
  Look look{.unicode = speaks_utf8(), .colour = value_of("NO_COLOR").empty()};
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) look.width = size.ws_col;
  return look;
}

std::string bar(double fraction, int width, const Look& look) {
  const int done = std::clamp(static_cast<int>(fraction * width), 0, width);
  std::string full, rest;
  for (int i = 0; i < done; ++i) full += look.unicode ? "━" : "#";
  for (int i = done; i < width; ++i) rest += look.unicode ? "─" : "-";
  return look.colour ? fmt::format("\x1b[36m{}\x1b[0m\x1b[2m{}\x1b[0m", full, rest) : full + rest;
}

std::string rate(double per_second) {
  return per_second < 100 ? fmt::format("{:#.3g}", per_second) : fmt::format("{:.0f}", per_second);
}

struct Part {
  std::string text;
  int importance;  // the lowest is left out first
};
constexpr int kBarImportance = 6;

// In the order in which they are shown; all of them ASCII, and padded so that a changing number
// does not move the rest.
std::vector<Part> parts_of(std::string_view title, const run::Progress& progress) {
  const std::string steps = count(progress.steps);
  std::vector<Part> parts;
  parts.push_back({std::string(title), 1});  // stands in the line above, too
  parts.push_back({fmt::format("{:>{}}/{}", count(progress.step), steps.size(), steps), 7});
  const bool begun = progress.steps_per_second > 0;  // by this process
  if (begun) {
    parts.push_back({fmt::format("{:>4}/s", rate(progress.steps_per_second)), 3});
    parts.push_back({fmt::format("loss {:<#8.3g}", progress.loss), 2});
  }
  if (progress.test) parts.push_back({fmt::format("test {:<7}", score(*progress.test)), 4});
  if (progress.step == progress.steps) {
    parts.push_back({"scoring all", 5});
  } else if (begun) {
    parts.push_back({fmt::format("ETA {:>6}", duration(progress.seconds_left)), 5});
  }
  return parts;
}

std::string join(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : "  ") + part.text;
  return text;
}

}  // namespace

std::string bar_line(std::string_view title, const run::Progress& progress, const Look& look) {
  auto parts = parts_of(title, progress);
  parts.insert(parts.begin() + 1, {std::string(kNarrowestBar, ' '), kBarImportance});
  // A character in the last column makes some terminals begin another line.
  const auto space = [&] { return look.width - 1 - static_cast<int>(join(parts).size()); };
  while (space() < 0 && !parts.empty()) {
    parts.erase(std::ranges::min_element(parts, {}, &Part::importance));
  }
  const auto place = std::ranges::find(parts, kBarImportance, &Part::importance);
  if (place != parts.end()) {
    const double fraction = static_cast<double>(progress.step) /
                            static_cast<double>(std::max<std::int64_t>(progress.steps, 1));
    place->text = bar(fraction, std::min(kNarrowestBar + space(), kWidestBar), look);
  }
  return join(parts);
}

std::string plain_line(std::string_view title, const run::Progress& progress) {
  return join(parts_of(title, progress));
}

ProgressDisplay::ProgressDisplay(std::string title)
    : title_(std::move(title)), terminal_(is_terminal()) {}

ProgressDisplay::~ProgressDisplay() {
  if (drawn_) std::fputs(kClearLine, stderr);
}

void ProgressDisplay::show(const run::Progress& progress) {
  const auto now = Clock::now();
  const auto seconds_since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  if (terminal_) {
    // The last step is always shown: scoring the whole test set follows, and takes its time.
    const bool last = progress.step == progress.steps;
    if (drawn_ && !last && seconds_since(shown_) < kRedrawSeconds) return;
    say("{}{}", kClearLine, bar_line(title_, progress, look_of_terminal()));
    drawn_ = true;
  } else {
    const double pause = std::max(kLineSeconds, kLineFraction * seconds_since(start_));
    if (seconds_since(shown_) < pause) return;
    say("{}\n", plain_line(title_, progress));
  }
  shown_ = now;
}

}  // namespace rwa::cli
