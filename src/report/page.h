// src/report/page.h: self-contained HTML pages, without any other file or network access.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/chart.h"
#include "report/example.h"
#include "report/steps.h"
#include "report/table.h"

namespace rwa::report {

struct Heading {
  std::string text;
  std::string id;         // the anchor for links within the page
  bool is_minor = false;  // below another one, and not in the contents
};

// The result, in large letters, and what it consists of.
struct Lead {
  std::string result, rest;
};

struct Text {
  std::string text;  // plain text, one paragraph
};

// Commands or source code, one per line.
struct Code {
  std::string text;
};

// Facts at a glance: what each is, and a text or code.
struct Card {
  struct Fact {
    std::string name;
    std::variant<Text, Code> value;
  };
  std::vector<Fact> facts;
};

using Block =
    std::variant<Heading, Lead, Text, Code, Card, Table, HeatTable, Example, Steps, Figure>;

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<Block> blocks = {};
};

// Deterministic: the same page gives the same bytes.
std::string to_html(const Page& page);

// Writes the file atomically, and creates its folder. Throws ResourceError.
void write_page(const Page& page, const std::filesystem::path& file);

}  // namespace rwa::report

// The files embedded in every page. The build compiles them into the program: page.css and page.js
// from this folder, and the chart library as shipped by Debian.
namespace rwa::report::assets {

extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kDygraphJs;
extern const std::string_view kDygraphCss;

}  // namespace rwa::report::assets
