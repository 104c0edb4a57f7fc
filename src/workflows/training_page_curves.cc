// src/workflows/training_page_curves.cc: the learning curves in the report of a training.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/learning_curves.h"
#include "workflows/training_page.h"
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

std::vector<Curve> curves_of(const training::Record& run, Height height,
                             std::optional<double> baseline) {
  std::vector<Curve> curves = {curve_of(run, "train", "training", kTraining, height),
                               curve_of(run, "valid", "validation", kValidation, height)};
  curves.push_back(best_of(run, curves[1]));
  std::erase_if(curves, [](const Curve& curve) { return curve.x.empty(); });
  double last = 0;
  for (const Curve& curve : curves) last = std::max(last, curve.x.back());
  if (baseline && last > 0) {
    curves.push_back(
        {.label = "baseline", .role = Role::kNaive, .x = {0, last}, .y = {*baseline, *baseline}});
  }
  return curves;
}

}  // namespace

// There is room for the better baseline only.
void add_curves(const PageContent& content, report::Page& page) {
  const training::Record& run = content.run;
  const std::vector<Baseline>& baselines = content.baselines;
  std::optional<double> loss, accuracy;
  std::string dashed;
  if (!baselines.empty()) {
    const Baseline& best = best_of(baselines);
    loss = best.scores.loss;
    if (best.scores.accuracy) accuracy = 100 * *best.scores.accuracy;
    dashed = fmt::format("Dashed: baseline ({}).", best.name);
  }
  report::Figure figure{.id = "figure-training", .title = ""};
  figure.panels = learning_panels(
      run.metrics.empty() ? "" : report::unit_name(run.metrics.front().unit),
      [&](Height height) { return curves_of(run, height, height == loss_of ? loss : accuracy); });
  for (Chart& panel : figure.panels) panel.caption = dashed;
  Chart& losses = figure.panels.front();
  losses.caption = "Training loss: mean over the steps since the last evaluation.";
  if (!dashed.empty()) losses.caption += " " + dashed;
  if (run.experiment.network.dropout > 0) losses.caption += " Training loss includes dropout.";
  page.blocks.emplace_back(report::Heading{"Learning curves", "training"});
  page.blocks.emplace_back(std::move(figure));
}

}  // namespace rwa::workflows
