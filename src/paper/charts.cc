#include "paper/charts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "paper/median.h"
#include "paper/words.h"

namespace rwa::paper {
namespace {

using report::Curve;
using report::Role;

// What of an evaluation is drawn.
std::optional<double> height(const Entry& entry, double loss,
                             const std::optional<double>& accuracy) {
  if (!entry.plot_accuracy) return loss;
  if (!accuracy) return std::nullopt;
  return 100 * *accuracy;
}

// How many of the runs got as far as this step.
std::size_t reached(const std::vector<Evidence>& runs, std::int64_t step) {
  return static_cast<std::size_t>(std::ranges::count_if(runs, [&](const Evidence& run) {
    return !run.curve.points.empty() && run.curve.points.back().step >= step;
  }));
}

// At each step that every run was evaluated at, if it got that far: a median over some of them would
// jump.
Curve curve_of_runs(const Entry& entry, const std::vector<Evidence>& runs, std::string label,
                    Role role) {
  std::map<std::int64_t, std::vector<double>> columns;
  for (const Evidence& run : runs) {
    for (const Point& point : run.curve.points) {
      const auto y = height(entry, point.loss, point.accuracy);
      if (y) columns[point.step].push_back(*y);
    }
  }
  Curve curve{.label = std::move(label), .role = role, .x = {}, .y = {}, .low = {}, .high = {}};
  for (const auto& [step, values] : columns) {
    if (values.size() < reached(runs, step)) continue;
    curve.x.push_back(static_cast<double>(step));
    curve.y.push_back(median(values));
    if (runs.size() == 1) continue;
    curve.low.push_back(std::ranges::min(values));
    curve.high.push_back(std::ranges::max(values));
  }
  return curve;
}

void cut(Curve& curve, double last) {
  const auto end = std::ranges::upper_bound(curve.x, last);
  curve.y.resize(static_cast<std::size_t>(end - curve.x.begin()));
  curve.x.erase(end, curve.x.end());
}

std::vector<Curve> curves_of(const Entry& entry, const std::string& variant, const Library& library,
                             const std::string& suffix, Role rwa, Role lstm) {
  std::vector<Curve> curves;
  for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
    const auto found = library.find({entry.experiment.name, variant, cell});
    if (found == library.end()) continue;
    curves.push_back(curve_of_runs(entry, found->second, name_of(cell) + suffix,
                                   cell == Cell::kRwa ? rwa : lstm));
  }
  return curves;
}

double last_step(const std::vector<Curve>& curves) {
  double last = 0;
  for (const Curve& curve : curves) {
    if (!curve.x.empty()) last = std::max(last, curve.x.back());
  }
  return last;
}

std::string caption_of(const Entry& entry, const std::string& variant, bool has_bands,
                       bool has_authors) {
  const run::Evaluation& evaluation = entry.experiment.evaluation;
  std::string text = fmt::format("Scored every {} steps on {} test samples.", evaluation.every,
                                 evaluation.samples);
  if (has_bands) {
    text += " Lines are medians over seeds, bands reach from the lowest to the highest.";
  }
  text += " Dashed: what can be reached without looking at the sequence.";
  if (!has_authors) return text;
  text += " Faint: the authors' own curves";
  if (variant == kScript) return text + ", of the same task.";
  return text + fmt::format(", of their scripts' task, which is not quite the same: {}.",
                            entry.script_differs);
}

std::string label_of_loss(const data::Facts& task) {
  return task.shape.loss == Loss::kSquaredError ? "mean squared error" : "error, bits";
}

}  // namespace

std::vector<std::string> variants_run(const Entry& entry, const Library& ours) {
  std::set<std::string> found;
  for (const auto& [key, evidence] : ours) {
    if (key.experiment == entry.experiment.name) found.insert(key.variant);
  }
  std::vector<std::string> variants = variants_of(entry);
  std::erase_if(variants, [&](const std::string& name) { return !found.contains(name); });
  return variants;
}

report::Chart chart_of(const Entry& entry, const std::string& variant, const Library& ours,
                       const Library& authors) {
  const run::Experiment& experiment = in_variant(entry, variant);
  const data::Facts task = data::facts(experiment.task);
  std::vector<Curve> curves = curves_of(entry, variant, ours, "", Role::kRwa, Role::kLstm);
  const double last = last_step(curves);
  if (const auto naive = height(entry, task.naive.loss, task.naive.accuracy)) {
    curves.push_back({.label = "baseline",
                      .role = Role::kNaive,
                      .x = {0, last},
                      .y = {*naive, *naive},
                      .low = {},
                      .high = {}});
  }
  std::vector<Curve> references = curves_of(entry, kScript, authors, ", the authors'",
                                            Role::kRwaReference, Role::kLstmReference);
  for (Curve& curve : references) {
    cut(curve, last);
    curves.push_back(std::move(curve));
  }
  const bool has_bands =
      std::ranges::any_of(curves, [](const Curve& curve) { return !curve.low.empty(); });
  return {.id = id_of(experiment),
          .title = with_variant(entry.title, variant),
          .caption = caption_of(entry, variant, has_bands, !references.empty()),
          .x_label = "training steps",
          .y_label = entry.plot_accuracy ? "accuracy, %" : label_of_loss(task),
          .log_y = entry.log_y,
          .curves = std::move(curves)};
}

std::vector<report::Figure> figures_of(const Library& ours, const Library& authors) {
  std::map<std::pair<int, std::string>, report::Figure> figures;
  for (const Entry& entry : catalogue()) {
    for (const std::string& variant : variants_run(entry, ours)) {
      const bool text = variant == kText;
      report::Figure& figure = figures[{entry.figure, text ? "" : variant}];
      figure.id = fmt::format("figure-{}{}", entry.figure, text ? "" : "-" + variant);
      figure.title = with_variant(fmt::format("Figure {}", entry.figure), variant);
      figure.panels.push_back(chart_of(entry, variant, ours, authors));
    }
  }
  std::vector<report::Figure> all;
  all.reserve(figures.size());
  for (auto& [key, figure] : figures) all.push_back(std::move(figure));
  return all;
}

}  // namespace rwa::paper
