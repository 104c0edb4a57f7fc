// src/report/page.h: one HTML page that needs nothing else: no network, no other file.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/chart.h"
#include "report/example.h"
#include "report/heat.h"
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

}  // namespace rwa::report
