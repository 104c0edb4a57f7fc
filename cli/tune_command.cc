// cli/tune_command.cc: `rwa tune`: searches for good hyperparameters within a time budget.
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "ranks.h"
#include "report/table.h"
#include "run_display.h"
#include "settings_options.h"
#include "training/run_folder.h"
#include "workflows/baseline.h"
#include "workflows/tune.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa tune vowels.ts --time-budget 10m --out runs/tuned\n"
    "  rwa tune dna/ --cell rwa --bidirectional --time-budget 1h --candidates 27 --out runs/dna\n"
    "\n"
    "Searches these settings, unless an option fixes them: cell ({}),\n"
    "units (32 to 250), layers (1, 2), learning rate (0.0005 to 0.02), batch (16 to 64), and\n"
    "dropout (0, 0.2, 0.5) if there are two layers. For one prediction per sequence also\n"
    "bidirectional and readout; for symbols the embedding. The first candidate has the defaults\n"
    "in brackets; settings that are not searched keep them.\n"
    "\n"
    "Successive halving: every candidate gets an equal share of the time, the best third gets\n"
    "more, and so on. Writes to the --out folder:\n"
    "  model.safetensors  The best model\n"
    "  candidate-N        The runs";

void print_table(const std::vector<workflows::Candidate>& candidates,
                 const std::vector<workflows::Baseline>& baselines) {
  report::Table table{.header = {"candidate", "validation loss", "settings"}, .rows = {}};
  for (const workflows::Candidate& candidate : candidates) {
    table.rows.push_back({{fmt::format("{}", candidate.number)},
                          {fmt::format("{:.4f}", candidate.loss)},
                          {workflows::in_words(candidate.run.experiment)}});
  }
  for (const auto& [name, scores] : baselines) {
    table.rows.push_back({{"baseline: " + name}, {fmt::format("{:.4f}", scores.loss)}, {""}});
  }
  fmt::print("{}", report::to_text(table));
}

struct TuneArguments : TrainingArguments {
  TuneArguments() { needs_validation = true; }

  int candidates = 9;
};

void tune(TuneArguments& arguments) {
  check_count("--candidates", arguments.candidates, 1000);
  const auto budget = duration_of("--time-budget", arguments.time_budget.value_or("10m"));
  const workflows::Plan plan = read_and_plan(arguments, workflows::candidate_folder(0));
  RunDisplay display;
  const auto candidates = workflows::tune(arguments.request, plan,
                                          {.candidates = arguments.candidates,
                                           .time_budget = budget.value(),
                                           .train = arguments.options},
                                          display);
  if (!is_first_rank()) return;
  print_table(candidates, workflows::score_baselines(*plan.files, datasets::Split::kValid));
  const auto model = plan.out / training::kModelFile;
  candidates.front().run.store->model().save(model);
  fmt::print("\nBest model: {}\n", model.string());
}

}  // namespace

void add_tune_command(const Command& app) {
  auto arguments = std::make_shared<TuneArguments>();
  const auto command = app.add_command("tune", "Search for good hyperparameters");
  add_training_arguments(command, *arguments);
  command.add_option("--candidates", arguments->candidates, "Number of candidates").show_default();
  command
      .add_option("--time-budget", arguments->time_budget,
                  "Time for the whole search: seconds, or e.g. 1h30m (default: 10m)")
      .value_name("TIME");
  command.set_footer(fmt::format(kExample, fmt::join(workflows::tuned_cells(), ", ")));
  command.set_action([arguments] { tune(*arguments); });
}

}  // namespace rwa::cli
