#include "report/example.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::report {
namespace {

// Pixels.
constexpr double kCell = 17;
constexpr double kBar = 10;
constexpr double kWidest = 640;  // a lane of bars; more steps make thinner bars
constexpr double kBarHeight = 34;
constexpr double kPixel = 5;  // one pixel of an image
constexpr double kLaneGap = 10;
constexpr double kLetter = 7.5;  // average letter of a label

constexpr std::size_t kMostSymbols = 64;  // per lane
constexpr std::size_t kRepeatsKept = 2;   // at either end of a run

// Steps begin…end-1, drawn or skipped.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool gap = false;
};

bool is_text(const Lane& lane) { return lane.columns == 0 && lane.symbols.size() == 1; }
bool has_steps(const Lane& lane) { return lane.columns == 0 && !is_text(lane); }
std::size_t size_of(const Lane& lane) { return std::max(lane.values.size(), lane.symbols.size()); }

std::size_t steps_of(const Example& example) {
  std::size_t steps = 0;
  for (const Lane& lane : example.lanes) {
    if (has_steps(lane)) steps = std::max(steps, size_of(lane));
  }
  return steps;
}

bool has_symbols(const Example& example) {
  return std::ranges::any_of(
      example.lanes, [](const Lane& lane) { return has_steps(lane) && !lane.symbols.empty(); });
}

bool repeats(const Example& example, std::size_t step) {
  const auto same = [step](const auto& items) {
    return step >= items.size() || items[step] == items[step - 1];
  };
  return std::ranges::all_of(example.lanes, [&](const Lane& lane) {
    return !has_steps(lane) || (same(lane.values) && same(lane.symbols));
  });
}

// Turns the inside of every run of repeated steps into a gap.
std::vector<Piece> without_repeats(const Example& example, std::size_t steps) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  for (std::size_t first = 0; first < steps;) {
    std::size_t last = first + 1;
    while (last < steps && repeats(example, last)) ++last;
    if (last - first > 2 * kRepeatsKept + 1) {
      pieces.push_back({begin, first + kRepeatsKept});
      pieces.push_back({first + kRepeatsKept, last - kRepeatsKept, true});
      begin = last - kRepeatsKept;
    }
    first = last;
  }
  pieces.push_back({begin, steps});
  return pieces;
}

std::size_t cells_in(const std::vector<Piece>& pieces) {
  std::size_t cells = 0;
  for (const Piece& piece : pieces) cells += piece.gap ? 2 : piece.end - piece.begin;
  return cells;
}

std::vector<Piece> pieces_of(const Example& example) {
  const std::size_t steps = steps_of(example);
  if (!has_symbols(example) || steps <= kMostSymbols / 2) return {{0, steps}};
  std::vector<Piece> pieces = without_repeats(example, steps);
  if (cells_in(pieces) <= kMostSymbols) return pieces;
  constexpr std::size_t kEnds = kMostSymbols / 2 - 1;
  if (steps <= kMostSymbols) return {{0, steps}};
  return {{0, kEnds}, {kEnds, steps - kEnds, true}, {steps - kEnds, steps}};
}

// Draws the lanes from top to bottom; `top_` is where the next one begins.
class Drawing {
 public:
  explicit Drawing(const Example& example) : pieces_(pieces_of(example)) {
    std::size_t longest = 0;
    for (const Lane& lane : example.lanes) longest = std::max(longest, character_count(lane.label));
    left_ = kLetter * static_cast<double>(longest) + 14;
    const auto cells = static_cast<double>(std::max<std::size_t>(cells_in(pieces_), 1));
    cell_ = has_symbols(example) ? kCell : std::min(kBar, kWidest / cells);
    reach(left_ + cells * cell_);
  }

  void add(const Lane& lane, bool answer) {
    body_ += fmt::format("<g class=\"{}\">", answer ? "answer" : "input");
    const double begin = top_;
    if (lane.columns > 0) {
      add_picture(lane);
    } else if (is_text(lane)) {
      add_text(lane.symbols.front());
    } else if (!lane.symbols.empty()) {
      add_symbols(lane.symbols);
    } else {
      add_bars(lane.values);
    }
    const double middle = begin + std::min(top_ - begin, kBarHeight) / 2;
    body_ += fmt::format(R"(<text class="label" x="0" y="{:.4g}">{}</text></g>)", middle,
                         escape_html(lane.label));
    top_ += kLaneGap;
  }

  [[nodiscard]] std::string svg(std::string_view label) const {
    return fmt::format(R"(<svg width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
                       R"(role="img" aria-label="{2}">{3}</svg>)",
                       std::ceil(right_), std::ceil(std::max(top_ - kLaneGap, 1.0)),
                       escape_html(label), body_);
  }

 private:
  void reach(double x) { right_ = std::max(right_, x + 1); }

  void add_text(const std::string& text) {
    body_ += fmt::format(R"(<text class="whole" x="{:.4g}" y="{:.4g}">{}</text>)", left_,
                         top_ + kCell / 2, escape_html(text));
    reach(left_ + kLetter * 1.3 * static_cast<double>(character_count(text)));
    top_ += kCell;
  }

  // Calls draw(step, x) for the steps that are drawn.
  template <class Draw>
  void for_each_step(std::size_t size, Draw draw) {
    double x = left_;
    for (const Piece& piece : pieces_) {
      if (piece.gap) {
        body_ += fmt::format(R"(<text class="gap" x="{:.5g}" y="{:.5g}">+{}</text>)", x + cell_,
                             top_ + kCell / 2, piece.end - piece.begin);
        x += 2 * cell_;
        continue;
      }
      for (std::size_t step = piece.begin; step < piece.end; ++step, x += cell_) {
        if (step < size) draw(step, x);
      }
    }
  }

  void add_symbols(const std::vector<std::string>& symbols) {
    for_each_step(symbols.size(), [&](std::size_t step, double x) {
      body_ += fmt::format(R"(<rect x="{:.5g}" y="{:.5g}" width="{}" height="{}"/>)"
                           R"(<text x="{:.5g}" y="{:.5g}">{}</text>)",
                           x, top_, kCell - 1, kCell - 1, x + (kCell - 1) / 2, top_ + kCell / 2,
                           escape_html(symbols[step]));
    });
    top_ += kCell;
  }

  // Bars start at zero, which is the bottom of the lane if no value is negative.
  void add_bars(const std::vector<double>& values) {
    double least = 0;
    double most = 0;
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    const double scale = most > least ? kBarHeight / (most - least) : 0;
    const double zero = top_ + (scale > 0 ? most * scale : kBarHeight);
    const double width = std::max(cell_ - 1, 0.7 * cell_);
    std::string path;
    for_each_step(values.size(), [&](std::size_t step, double x) {
      if (!std::isfinite(values[step]) || values[step] == 0) return;
      path += fmt::format("M{:.5g} {:.4g}h{:.3g}V{:.4g}h-{:.3g}z", x, zero, width,
                          zero - values[step] * scale, width);
    });
    const double end = left_ + static_cast<double>(cells_in(pieces_)) * cell_;
    body_ += fmt::format(R"(<path d="{0}"/><path class="zero" d="M{1:.4g} {2:.4g}H{3:.5g}"/>)",
                         path, left_, zero, end);
    top_ += kBarHeight;
  }

  void add_picture(const Lane& lane) {
    const auto columns = static_cast<std::size_t>(lane.columns);
    const std::size_t rows = (lane.values.size() + columns - 1) / columns;
    const double width = kPixel * static_cast<double>(columns);
    const double height = kPixel * static_cast<double>(rows);
    body_ += fmt::format(R"(<rect x="{:.4g}" y="{:.4g}" width="{:.4g}" height="{:.4g}"/>)", left_,
                         top_, width, height);
    for (std::size_t i = 0; i < lane.values.size(); ++i) {
      const double ink = lane.values[i];
      if (!(ink > 0)) continue;
      const std::size_t row = i / columns;
      body_ += fmt::format(R"(<path d="M{:.4g} {:.4g}h{}v{}h-{}z" opacity="{:.2g}"/>)",
                           left_ + kPixel * static_cast<double>(i % columns),
                           top_ + kPixel * static_cast<double>(row), kPixel, kPixel, kPixel,
                           std::min(ink, 1.0));
    }
    reach(left_ + width);
    top_ += height;
  }

  std::vector<Piece> pieces_;
  double left_ = 0;
  double cell_ = 0;
  double top_ = 1;
  double right_ = 0;
  std::string body_;
};

}  // namespace

std::string to_html(const Example& example) {
  Drawing drawing(example);
  for (std::size_t i = 0; i < example.lanes.size(); ++i) {
    drawing.add(example.lanes[i], i > 0 && i + 1 == example.lanes.size());
  }
  return fmt::format(
      "<figure class=\"example\"><figcaption>{}</figcaption>"
      "<div class=\"scroll\" tabindex=\"0\">{}</div></figure>\n",
      escape_html(example.title), drawing.svg(example.title));
}

}  // namespace rwa::report
