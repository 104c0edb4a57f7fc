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
#include <fmt/ranges.h>

#include "report/text.h"
#include "workflows/plan.h"
#include "workflows/tune_space.h"
#include "workflows/verdict.h"

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

// The score, the baselines, and that the model is not better, in a sentence each.
std::string headline(const training::Record& run, const Scores& scores,
                     const std::vector<Baseline>& baselines, const std::string& data) {
  const Comparison found = compare(scores, baselines);
  std::vector<std::string> others;
  for (const auto& [name, score] : found.baselines) {
    others.push_back(fmt::format("{} {}", name, in_words(score)));
  }
  std::string text =
      fmt::format("{} on {} ({}): {}. Baseline{}: {}.", name_of(found.model.kind), data,
                  report::counted(scores.sequences, "sequence"), in_words(found.model),
                  others.size() == 1 ? "" : "s", fmt::join(others, ", "));
  if (const std::string said = remark(found, run); !said.empty()) {
    text += fmt::format(" The model is {}.", said);
  }
  return text;
}

}  // namespace

// There is room for the better baseline only.
void add_curves(const training::Record& run, const std::vector<Baseline>& baselines,
                report::Page& page) {
  std::optional<double> loss, accuracy;
  std::string dashed;
  if (!baselines.empty()) {
    const Baseline& best = best_of(baselines);
    loss = best.scores.loss;
    if (best.scores.accuracy) accuracy = 100 * *best.scores.accuracy;
    dashed = fmt::format("Dashed: baseline ({}).", best.name);
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
                           const Scores* scores, const std::vector<Baseline>& baselines) {
  report::Page page{.title = run.experiment.name, .subtitle = in_words(run.experiment)};
  page.blocks.emplace_back(report::Text{
      scores != nullptr ? headline(run, *scores, baselines, scored_on(run.experiment, files))
                        : "All data was used for training: none was held out to score the model."});
  add_curves(run, baselines, page);
  if (scores != nullptr) add_scores(*scores, baselines, page);
  add_data(training::files_task(run.experiment), files, page);
  add_settings(run, page);
  return page;
}

}  // namespace rwa::workflows
