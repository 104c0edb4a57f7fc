#include "report/table.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "report/text.h"

namespace rwa::report {
namespace {

// Colour alone is not enough for colour-blind readers, print and terminals.
struct Sign {
  std::string_view sign;
  std::string_view style;  // CSS class on the page
  std::string_view word;
};

Sign sign_of(Mark mark) {
  switch (mark) {
    case Mark::kNone:
      break;
    case Mark::kYes:
      return {"✓", " yes", "reproduced"};
    case Mark::kNo:
      return {"✗", " no", "not reproduced"};
    case Mark::kOpen:
      return {"…", " open", "undecided"};
  }
  return {};
}

std::string signed_text(const TableCell& cell) {
  const std::string_view sign = sign_of(cell.mark).sign;
  if (sign.empty() || cell.text.empty()) return std::string(sign) + cell.text;
  return fmt::format("{} {}", sign, cell.text);
}

// Numbers are right-aligned, so that their digits line up.
bool is_numeric(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    const std::string& text = row[column].text;
    if (text.empty() || text == "—") continue;
    if (text.find_first_not_of("0123456789.,+-% ") != std::string::npos) return false;
    any = true;
  }
  return any;
}

struct Column {
  std::size_t width = 3;  // the minimum for a rule in Markdown
  bool numeric = false;
};

using Cells = std::vector<std::vector<std::string>>;

std::vector<Column> columns_of(const Table& table, const Cells& cells) {
  std::vector<Column> columns(table.header.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].numeric = is_numeric(table, i);
    for (const auto& row : cells)
      columns[i].width = std::max(columns[i].width, character_count(row[i]));
  }
  return columns;
}

// All cells as text, header first.
Cells texts_of(const Table& table, const std::function<std::string(std::string_view)>& escape) {
  Cells cells(1);
  for (const std::string& text : table.header) cells[0].push_back(escape(text));
  for (const auto& row : table.rows) {
    cells.emplace_back();
    for (const TableCell& cell : row) cells.back().push_back(escape(signed_text(cell)));
  }
  return cells;
}

std::string padded(const std::string& text, const Column& column) {
  const std::string spaces(column.width - character_count(text), ' ');
  return column.numeric ? spaces + text : text + spaces;
}

std::string for_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    if (std::string_view("\\|`*_[]<>&").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string html_cell(const TableCell& cell, bool numeric) {
  const Sign sign = sign_of(cell.mark);
  std::string html = fmt::format("<td class=\"{}{}\">", numeric ? "number" : "text", sign.style);
  if (!sign.sign.empty()) {
    html += fmt::format(R"(<span role="img" aria-label="{}">{}</span> )", sign.word, sign.sign);
  }
  const std::string text = escape_html(cell.text);
  if (cell.link.empty()) return html + text + "</td>";
  return html + fmt::format("<a href=\"{}\">{}</a></td>", escape_html(cell.link), text);
}

}  // namespace

std::string to_text(const Table& table) {
  Cells cells = texts_of(table, one_line);
  const std::vector<Column> columns = columns_of(table, cells);
  std::vector<std::string> rules(columns.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (std::size_t k = 0; k < columns[i].width; ++k) rules[i] += "─";
  }
  cells.insert(cells.begin() + 1, rules);
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], columns[i]) + "  ";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string to_markdown(const Table& table) {
  Cells cells = texts_of(table, for_markdown);
  const std::vector<Column> columns = columns_of(table, cells);
  std::vector<std::string> rules;
  for (const Column& column : columns) {
    rules.emplace_back(column.width, '-');
    if (column.numeric) rules.back().back() = ':';
  }
  cells.insert(cells.begin() + 1, rules);
  std::string text;
  for (const auto& row : cells) {
    text += '|';
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += fmt::format(" {} |", padded(row[i], columns[i]));
    }
    text += '\n';
  }
  return text;
}

std::string to_html(const Table& table) {
  // A few columns spread over the full page width are hard to read.
  constexpr std::size_t kFewColumns = 4;
  std::string html = fmt::format(
      "<div class=\"scroll{}\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table{}>\n"
      "<thead><tr>",
      table.header.size() <= kFewColumns ? " narrow" : "", table.sorts ? " class=\"sorts\"" : "");
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    numeric.push_back(is_numeric(table, i));
    const std::string name = escape_html(table.header[i]);
    html +=
        fmt::format(R"(<th scope="col" class="{}">{}</th>)", numeric[i] ? "number" : "text",
                    table.sorts ? fmt::format("<button type=\"button\">{}</button>", name) : name);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += html_cell(row[i], numeric[i]);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

namespace {

constexpr std::size_t kFewColumns = 10;

// Many long column names would make the table wider than the screen.
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

std::string key_of(const HeatTable& table) {
  return fmt::format(
      "<p class=\"key\">{}: 0 % <i class=\"good\"></i> 100 % {}, <i class=\"bad\"></i> {}</p>\n",
      escape_html(table.share_of), escape_html(table.good_is), escape_html(table.bad_is));
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
  return html + "</tbody></table></div>\n" + key_of(table);
}

}  // namespace rwa::report
