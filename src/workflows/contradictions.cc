#include "workflows/contradictions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cells/traits.h"
#include "rwa/errors.h"
#include "workflows/forecast_defaults.h"

namespace rwa::workflows {
namespace {

struct Seen {
  const training::Experiment& experiment;
  const datasets::Files& files;

  [[nodiscard]] const datasets::FilesTask& task() const { return training::files_task(experiment); }
  [[nodiscard]] const formats::Schema& schema() const { return files.encoding().schema; }
  [[nodiscard]] const CellTraits& cell() const { return cell_traits(experiment.network.cell); }
  [[nodiscard]] bool predicts_next() const { return schema().target == formats::Target::kNone; }
};

struct Rule {
  std::string_view setting;
  std::string_view depends_on;  // the setting that a search may change; empty: none
  bool (*is_broken)(const Seen&);
  std::string_view what;  // follows the name of the option
};

bool has_no_spans(const Seen& seen) { return seen.cell().spread_bias < 0; }

constexpr std::string_view kUseForgetting =
    "has no effect on this cell: use --cell rwa-forget or rwa-decay, or leave it out";

constexpr std::array kRules = {
    Rule{
        "network.channels", "network.stem",
        [](const Seen& seen) { return training::parse_stem(seen.experiment.network.stem).empty(); },
        "has no effect without a stem: use --stem, or leave it out"},
    Rule{"network.span", "network.cell", has_no_spans, kUseForgetting},
    Rule{"network.lasting", "network.cell", has_no_spans, kUseForgetting},
    Rule{"network.learned_decay", "network.cell",
         [](const Seen& seen) { return !seen.cell().has_constant_gate(); },
         "has no effect on this cell: use --cell rwa-decay, or leave it out"},
    Rule{"network.bidirectional", "",
         [](const Seen& seen) {
           return seen.experiment.network.bidirectional && seen.predicts_next() &&
                  !is_forecast(seen.files);
         },
         "would show the network the step that it is to predict: leave it out"},
    Rule{"task.interval", "", [](const Seen& seen) { return !is_forecast(seen.files); },
         "has no effect on this task: leave it out, or forecast numbers with --task forecast"},
    Rule{"task.scale", "", [](const Seen& seen) { return seen.schema().symbols; },
         "has no effect on symbols: leave it out"},
    Rule{"task.missing", "",
         [](const Seen& seen) {
           return seen.schema().symbols &&
                  seen.task().missing != to_string(datasets::Missing::kRefuse);
         },
         "has no effect on symbols: leave it out"},
    Rule{"training.noise", "",
         [](const Seen& seen) {
           return seen.experiment.training.noise > 0 && seen.files.shape().input == Input::kSymbols;
         },
         "has no effect on symbols: leave it out"},
    Rule{"task.split", "",
         [](const Seen& seen) { return seen.task().split > 0 && !seen.task().valid.empty(); },
         "has no effect beside validation data of its own: leave one of them out"},
    Rule{
        "evaluation.patience", "",
        [](const Seen& seen) {
          return seen.experiment.evaluation.patience > 0 &&
                 seen.files.size(datasets::Split::kValid) == 0;
        },
        "has no effect without validation data: use --valid or a --split above 0, or leave it out"},
};

}  // namespace

void refuse_without_effect(const training::Overrides& given, const training::Experiment& experiment,
                           const datasets::Files& files, bool begins_search) {
  const Seen seen = {experiment, files};
  for (const Rule& rule : kRules) {
    const bool may_change =
        begins_search && !rule.depends_on.empty() && !given.has(rule.depends_on);
    if (given.typed(rule.setting) == nullptr || may_change || !rule.is_broken(seen)) continue;
    throw ConfigError(fmt::format("{} {}", given.name_of(rule.setting), rule.what));
  }
}

}  // namespace rwa::workflows
