// src/report/page.h: one HTML page that needs nothing else: no network, no other file.
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
  std::string id;  // for links within the page
};

struct Text {
  std::string text;  // plain text, one paragraph
};

using Block = std::variant<Heading, Text, Table, HeatTable, Example, Steps, Figure>;

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<Block> blocks = {};
};

// The same page gives the same bytes.
std::string to_html(const Page& page);

// As a whole or not at all. Throws ResourceError.
void write_page(const Page& page, const std::filesystem::path& file);

}  // namespace rwa::report

// The files that a page carries. The build makes them part of the program: page.css and page.js
// from here, the charts' library as Debian ships it.
namespace rwa::report::assets {

extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kDygraphJs;
extern const std::string_view kDygraphCss;

}  // namespace rwa::report::assets
