// src/workflows/learning_curves.h: the evaluations of a run as curves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart.h"
#include "training/run_folder.h"

namespace rwa::workflows {

// The plotted value of a metric.
using Height = std::optional<double> (*)(const training::Metric&);
std::optional<double> loss_of(const training::Metric& metric);
std::optional<double> accuracy_of(const training::Metric& metric);  // in percent

report::Curve curve_of(const training::Record& run, std::string_view split, std::string label,
                       report::Role role, Height height);

// The panels of the loss, in this unit and on a logarithmic axis if it needs one, and of the
// accuracy if it has curves. `draw` makes the curves of a panel.
std::vector<report::Chart> learning_panels(
    const std::string& unit, const std::function<std::vector<report::Curve>(Height)>& draw);

}  // namespace rwa::workflows
