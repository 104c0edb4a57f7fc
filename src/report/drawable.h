// src/report/drawable.h: a chart made ready for any program that draws: only points that its axes
// can show, in the order in which curves are read.
#pragma once

#include "report/chart.h"

namespace rwa::report {

// From front to back, by role. Numbers that are not finite have no
// place on an axis, nor have zero and less on a logarithmic one: such points are left out, and a
// band that reaches down there ends at the chart's least value. On a logarithmic x axis the
// baseline begins where the other curves do. Curves without a point left are left out, too.
//
// Throws ConfigError for a curve whose columns are of different sizes.
Chart drawable(Chart chart);

}  // namespace rwa::report
