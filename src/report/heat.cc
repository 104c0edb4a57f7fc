#include "report/heat.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::report {
namespace {

constexpr std::size_t kFewColumns = 10;

// Many names side by side, each wider than a number, would make the table wider than the screen.
bool needs_upright_names(const HeatTable& table) {
  constexpr std::size_t kMostLetters = 4;
  return table.columns.size() > kFewColumns &&
         std::ranges::any_of(table.columns, [](const std::string& name) {
           return character_count(one_line(name)) > kMostLetters;
         });
}

std::string html_cell(const HeatCell& cell) {
  return fmt::format(R"(<td class="{}" style="--share:{:.0f}%">{}</td>)",
                     cell.good ? "good" : "bad", 100 * std::clamp(cell.share, 0.0, 1.0),
                     escape_html(cell.text));
}

}  // namespace

std::string to_html(const HeatTable& table) {
  std::string html = fmt::format(
      "<div class=\"scroll{}\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">"
      "<table class=\"heat{}\">\n<thead><tr><th>{} ↓ {} →</th>",
      table.columns.size() <= kFewColumns ? " narrow" : "",
      needs_upright_names(table) ? " upright" : "", escape_html(table.rows_are),
      escape_html(table.columns_are));
  for (const std::string& name : table.columns) {
    html += fmt::format("<th scope=\"col\"><span>{}</span></th>", escape_html(name));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_html(table.rows[i]));
    for (const HeatCell& cell : table.cells[i]) html += html_cell(cell);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace rwa::report
