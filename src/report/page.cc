// src/report/page.cc: the HTML document around the blocks, and its charts as data for page.js.
#include "report/page.h"

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/folder.h"
#include "io/replace_file.h"
#include "report/chart.h"
#include "report/text.h"

namespace rwa::report {
namespace {

constexpr std::size_t kHeadingsForContents = 3;

// A browser would try to load the source map.
std::string_view without_source_map(std::string_view code) {
  const std::size_t place = code.find("# sourceMappingURL");
  return place == std::string_view::npos ? code : code.substr(0, code.rfind('\n', place));
}

// Drawable numbers are finite, as JSON requires. Six digits exceed the resolution of a screen.
std::string to_json(const Curve& curve) {
  const CurveStyle& style = style_of(curve.role);
  std::string json =
      fmt::format(R"({{"x":[{:.10g}],"y":[{:.6g}],"width":{},"dashed":{})", fmt::join(curve.x, ","),
                  fmt::join(curve.y, ","), style.width, style.dashed);
  if (curve.points) json += R"(,"points":true)";
  if (!curve.low.empty()) {
    json += fmt::format(R"(,"low":[{:.6g}],"high":[{:.6g}])", fmt::join(curve.low, ","),
                        fmt::join(curve.high, ","));
  }
  return json + '}';
}

// Contains no untrusted text, so nothing can end the enclosing element: charts are matched by their
// order, and labels are in the HTML.
std::string to_json(const Chart& chart) {
  std::string json = fmt::format(R"({{"logX":{},"logY":{},"time":{},"curves":[)", chart.log_x,
                                 chart.log_y, chart.x_is_time);
  for (const Curve& curve : chart.curves) {
    if (json.back() == '}') json += ',';
    json += to_json(curve);
  }
  return json + "]}";
}

std::string legend(const Chart& chart) {
  std::string html = "<ul class=\"legend\">";
  for (const Curve& curve : chart.curves) {
    // page.js takes the colour from the sign, even if the entry is hidden.
    html += fmt::format("<li{}><i class=\"{}\"></i>{} <output></output></li>",
                        curve.label.empty() ? " hidden" : "", style_of(curve.role).name,
                        escape_html(curve.label));
  }
  return html + "</ul>\n";
}

std::string description(const Chart& chart) {
  std::vector<std::string_view> labels;
  for (const Curve& curve : chart.curves) {
    if (!curve.label.empty()) labels.emplace_back(curve.label);
  }
  return fmt::format("{}: {} against {}. Curves: {}.", chart.title, chart.y_label, chart.x_label,
                     fmt::join(labels, ", "));
}

std::string to_html(const Text& text) { return escape_html(text.text); }

std::string to_html(const Code& code) {
  std::string html;
  std::istringstream lines(code.text);
  for (std::string line; std::getline(lines, line);) {
    html += (html.empty() ? "" : "\n") + escape_html(line);
  }
  return "<pre><code>" + html + "</code></pre>";
}

std::string to_html(const Card& card) {
  std::string html = "<dl class=\"card\">\n";
  for (const auto& [name, value] : card.facts) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(name),
                        std::visit([](const auto& one) { return to_html(one); }, value));
  }
  return html + "</dl>\n";
}

// Writes the blocks in order, and collects the contents and the chart data.
class Writer {
 public:
  void operator()(const Heading& heading) {
    const std::string text = escape_html(heading.text);
    const std::string id = escape_html(heading.id);
    if (heading.is_minor) {
      body_ += fmt::format("<h3 id=\"{}\">{}</h3>\n", id, text);
      return;
    }
    body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, text);
    contents_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, text);
    ++headings_;
  }
  void operator()(const Lead& lead) {
    body_ += fmt::format("<p class=\"lead\"><strong>{}</strong> {}</p>\n", escape_html(lead.result),
                         escape_html(lead.rest));
  }
  void operator()(const Text& text) { body_ += fmt::format("<p>{}</p>\n", to_html(text)); }
  void operator()(const Code& code) { body_ += to_html(code) + '\n'; }
  void operator()(const Card& card) { body_ += to_html(card); }
  void operator()(const Table& table) { body_ += to_html(table); }
  void operator()(const HeatTable& table) { body_ += to_html(table); }
  void operator()(const Example& example) { body_ += to_html(example); }
  void operator()(const Steps& steps) { body_ += to_html(steps); }
  void operator()(const Figure& figure) {
    body_ += fmt::format("<figure id=\"{}\"{}>", escape_html(figure.id),
                         figure.is_small ? " class=\"small\"" : "");
    if (!figure.title.empty()) body_ += fmt::format("<h3>{}</h3>\n", escape_html(figure.title));
    if (!figure.caption.empty()) body_ += fmt::format("<p>{}</p>\n", escape_html(figure.caption));
    body_ += "<div class=\"panels\">\n";
    for (const Chart& panel : figure.panels) add(drawable(panel));
    body_ += "</div></figure>\n";
  }

  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] std::string charts() const { return '[' + charts_ + ']'; }
  [[nodiscard]] std::string contents() const {
    if (headings_ < kHeadingsForContents) return "";
    return fmt::format("<nav aria-label=\"Contents\"><ul>\n{}</ul></nav>\n", contents_);
  }

 private:
  void add(const Chart& chart) {
    body_ += fmt::format("<div class=\"panel\" id=\"{}\"><h4>{}</h4>\n", escape_html(chart.id),
                         escape_html(chart.title));
    if (chart.curves.empty()) {
      body_ += "<p class=\"empty\">No data yet.</p>\n";
    } else {
      add_plot(chart);
    }
    if (!chart.caption.empty()) {
      body_ += fmt::format("<p class=\"caption\">{}</p>\n", escape_html(chart.caption));
    }
    body_ += "</div>\n";
  }

  void add_plot(const Chart& chart) {
    body_ += legend(chart);
    body_ += fmt::format(
        "<div class=\"y-label\">{}</div>\n"
        "<div class=\"plot\" role=\"img\" aria-label=\"{}\"></div>\n"
        "<noscript><p>The chart “{}” needs JavaScript.</p></noscript>\n"
        "<div class=\"x-label\"><output></output>{}</div>\n",
        escape_html(chart.y_label), escape_html(description(chart)), escape_html(chart.title),
        escape_html(chart.x_label));
    if (!charts_.empty()) charts_ += ",\n";
    charts_ += to_json(chart);
  }

  std::string body_;
  std::string contents_;
  std::size_t headings_ = 0;
  std::string charts_;  // as JSON, in the order of the "plot" elements
};

std::string role_styles() {
  std::string css;
  for (const CurveStyle& style : curve_styles()) {
    css += fmt::format(".{0}{{color:light-dark({1}{3:02x},{2}{3:02x});border-top-style:{4}}}\n",
                       style.name, style.light, style.dark, static_cast<int>(style.opacity * 255),
                       style.dashed ? "dashed" : "solid");
  }
  return css;
}

// With this policy the browser refuses to fetch anything.
constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
)";

}  // namespace

std::string to_html(const Page& page) {
  Writer writer;
  for (const Block& block : page.blocks) std::visit(writer, block);
  const std::string title = escape_html(page.title);
  std::string html(kHead);
  html += fmt::format("<title>{}</title>\n<style>\n{}\n{}{}{}</style>\n</head>\n<body>\n", title,
                      without_source_map(assets::kDygraphCss), assets::kPageCss, role_styles(),
                      style_of_steps());
  html += fmt::format(
      "<header><button type=\"button\" id=\"theme\" hidden>Dark</button>\n"
      "<h1>{}</h1>\n<p>{}</p></header>\n",
      title, escape_html(page.subtitle));
  html += writer.contents() + "<main>\n" + writer.body() + "</main>\n";
  html +=
      fmt::format("<script type=\"application/json\" id=\"charts\">{}</script>\n", writer.charts());
  html += fmt::format("<script>\n{}\n</script>\n<script>\n{}</script>\n</body>\n</html>\n",
                      without_source_map(assets::kDygraphJs), assets::kPageJs);
  return html;
}

void write_page(const Page& page, const std::filesystem::path& file) {
  const std::string html = to_html(page);
  if (file.has_parent_path()) io::create_folders(file.parent_path());
  io::replace_text(file, html);
}

}  // namespace rwa::report
