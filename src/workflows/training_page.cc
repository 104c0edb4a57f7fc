#include "workflows/training_page.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/plan.h"
#include "workflows/tune.h"

namespace rwa::workflows {
namespace {

using report::Chart;
using report::Curve;
using report::Role;

// Only the colours of these roles are used.
constexpr Role kValidation = Role::kRwa;
constexpr Role kTraining = Role::kLstm;
constexpr Role kBest = Role::kOther1;

// The plotted value of a metric.
using Height = std::optional<double> (*)(const training::Metric&);
std::optional<double> loss_of(const training::Metric& metric) { return metric.loss; }
std::optional<double> accuracy_of(const training::Metric& metric) {
  if (!metric.accuracy) return std::nullopt;
  return 100 * *metric.accuracy;
}

Curve curve_of(const training::Record& run, std::string_view split, std::string label, Role role,
               Height height) {
  Curve curve{.label = std::move(label), .role = role};
  for (const training::Metric& metric : run.metrics) {
    const auto y = height(metric);
    if (metric.split != split || !y) continue;
    curve.x.push_back(static_cast<double>(metric.step));
    curve.y.push_back(*y);
  }
  return curve;
}

// The best step as a point on the validation curve.
Curve best_of(const training::Record& run, const Curve& validation) {
  Curve best{.label = "", .role = kBest};
  if (!run.best_step) return best;
  best.label = fmt::format("best (step {})", report::in_thousands(*run.best_step));
  for (std::size_t i = 0; i < validation.x.size(); ++i) {
    if (validation.x[i] != static_cast<double>(*run.best_step)) continue;
    best.x = {validation.x[i]};
    best.y = {validation.y[i]};
  }
  return best;
}

Chart chart_of(const training::Record& run, Height height, std::optional<double> baseline) {
  Chart chart{.x_label = "training steps"};
  chart.curves = {curve_of(run, "train", "training", kTraining, height),
                  curve_of(run, "valid", "validation", kValidation, height)};
  chart.curves.push_back(best_of(run, chart.curves[1]));
  std::erase_if(chart.curves, [](const Curve& curve) { return curve.x.empty(); });
  double last = 0;
  for (const Curve& curve : chart.curves) last = std::max(last, curve.x.back());
  if (baseline && last > 0) {
    chart.curves.push_back(
        {.label = "baseline", .role = Role::kNaive, .x = {0, last}, .y = {*baseline, *baseline}});
  }
  return chart;
}

// A loss that falls by orders of magnitude needs a logarithmic axis.
bool spans_decades(const Chart& chart) {
  constexpr double kMost = 50;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Curve& curve : chart.curves) {
    for (const double y : curve.y) {
      least = std::min(least, y);
      most = std::max(most, y);
    }
  }
  return least > 0 && most > kMost * least;
}

// The score and the baseline, in a sentence each.
std::string headline(const Scores& scores, const Baseline& baseline, const std::string& data) {
  const std::string on =
      fmt::format("{} ({})", data, report::counted(scores.sequences, "sequence"));
  if (scores.accuracy && baseline.scores.accuracy) {
    return fmt::format("Accuracy on {}: {}. Baseline ({}): {}.", on,
                       report::in_percent(*scores.accuracy), baseline.name,
                       report::in_percent(*baseline.scores.accuracy));
  }
  const std::string unit = report::unit_name(scores.unit);
  return fmt::format("Loss on {}: {} {}. Baseline ({}): {} {}.", on, report::in_digits(scores.loss),
                     unit, baseline.name, report::in_digits(baseline.scores.loss), unit);
}

}  // namespace

void add_curves(const training::Record& run, const Baseline* baseline, report::Page& page) {
  std::optional<double> loss, accuracy;
  std::string dashed;
  if (baseline != nullptr) {
    loss = baseline->scores.loss;
    if (baseline->scores.accuracy) accuracy = 100 * *baseline->scores.accuracy;
    dashed = fmt::format("Dashed: baseline ({}).", baseline->name);
  }
  report::Figure figure{.id = "figure-training", .title = ""};
  Chart losses = chart_of(run, loss_of, loss);
  losses.id = "loss";
  losses.title = "Loss";
  losses.y_label =
      run.metrics.empty() ? "loss" : "loss, " + report::unit_name(run.metrics.front().unit);
  losses.log_y = spans_decades(losses);
  losses.caption = "Training loss: mean over the steps since the last evaluation.";
  if (!dashed.empty()) losses.caption += " " + dashed;
  if (run.experiment.network.dropout > 0) losses.caption += " Training loss includes dropout.";
  figure.panels.push_back(std::move(losses));
  const bool classifies = std::ranges::any_of(
      run.metrics, [](const auto& metric) { return metric.accuracy.has_value(); });
  if (classifies) {
    Chart accuracies = chart_of(run, accuracy_of, accuracy);
    accuracies.id = "accuracy";
    accuracies.title = "Accuracy";
    accuracies.y_label = "accuracy, %";
    accuracies.caption = dashed;
    figure.panels.push_back(std::move(accuracies));
  }
  page.blocks.emplace_back(report::Heading{"Learning curves", "training"});
  page.blocks.emplace_back(std::move(figure));
}

report::Page training_page(const training::Record& run, const datasets::Files& files,
                           const Scores* scores, const Baseline* baseline) {
  report::Page page{.title = run.experiment.name, .subtitle = in_words(run.experiment)};
  page.blocks.emplace_back(report::Text{
      scores != nullptr ? headline(*scores, *baseline, scored_on(run.experiment, files))
                        : "All data was used for training: none was held out to score the model."});
  add_curves(run, baseline, page);
  if (scores != nullptr) add_scores(*scores, *baseline, page);
  add_data(std::get<datasets::FilesTask>(run.experiment.task), files, page);
  add_settings(run, page);
  return page;
}

}  // namespace rwa::workflows
