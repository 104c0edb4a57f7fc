#include "paper/study_results.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "io/read_file.h"
#include "paper/charts.h"
#include "paper/claims.h"
#include "paper/gradients.h"
#include "paper/words.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using report::Chart;
using report::Curve;
using report::Table;

Key key_of(const Study& study, const StudyExperiment& experiment, const Case& one) {
  return {experiment.name, study.name, one.name};
}

std::vector<const training::Record*> runs_of(const Study& study, const StudyExperiment& experiment,
                                             const Runs& runs) {
  std::vector<const training::Record*> all;
  for (const Case& one : study.cases) {
    const auto found = runs.find(key_of(study, experiment, one));
    if (found != runs.end()) std::ranges::copy(found->second, std::back_inserter(all));
  }
  return all;
}

bool was_run(const Study& study, const Case& one, const Runs& runs) {
  return std::ranges::any_of(study.experiments, [&](const StudyExperiment& experiment) {
    return runs.contains(key_of(study, experiment, one));
  });
}

// The distinct names of the curves, in the order of the cases.
std::vector<std::string> curves_of(const Study& study) {
  std::vector<std::string> names;
  for (const Case& one : study.cases) {
    if (std::ranges::find(names, one.curve) == names.end()) names.push_back(one.curve);
  }
  return names;
}

Chart training_chart_of(const Study& study, const StudyExperiment& experiment,
                        const Library& ours) {
  const auto roles = roles_of(curves_of(study));
  std::vector<Line> lines;
  for (std::size_t i = 0; i < study.cases.size(); ++i) {
    const Case& one = study.cases[i];
    lines.push_back({one.label, roles[i], key_of(study, experiment, one)});
  }
  Chart chart = training_chart(experiment.runs.front(), lines, ours);
  chart.title = find(experiment.name).title;
  return chart;
}

// Skips cases without an exact value because a run diverged or was too short.
Chart measure_chart_of(const Study& study, const StudyExperiment& experiment, const Library& ours) {
  const Claim& measure = experiment.measures.front();
  Chart chart{.id = id_of(experiment.runs.front()),
              .title = find(experiment.name).title,
              .caption =
                  "Medians over seeds. Points are missing if the value was not reached or the run "
                  "diverged.",
              .x_label = field_in_words(study.x),
              .y_label = measure.text,
              .log_x = std::ranges::all_of(study.cases, [](const Case& c) { return c.x > 0; }),
              .log_y = measure.measure != Measure::kFinalAccuracy,
              .curves = {}};
  const auto names = curves_of(study);
  const auto roles = roles_of(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Curve curve{.label = "", .role = roles[i], .x = {}, .y = {}, .low = {}, .high = {}};
    for (const Case& one : study.cases) {
      if (one.curve != names[i]) continue;
      curve.label = one.curve_label;
      const auto value = measured(ours, key_of(study, experiment, one), measure);
      if (!value || !value->exact()) continue;
      curve.x.push_back(one.x);
      curve.y.push_back(value->low);
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

// Gradients of one model, before or after training.
struct Flow {
  std::string model;
  std::string when;  // empty: after training
  std::vector<double> sizes;
};

// The gradients of the first run of each case that has them.
std::vector<Flow> flows_of(const Study& study, const StudyExperiment& experiment,
                           const Runs& runs) {
  std::vector<Flow> flows;
  for (const Case& one : study.cases) {
    const auto found = runs.find(key_of(study, experiment, one));
    if (found == runs.end()) continue;
    for (const training::Record* run : found->second) {
      const fs::path file = run->folder / kGradientsFile;
      if (!fs::exists(file)) continue;
      GradientFlow flow = parse_gradients(io::read_whole(file), file);
      flows.push_back({one.name, "", std::move(flow.trained)});
      flows.push_back({one.name, ", untrained", std::move(flow.untrained)});
      break;
    }
  }
  return flows;
}

Chart gradients_chart_of(const Study& study, const StudyExperiment& experiment, const Runs& runs) {
  const auto flows = flows_of(study, experiment, runs);
  std::vector<std::string> names;
  for (const Flow& flow : flows) names.push_back(flow.model + flow.when);
  const auto roles = roles_of(names);
  Chart chart{
      .id = id_of(experiment.runs.front()),
      .title = find(experiment.name).title,
      .caption = "Root mean square over test samples and units, measured by rwa paper gradients.",
      .x_label = "time step",
      .y_label = "RMS of ∂loss/∂h",
      .log_y = true,
      .curves = {}};
  for (std::size_t i = 0; i < flows.size(); ++i) {
    Curve curve{.label = name_of(flows[i].model) + flows[i].when,
                .role = roles[i],
                .x = {},
                .y = flows[i].sizes,
                .low = {},
                .high = {}};
    for (std::size_t t = 0; t < flows[i].sizes.size(); ++t) {
      curve.x.push_back(static_cast<double>(t + 1));
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

Chart chart_of(const Study& study, const StudyExperiment& experiment, const Runs& runs,
               const Library& ours) {
  switch (study.draw) {
    case Draw::kCurves:
      return training_chart_of(study, experiment, ours);
    case Draw::kMeasure:
      return measure_chart_of(study, experiment, ours);
    case Draw::kGradients:
      return gradients_chart_of(study, experiment, runs);
  }
  return {};
}

// Diverged runs have no final score.
bool have_diverged(const Runs& runs, const Key& key) {
  const auto found = runs.find(key);
  return found != runs.end() && std::ranges::all_of(found->second, [](const training::Record* run) {
           return run->status == training::Status::kDiverged;
         });
}

// Skips cases that were not run.
Table table_of_measures(const Study& study, const Runs& runs, const Library& ours) {
  Table table{.header = {"model"}, .rows = {}};
  for (const StudyExperiment& experiment : study.experiments) {
    for (const Claim& measure : experiment.measures) {
      table.header.push_back(fmt::format("{}: {}", experiment.name, measure.text));
    }
  }
  for (const Case& one : study.cases) {
    if (!was_run(study, one, runs)) continue;
    auto& row = table.rows.emplace_back();
    row.push_back({one.label});
    for (const StudyExperiment& experiment : study.experiments) {
      const Key key = key_of(study, experiment, one);
      const bool diverged = have_diverged(runs, key);
      for (const Claim& measure : experiment.measures) {
        const auto value = measured(ours, key, measure);
        const bool lost = diverged && value && !value->exact();
        row.push_back({lost ? "diverged" : measured_in_words(ours, key, measure)});
      }
    }
  }
  return table;
}

Table table_of_gradients(const Study& study, const Runs& runs) {
  Table table{.header = {"experiment", "model", "first step", "middle step", "last step",
                         "ratio of first to last"},
              .rows = {}};
  for (const StudyExperiment& experiment : study.experiments) {
    for (const Flow& flow : flows_of(study, experiment, runs)) {
      if (flow.sizes.empty()) continue;
      const double first = flow.sizes.front();
      const double last = flow.sizes.back();
      table.rows.push_back({{experiment.name},
                            {name_of(flow.model) + flow.when},
                            {in_digits(first)},
                            {in_digits(flow.sizes[flow.sizes.size() / 2])},
                            {in_digits(last)},
                            {last > 0 ? in_digits(first / last) : kNothing}});
    }
  }
  return table;
}

std::optional<StudyResult> result_of(const Study& study, const Runs& runs, const Library& ours) {
  StudyResult result{.study = &study, .figure = {}, .table = {}, .runs = {}};
  result.figure.id = "study-" + study.name;
  result.figure.title = study.title;
  for (const StudyExperiment& experiment : study.experiments) {
    const auto found = runs_of(study, experiment, runs);
    if (found.empty()) continue;
    std::ranges::copy(found, std::back_inserter(result.runs));
    result.figure.panels.push_back(chart_of(study, experiment, runs, ours));
  }
  if (result.runs.empty()) return std::nullopt;
  result.table = study.draw == Draw::kGradients ? table_of_gradients(study, runs)
                                                : table_of_measures(study, runs, ours);
  return result;
}

}  // namespace

std::vector<StudyResult> results_of_studies(const Runs& runs, const Library& ours) {
  std::vector<StudyResult> results;
  for (const Study& study : studies()) {
    if (auto result = result_of(study, runs, ours)) results.push_back(*std::move(result));
  }
  return results;
}

}  // namespace rwa::paper
