// src/workflows/learning_curves.h: the evaluations of a run as curves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/chart.h"
#include "training/run_folder.h"

namespace rwa::workflows {

// The plotted value of a metric.
using Height = std::optional<double> (*)(const training::Metric&);
std::optional<double> loss_of(const training::Metric& metric);
std::optional<double> accuracy_of(const training::Metric& metric);  // in percent

report::Curve curve_of(const training::Record& run, std::string_view split, std::string label,
                       report::Role role, Height height);

// Whether the values differ by so much that they need a logarithmic axis.
bool spans_decades(const report::Chart& chart);

}  // namespace rwa::workflows
