#include "report/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::report {
namespace {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

// Many coloured boxes in few SVG elements: boxes of similar strength share a path.
class Shade {
 public:
  // `strongest` is the opacity of a weight of 1.
  explicit Shade(double strongest) : strongest_(strongest) {}

  // Weights range from -1 to 1.
  void add(const Box& box, double weight);
  // Paths with the classes "more" and "less".
  [[nodiscard]] std::string svg() const;

 private:
  static constexpr int kLevels = 12;
  using Paths = std::array<std::string, kLevels + 1>;

  double strongest_;
  Paths more_, less_;
};

void Shade::add(const Box& box, double weight) {
  if (std::isnan(weight)) return;
  const auto level = std::lround(std::min(std::abs(weight), 1.0) * kLevels);
  if (level == 0) return;
  std::string& path = (weight < 0 ? less_ : more_)[static_cast<std::size_t>(level)];
  path += fmt::format("M{:.5g} {:.5g}h{:.4g}v{:.4g}h-{:.4g}z", box.x, box.y, box.width, box.height,
                      box.width);
}

std::string Shade::svg() const {
  std::string svg;
  const auto add = [&](const Paths& paths, const char* style) {
    for (std::size_t level = 1; level < paths.size(); ++level) {
      if (paths[level].empty()) continue;
      svg += fmt::format(R"(<path class="{}" opacity="{:.2g}" d="{}"/>)", style,
                         strongest_ * static_cast<double>(level) / kLevels, paths[level]);
    }
  };
  add(more_, "more");
  add(less_, "less");
  return svg;
}

// Pixels.
constexpr double kWidth = 600;  // all steps
constexpr double kCell = 15;    // one letter
constexpr double kLetter = 7.5;
constexpr double kTrack = 44;
constexpr double kBars = 60;
constexpr double kRow = 6;
constexpr double kGap = 10;
constexpr double kText = 16;     // height of a line of text
constexpr double kNumbers = 56;  // room for numbers on the right
constexpr double kTick = 70;     // minimum distance of ticks
constexpr double kBaseline = 4;  // from the middle of a text down to its baseline

constexpr double kKeyBox = 7;  // of the colour key
constexpr int kKeyBoxes = 12;  // from 0 to the greatest weight
// Opacities of the greatest weight.
constexpr double kOfLetters = 0.6;
constexpr double kOfTracks = 0.5;

constexpr std::size_t kMostColumns = 320;
constexpr std::size_t kMostLines = 50;    // of symbols
constexpr std::size_t kMostLetters = 24;  // per word or name

using Values = std::vector<double>;

std::string shortened(std::string_view text) {
  std::string line = one_line(text);
  if (character_count(line) <= kMostLetters) return line;
  std::size_t end = 0;
  for (std::size_t count = 0; count < kMostLetters; ++end) {
    if ((static_cast<unsigned char>(line[end]) & 0xC0) != 0x80) ++count;
  }
  return line.substr(0, end - 1) + "…";
}

double magnitude(double weight) { return std::isfinite(weight) ? std::abs(weight) : 0; }

double greatest(std::span<const double> weights) {
  double most = 0;
  for (const double weight : weights) most = std::max(most, magnitude(weight));
  return most;
}

double width_of(const std::string& symbol) {
  return std::max(kCell, kLetter * static_cast<double>(character_count(symbol)) + 7);
}

// Steps begin…end-1, side by side.
struct Line {
  std::size_t begin = 0, end = 0;
  double most = 0;  // greatest weight
};

std::vector<Line> lines_of(const std::vector<std::string>& symbols, const Values& weights) {
  std::vector<Line> lines;
  double x = 2 * kWidth;  // so that the first symbol begins a line
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const double width = width_of(symbols[i]);
    if (x + width > kWidth) {
      lines.push_back({.begin = i, .end = i});
      x = 0;
    }
    x += width;
    lines.back().end = i + 1;
    lines.back().most = std::max(lines.back().most, magnitude(weights[i]));
  }
  return lines;
}

// Keeps the lines with the greatest weights, in the order of the sequence.
void keep_greatest(std::vector<Line>& lines) {
  if (lines.size() <= kMostLines) return;
  std::ranges::stable_sort(lines, std::greater(), &Line::most);
  lines.resize(kMostLines);
  std::ranges::sort(lines, {}, &Line::begin);
}

// Columns of equal width, each covering one or more steps.
class Columns {
 public:
  explicit Columns(std::size_t steps) : steps_(steps), count_(std::min(steps, kMostColumns)) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double width() const { return kWidth / static_cast<double>(count_); }
  [[nodiscard]] double x(std::size_t column) const { return width() * static_cast<double>(column); }
  [[nodiscard]] std::span<const double> of(const Values& values, std::size_t column) const {
    const std::size_t begin = column * steps_ / count_;
    return std::span(values).subspan(begin, (column + 1) * steps_ / count_ - begin);
  }
  [[nodiscard]] Values sums(const Values& values) const {
    Values sums(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      for (const double value : of(values, i)) sums[i] += std::isfinite(value) ? value : 0;
    }
    return sums;
  }

 private:
  std::size_t steps_, count_;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

Range range_of(std::span<const double> values) {
  Range range;
  for (const double value : values) range.include(value);
  return range;
}

// Draws from top to bottom; `top_` is where the next part begins.
class Drawing {
 public:
  Drawing(const Steps& steps, std::size_t count)
      : steps_(steps), columns_(std::max<std::size_t>(count, 1)), count_(count) {
    std::size_t longest = in_thousands(steps.first + static_cast<std::int64_t>(count)).size();
    const auto include = [&](const std::string& name) {
      longest = std::max(longest, character_count(shortened(name)));
    };
    for (const Track& track : steps.tracks) include(track.name);
    include(steps.weights_are);
    include(steps.rows_are);
    left_ = kLetter * static_cast<double>(longest) + 14;
  }

  void add_title() {
    constexpr double kTitleLetter = 9;
    const std::string title = one_line(steps_.title);
    add_text("title", 0, top_ + kText / 2, title);
    least_width_ = kTitleLetter * static_cast<double>(character_count(title));
    top_ += kText + kGap;
  }

  void add_symbols() {
    std::vector<std::string> symbols;
    for (const std::string& symbol : steps_.symbols) symbols.push_back(shortened(symbol));
    std::vector<Line> lines = lines_of(symbols, steps_.weights);
    keep_greatest(lines);
    const double most = greatest(steps_.weights);
    Shade shade(kOfLetters);
    std::string letters;
    letters.swap(body_);  // drawn over the shading
    std::size_t drawn = 0;
    for (const Line& line : lines) {
      add_gap(line.begin - drawn);
      add_line(line, symbols, most, shade);
      drawn = line.end;
    }
    add_gap(symbols.size() - drawn);
    letters.swap(body_);
    body_ += shade.svg() + letters;
    top_ += kGap;
    add_key(steps_.weights, most, kOfLetters, false);
  }

  void add_tracks() {
    double most = 0;
    for (const Track& track : steps_.tracks) {
      most = std::max(most, greatest(columns_.sums(weights_of(track))));
    }
    for (const Track& track : steps_.tracks) add_track(track, most);
    if (most == 0) return;
    Values all;
    for (const Track& track : steps_.tracks) {
      all.insert(all.end(), track.weights.begin(), track.weights.end());
    }
    add_key(all, most, kOfTracks, false);
  }

  void add_bars() {
    const Values sums = columns_.sums(steps_.weights);
    Range range = range_of(sums);
    range.include(0);
    const double scale = range.high > range.low ? kBars / (range.high - range.low) : 0;
    const double zero = top_ + (scale > 0 ? range.high * scale : kBars);
    Shade bars(1);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double height = std::abs(sums[i]) * scale;
      bars.add({left_ + columns_.x(i), sums[i] < 0 ? zero : zero - height, 0.85 * columns_.width(),
                height},
               sums[i] < 0 ? -1 : 1);
    }
    body_ += bars.svg();
    add_zero(zero);
    add_name(steps_.weights_are, kBars);
    add_number(top_ + 6, range.high);
    if (range.low < 0) add_number(top_ + kBars - 6, range.low);
    top_ += kBars;
    add_axis();
  }

  void add_rows() {
    std::vector<Values> sums;
    for (const Values& row : steps_.rows) sums.push_back(columns_.sums(row));
    double most = 0;
    for (const Values& row : sums) most = std::max(most, greatest(row));
    Shade shade(1);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const double y = top_ + kRow * static_cast<double>(r);
      for (std::size_t i = 0; i < sums[r].size(); ++i) {
        // The root keeps weights visible that are spread over many steps.
        const double weight = most > 0 ? std::sqrt(sums[r][i] / most) : 0;
        shade.add({left_ + columns_.x(i), y, columns_.width(), kRow - 1}, weight);
      }
    }
    body_ += shade.svg();
    const double height = kRow * static_cast<double>(sums.size());
    add_name(steps_.rows_are, std::min(height, kTrack));
    top_ += height;
    add_zero(top_);
    add_axis();
    add_key({}, most, 1, true);
  }

  [[nodiscard]] double width() const { return std::max(left_ + kWidth + kNumbers, least_width_); }
  [[nodiscard]] double height() const { return std::max(top_, 1.0); }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  // Zeros if the track has no weights.
  [[nodiscard]] Values weights_of(const Track& track) const {
    return track.weights.empty() ? Values(count_) : track.weights;
  }

  void add_text(std::string_view style, double x, double middle, std::string_view text) {
    body_ += fmt::format(R"(<text class="{}" x="{:.5g}" y="{:.5g}">{}</text>)", style, x,
                         middle + kBaseline, escape_html(text));
  }
  // The colours between 0 and the greatest weight, and on its other side for negative weights.
  // `of_roots`: colours follow the square roots of the weights.
  void add_key(std::span<const double> weights, double most, double strongest, bool of_roots) {
    if (most == 0) return;
    const bool has_negative =
        std::ranges::any_of(weights, [](double weight) { return weight < 0; });
    const double middle = top_ + kText / 2;
    double x = left_;
    body_ += "<g class=\"key\">";
    const auto add_end = [&](double number) {
      const std::string text = in_digits(number);
      add_text("name", x, middle, text);
      x += kLetter * static_cast<double>(text.size()) + 4;
    };
    Shade shade(strongest);
    add_end(has_negative ? -most : 0);
    for (int i = has_negative ? -kKeyBoxes : 0; i <= kKeyBoxes; ++i) {
      const double share = static_cast<double>(i) / kKeyBoxes;
      const double root = std::copysign(std::sqrt(std::abs(share)), share);
      shade.add({x, top_ + 2, kKeyBox, kText - 4}, of_roots ? root : share);
      x += kKeyBox;
    }
    body_ += shade.svg();
    x += 4;
    add_end(most);
    add_text("name", 0, middle, "colours");
    body_ += "</g>";
    top_ += kText + kGap;
  }
  void add_name(const std::string& name, double height) {
    add_text("name", 0, top_ + height / 2, shortened(name));
  }
  void add_number(double middle, double number) {
    add_text("name", left_ + kWidth + 6, middle, in_digits(number));
  }
  void add_zero(double y) {
    body_ += fmt::format(R"(<path class="zero" d="M{:.5g} {:.5g}h{}"/>)", left_, y, kWidth);
  }

  void add_gap(std::size_t steps) {
    if (steps == 0) return;
    add_text("name", left_, top_ + kText / 2,
             "… " + counted(static_cast<std::int64_t>(steps), "step"));
    top_ += kText;
  }

  void add_line(const Line& line, const std::vector<std::string>& symbols, double most,
                Shade& shade) {
    const double middle = top_ + (kCell - 1) / 2;
    add_text("name", 0, middle, in_thousands(steps_.first + static_cast<std::int64_t>(line.begin)));
    double x = left_;
    for (std::size_t i = line.begin; i < line.end; ++i) {
      const double width = width_of(symbols[i]);
      if (most > 0) shade.add({x, top_, width - 1, kCell - 1}, steps_.weights[i] / most);
      add_text("letter", x + (width - 1) / 2, middle, symbols[i]);
      x += width;
    }
    top_ += kCell;
  }

  void add_track(const Track& track, double most) {
    Shade shade(kOfTracks);
    const Values sums = columns_.sums(weights_of(track));
    for (std::size_t i = 0; most > 0 && i < sums.size(); ++i) {
      shade.add({left_ + columns_.x(i), top_, columns_.width(), kTrack}, sums[i] / most);
    }
    body_ += shade.svg();
    const Range range = range_of(track.values);
    if (!range.empty()) {
      body_ += fmt::format(R"(<path class="curve" d="{}"/>)", curve(track.values, range));
      add_number(top_ + 6, range.high);
      if (range.high > range.low) add_number(top_ + kTrack - 6, range.low);
    }
    add_name(track.name, kTrack);
    top_ += kTrack + kGap;
  }

  // A column of several steps spans their minimum and maximum.
  [[nodiscard]] std::string curve(const Values& values, const Range& range) const {
    const double scale = range.high > range.low ? (kTrack - 4) / (range.high - range.low) : 0;
    const auto y = [&](double value) {
      return top_ + (scale > 0 ? 2 + (range.high - value) * scale : kTrack / 2);
    };
    std::string path;
    bool pen_is_down = false;
    for (std::size_t i = 0; i < columns_.count(); ++i) {
      const Range column = range_of(columns_.of(values, i));
      if (column.empty()) {
        pen_is_down = false;
        continue;
      }
      path +=
          fmt::format("{}{:.5g} {:.5g}V{:.5g}", pen_is_down ? 'L' : 'M',
                      left_ + columns_.x(i) + columns_.width() / 2, y(column.low), y(column.high));
      pen_is_down = true;
    }
    return path;
  }

  // Ticks at round step numbers.
  void add_axis() {
    const double step = kWidth / static_cast<double>(std::max<std::size_t>(count_, 1));
    std::int64_t distance = 1;
    while (static_cast<double>(distance) * step < kTick) {
      const bool is_two = fmt::format("{}", distance).starts_with('2');
      distance = is_two ? distance / 2 * 5 : distance * 2;
    }
    const auto end = steps_.first + static_cast<std::int64_t>(count_);
    std::int64_t number = (steps_.first + distance - 1) / distance * distance;
    for (; number < end; number += distance) {
      const double x = left_ + (static_cast<double>(number - steps_.first) + 0.5) * step;
      add_text("tick", x, top_ + kText / 2, in_thousands(number));
    }
    add_text("name", 0, top_ + kText / 2, "step");
    top_ += kText + kGap;
  }

  const Steps& steps_;
  Columns columns_;
  std::size_t count_;
  double left_ = 0;
  double top_ = 2;
  double least_width_ = 0;
  std::string body_;
};

Drawing drawn(const Steps& steps, bool with_title) {
  Drawing drawing(steps, steps.weights.size());
  if (with_title) drawing.add_title();
  if (steps.weights.empty()) return drawing;
  if (!steps.symbols.empty()) drawing.add_symbols();
  if (!steps.tracks.empty()) {
    drawing.add_tracks();
    drawing.add_bars();
  }
  if (!steps.rows.empty()) drawing.add_rows();
  return drawing;
}

std::string svg_of(const Steps& steps, const Drawing& drawing, std::string_view attributes,
                   std::string_view before) {
  return fmt::format(R"(<svg{0} width="{1:.0f}" height="{2:.0f}" viewBox="0 0 {1:.0f} {2:.0f}" )"
                     R"(role="img" aria-label="{3}">{4}{5}</svg>)",
                     attributes, std::ceil(drawing.width()), std::ceil(drawing.height()),
                     escape_html(steps.title), before, drawing.body());
}

struct Palette {
  std::string_view ink, quiet, line, more, less;
};
constexpr Palette kOnPage = {"var(--ink)", "var(--quiet)", "var(--line)", "var(--more)",
                             "var(--less)"};
constexpr Palette kOnWhite = {"#22262b", "#61676f", "#e3e6ea", "#0067b1", "#d55e00"};

std::string style(const Palette& palette) {
  return fmt::format(
      ".steps .letter{{fill:{0};font:12px ui-monospace,'DejaVu Sans Mono',Menlo,monospace;"
      "text-anchor:middle}}\n"
      ".steps .name,.steps .tick{{fill:{1};font:12px system-ui,'Noto Sans',sans-serif}}\n"
      ".steps .tick{{text-anchor:middle}}\n"
      ".steps .title{{fill:{0};font:600 14px system-ui,'Noto Sans',sans-serif}}\n"
      ".steps .curve{{fill:none;stroke:{0};stroke-width:1.2;stroke-linejoin:round;"
      "stroke-linecap:round}}\n"
      ".steps .zero{{stroke:{2};fill:none}}\n"
      ".steps .more{{fill:{3}}}\n"
      ".steps .less{{fill:{4}}}\n",
      palette.ink, palette.quiet, palette.line, palette.more, palette.less);
}

}  // namespace

std::string style_of_steps() { return style(kOnPage); }

std::string to_html(const Steps& steps) {
  return fmt::format(
      "<figure class=\"steps\"><figcaption>{}</figcaption>"
      "<div class=\"scroll\" tabindex=\"0\">{}</div>{}</figure>\n",
      escape_html(steps.title), svg_of(steps, drawn(steps, false), "", ""),
      steps.caption.empty()
          ? ""
          : fmt::format("<p class=\"caption\">{}</p>", escape_html(steps.caption)));
}

std::string to_svg(const Steps& steps) {
  const std::string before =
      fmt::format("<style>\n{}</style><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                  style(kOnWhite));
  return svg_of(steps, drawn(steps, true), R"( xmlns="http://www.w3.org/2000/svg" class="steps")",
                before) +
         '\n';
}

}  // namespace rwa::report
