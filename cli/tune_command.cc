// cli/tune_command.cc: `rwa tune`: search for good settings within a time.
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "ranks.h"
#include "report/table.h"
#include "run_display.h"
#include "settings_options.h"
#include "training/run_folder.h"
#include "workflows/tune.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa tune vowels.ts --time-budget 10m --out runs/tuned\n"
    "  rwa tune dna/ --cell rwa --bidirectional --time-budget 1h --candidates 27 --out runs/dna\n"
    "\n"
    "What an option says is left alone; the rest is searched: cell, units (32 to 250), layers (1, "
    "2),\n"
    "learning rate (0.0005 to 0.02), dropout (0, 0.2, 0.5), batch (16 to 64), for one answer per\n"
    "sequence both ways or one and the readout, for symbols the embedding. The first candidate "
    "has\n"
    "the defaults. All get a part of the time, the better third of them another, and so on.\n"
    "DIR/model.safetensors is the best, DIR/candidate-N are the runs.";

void print_table(const std::vector<workflows::Candidate>& candidates) {
  report::Table table{.header = {"candidate", "loss in validation", "what"}, .rows = {}};
  for (const workflows::Candidate& candidate : candidates) {
    table.rows.push_back({{fmt::format("{}", candidate.number)},
                          {fmt::format("{:.4f}", candidate.loss)},
                          {workflows::in_words(candidate.run.experiment)}});
  }
  fmt::print("{}", report::to_text(table));
}

struct TuneArguments : TrainingArguments {
  int candidates = 9;
};

void tune(TuneArguments& arguments) {
  check_count("--candidates", arguments.candidates, 1000);
  const auto budget = duration_of("--time-budget", arguments.time_budget.value_or("10m"));
  const workflows::Plan plan = read_and_plan(arguments);
  RunDisplay display;
  const auto candidates = workflows::tune(arguments.request, plan,
                                          {.candidates = arguments.candidates,
                                           .time_budget = budget.value(),
                                           .train = arguments.options},
                                          display);
  if (!is_first_rank()) return;
  print_table(candidates);
  const auto model = plan.out / training::kModelFile;
  candidates.front().run.store->model().save(model);
  fmt::print("\nThe best: {}\n", model.string());
}

}  // namespace

void add_tune_command(CLI::App& app) {
  auto arguments = std::make_shared<TuneArguments>();
  auto* command = app.add_subcommand("tune", "Look for good settings for a data set");
  add_training_arguments(*command, *arguments);
  command->add_option("--candidates", arguments->candidates, "How many candidates to try")
      ->capture_default_str();
  command->add_option("--time-budget", arguments->time_budget,
                      "Time for the whole search: seconds, or a time such as 10m (default)");
  command->footer(kExample);
  command->callback([arguments] { tune(*arguments); });
}

}  // namespace rwa::cli
