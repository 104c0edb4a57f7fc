// src/paper/report_page.h: the page of a reproduction: how many claims hold, a figure for each
// experiment, the tables, then the details of every experiment.
#pragma once

#include <vector>

#include "paper/report.h"
#include "paper/section.h"
#include "report/page.h"

namespace rwa::paper {

// The report has all but its page.
report::Page page_of(const Report& report, const std::vector<Section>& sections,
                     const Library& ours, const Library& authors);

}  // namespace rwa::paper
