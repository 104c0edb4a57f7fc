// src/report/figure.cc: untrusted text appears in the script only in single quotes, where gnuplot
// neither expands nor executes anything.
#include "report/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/replace_file.h"
#include "report/chart.h"
#include "report/process.h"
#include "report/text.h"

namespace rwa::report {
namespace {

// Pixels.
constexpr int kWidth = 900;
constexpr int kPlotHeight = 230;
constexpr int kAbovePlots = 40;     // the figure's title
constexpr int kAbovePlot = 50;      // a panel's title and its y label
constexpr int kBelowPlot = 56;      // ticks and label of the x axis
constexpr int kLegendHeight = 34;   // with one row of entries
constexpr int kLegendRow = 20;      // for each further row
constexpr double kLegendSign = 90;  // line sample and margins of an entry
constexpr int kLeftOfPlot = 64;
constexpr int kRightOfPlot = 26;
constexpr double kDigit = 8;  // one digit of a tick label

// The same colours as in page.css.
constexpr std::string_view kInk = "#22262b";
constexpr std::string_view kQuiet = "#61676f";

constexpr std::size_t kMostColumns = 3;

std::string gnuplot_text(std::string_view text) {
  std::string label = one_line(text);
  // "]]>" would end the CDATA section that gnuplot writes text into.
  for (std::size_t i = 0; (i = label.find("]]>", i)) != std::string::npos;) {
    label.insert(i + 2, " ");
  }
  std::string quotes = "'";
  for (const char c : label) {
    if (c == '\'') quotes += c;
    quotes += c;
  }
  return quotes + '\'';
}

// A colour for gnuplot: #aarrggbb, where aa is the transparency.
std::string colour(const CurveStyle& style, double opacity) {
  return fmt::format("'#{:02x}{}'", 255 - static_cast<int>(opacity * 255), style.light.substr(1));
}

std::string line_style(Role role) {
  const CurveStyle& style = style_of(role);
  return fmt::format("lc rgb {} lw {} dt {}", colour(style, style.opacity), style.width,
                     style.dashed ? "(6,4)" : "solid");
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(const std::vector<double>& values) {
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

// Adds a margin, given as a fraction of the length. The result is never empty.
Range widened(Range range, bool logarithmic, double margin) {
  if (logarithmic) {
    const double factor = range.high > range.low ? std::pow(range.high / range.low, margin) : 2;
    return {range.low / factor, range.high * factor};
  }
  const double alone = range.low == 0 ? 1 : 0.1 * std::abs(range.low);
  const double more = range.high > range.low ? margin * (range.high - range.low) : alone;
  return {range.low - more, range.high + more};
}

// Whole numbers with separators (12,000); others unchanged.
std::string tick(double value) {
  std::string text = fmt::format("{:.10g}", value);
  const bool whole = text.find_first_not_of("0123456789") == std::string::npos;
  return whole ? with_thousands(std::move(text)) : text;
}

// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
double round_up(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1, 2, 5}) {
    if (least <= digit * power) return digit * power;
  }
  return 10 * power;
}

// Written out, since gnuplot has thousands separators only in some locales.
std::string x_ticks(const Range& range, bool logarithmic, double plot_width) {
  std::string ticks;
  const auto add = [&](double x) {
    ticks += fmt::format("{}'{}' {:.10g}", ticks.empty() ? "" : ", ", tick(x), x);
  };
  // Adds a tick at value(i) for every integer i from low to high.
  const auto add_all = [&](double low, double high, const auto& value) {
    for (auto i = std::llround(std::ceil(low)); static_cast<double>(i) <= high; ++i) {
      add(value(static_cast<double>(i)));
    }
  };
  if (logarithmic && range.high >= 10 * range.low) {
    add_all(std::log10(range.low), std::log10(range.high),
            [](double power) { return std::pow(10, power); });
  } else {
    const double label = kDigit * (2 + static_cast<double>(tick(range.high).size()));
    const double distance = round_up((range.high - range.low) * label / plot_width);
    add_all(range.low / distance, range.high / distance,
            [distance](double count) { return count * distance; });
  }
  return "set xtics (" + ticks + ")\n";
}

// Positions in pixels from the top left corner.
class Layout {
 public:
  Layout(std::size_t panels, int legend_height)
      : columns_(panels == 4 ? 2 : std::clamp<std::size_t>(panels, 1, kMostColumns)),
        legend_height_(legend_height) {
    const std::size_t rows = std::max<std::size_t>((panels + columns_ - 1) / columns_, 1);
    height_ = kAbovePlots + static_cast<int>(rows) * kRow + legend_height_;
  }

  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int legend_top() const { return height_ - legend_height_; }
  [[nodiscard]] double left(std::size_t panel) const {
    return panel_width() * static_cast<double>(panel % columns_) + kLeftOfPlot;
  }
  [[nodiscard]] double top(std::size_t panel) const {
    const std::size_t row = panel / columns_;
    return kAbovePlots + kAbovePlot + kRow * static_cast<double>(row);
  }
  [[nodiscard]] double plot_width() const { return panel_width() - kLeftOfPlot - kRightOfPlot; }

  // A position for gnuplot: fractions of the canvas, from the lower left corner.
  [[nodiscard]] std::string at(double x, double y) const {
    return fmt::format("screen {:.5f}, screen {:.5f}", x / kWidth, 1 - y / height_);
  }
  [[nodiscard]] std::string margins(double left, double right, double top, double bottom) const {
    return fmt::format(
        "set margins at screen {:.5f}, screen {:.5f}, screen {:.5f}, screen {:.5f}\n",
        left / kWidth, right / kWidth, 1 - bottom / height_, 1 - top / height_);
  }

 private:
  static constexpr int kRow = kAbovePlot + kPlotHeight + kBelowPlot;

  [[nodiscard]] double panel_width() const {
    return static_cast<double>(kWidth) / static_cast<double>(columns_);
  }

  std::size_t columns_;
  int legend_height_;
  int height_;
};

std::string data_name(std::size_t panel, std::size_t curve) {
  return fmt::format("$panel{}curve{}", panel, curve);
}

std::string data_blocks(const std::vector<Chart>& panels) {
  std::string script;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    for (std::size_t c = 0; c < panels[p].curves.size(); ++c) {
      const Curve& curve = panels[p].curves[c];
      script += data_name(p, c) + " << END\n";
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        script += fmt::format("{:.10g} {:.6g}", curve.x[i], curve.y[i]);
        if (!curve.low.empty()) {
          script += fmt::format(" {:.6g} {:.6g}", curve.low[i], curve.high[i]);
        }
        script += '\n';
      }
      script += "END\n";
    }
  }
  return script;
}

// All bands first, then the curves, from back to front.
std::string plots(const Chart& chart, std::size_t panel) {
  std::string bands;
  std::string curves;
  for (std::size_t c = chart.curves.size(); c-- > 0;) {
    const Curve& curve = chart.curves[c];
    const std::string data = data_name(panel, c);
    if (!curve.low.empty()) {
      bands += fmt::format("{} using 1:3:4 with filledcurves fc rgb {} notitle, ", data,
                           colour(style_of(curve.role), 0.2));
    }
    curves += fmt::format("{} using 1:2 with {} {} notitle, ", data,
                          curve.points || curve.x.size() == 1 ? "points pt 7 ps 0.6" : "lines",
                          line_style(curve.role));
  }
  const std::string both = bands + curves;
  return "plot " + both.substr(0, both.size() - 2) + '\n';
}

// Ranges that fit the data exactly on x, with a margin on y.
std::string axes(const Chart& chart, double plot_width) {
  Range x;
  Range y;
  for (const Curve& curve : chart.curves) {
    x.include(curve.x);
    for (const auto* column : {&curve.y, &curve.low, &curve.high}) y.include(*column);
  }
  x = widened(x, chart.log_x, 0);
  y = widened(y, chart.log_y, 0.05);
  std::string script = "unset logscale\n";
  if (chart.log_x) script += "set logscale x\n";
  if (chart.log_y) script += "set logscale y\n";
  script += chart.x_is_time ? "set xtics auto time format '%Y-%m'\n"
                            : x_ticks(x, chart.log_x, plot_width);
  script += "set ytics auto\n";
  return script + fmt::format("set xrange [{:.10g}:{:.10g}]\nset yrange [{:.6g}:{:.6g}]\n", x.low,
                              x.high, y.low, y.high);
}

std::string panel_script(const Chart& chart, std::size_t panel, const Layout& layout) {
  const double left = layout.left(panel);
  const double top = layout.top(panel);
  std::string script = layout.margins(left, left + layout.plot_width(), top, top + kPlotHeight) +
                       fmt::format("set label 1 {} at {} left font ',14' tc rgb '{}'\n",
                                   gnuplot_text(chart.title), layout.at(left, top - 36), kInk) +
                       fmt::format("set label 2 {} at {} left tc rgb '{}'\n",
                                   gnuplot_text(chart.y_label), layout.at(left, top - 14), kQuiet) +
                       fmt::format("set xlabel {}\n", gnuplot_text(chart.x_label));
  if (!chart.curves.empty()) return script + axes(chart, layout.plot_width()) + plots(chart, panel);
  return script +
         fmt::format("set label 3 'no data yet' at graph 0.5, 0.5 center tc rgb '{}'\n", kQuiet) +
         "unset logscale\nunset xtics\nunset ytics\n"
         "plot [0:1] [0:1] NaN notitle\nunset label 3\n";
}

using Legend = std::set<std::pair<Role, std::string>>;

// One legend for all panels.
Legend legend_of(const std::vector<Chart>& panels) {
  Legend entries;
  for (const Chart& chart : panels) {
    for (const Curve& curve : chart.curves) {
      if (!curve.label.empty()) entries.emplace(curve.role, gnuplot_text(curve.label));
    }
  }
  return entries;
}

// gnuplot sets the entries in columns as wide as the longest one, and drops those without room.
int legend_height(const Legend& entries) {
  std::size_t longest = 0;
  for (const auto& [role, label] : entries) longest = std::max(longest, character_count(label));
  const double width = kLegendSign + kDigit * static_cast<double>(longest);
  const int columns = std::max(static_cast<int>(kWidth / width), 1);
  const int rows = (static_cast<int>(entries.size()) + columns - 1) / columns;
  return kLegendHeight + kLegendRow * std::max(rows - 1, 0);
}

// Below the panels, where it hides no data.
std::string legend_script(const Legend& entries, const Layout& layout) {
  if (entries.empty()) return "";
  std::string lines;
  for (const auto& [role, label] : entries) {
    lines += fmt::format("{} NaN with lines {} title {}", lines.empty() ? "" : ",",
                         line_style(role), label);
  }
  return layout.margins(0, kWidth, layout.legend_top(), layout.height()) +
         "unset label\nunset xlabel\nunset border\nunset xtics\nunset ytics\nunset logscale\n" +
         fmt::format("set key center center horizontal Left reverse samplen 2 tc rgb '{}'\n",
                     kInk) +
         fmt::format("plot [0:1] [0:1]{}\n", lines);
}

}  // namespace

std::string gnuplot_script(const Figure& figure) {
  std::vector<Chart> panels;
  for (const Chart& panel : figure.panels) panels.push_back(drawable(panel));
  const Legend legend = legend_of(panels);
  const Layout layout(panels.size(), legend_height(legend));
  std::string script = fmt::format(
      "set encoding utf8\n"
      "set terminal svg size {},{} fixed background rgb 'white' noenhanced font 'sans-serif,13'\n",
      kWidth, layout.height());
  script += data_blocks(panels);
  script += fmt::format("set multiplot\nset label 4 {} at {} left font ',17' tc rgb '{}'\n",
                        gnuplot_text(figure.title), layout.at(16, 24), kInk);
  script += fmt::format(
      "unset key\n"
      "set border 3 lc rgb '#9aa2ab'\n"
      "set tics nomirror scale 0.5 tc rgb '{0}'\n"
      "set grid ytics lt 1 lc rgb '#e3e6ea'\n"
      "set xlabel offset 0,0.3 tc rgb '{0}'\n"
      "set format y '%g'\n",
      kQuiet);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    script += panel_script(panels[p], p, layout);
    if (p == 0) script += "unset label 4\n";  // gnuplot would draw it with each
  }
  return script + legend_script(legend, layout) + "unset multiplot\n";
}

namespace {

struct Program {
  std::string_view name;
  std::string_view package;
};
constexpr std::array<Program, 2> kPrograms{
    {{"gnuplot", "gnuplot-nox"}, {"rsvg-convert", "librsvg2-bin"}}};

}  // namespace

std::string missing_for_figures() {
  std::string names;
  std::string packages;
  for (const Program& program : kPrograms) {
    if (is_installed(program.name)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : " and ", program.name);
    packages += fmt::format(" {}", program.package);
  }
  if (names.empty()) return "";
  return fmt::format("figures need {}, not found in PATH (Debian: apt install{})", names, packages);
}

void write_figure(const Figure& figure, const std::filesystem::path& folder) {
  // Ignore the user's gnuplot settings, so that figures are the same everywhere.
  const std::string svg = run_program({"gnuplot", "--default-settings"}, gnuplot_script(figure));
  const std::string png = run_program({"rsvg-convert", "--zoom", "2", "--format", "png"}, svg);
  io::replace_text(folder / (figure.id + ".svg"), svg);
  io::replace_text(folder / (figure.id + ".png"), png);
}

}  // namespace rwa::report
