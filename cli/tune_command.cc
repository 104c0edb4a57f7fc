// cli/tune_command.cc: `rwa tune`: searches for good settings within a time budget.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "ranks.h"
#include "report/table.h"
#include "report/text.h"
#include "run_display.h"
#include "settings_options.h"
#include "training/run_folder.h"
#include "workflows/comparison.h"
#include "workflows/refit.h"
#include "workflows/tune.h"
#include "workflows/tune_space.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa tune vowels.ts --time-budget 2m --out runs/tuned\n"
    "  rwa tune dna/ --cell rwa --bidirectional --time-budget 1h --candidates 27 --out runs/dna\n"
    "\n"
    "Searches these settings, unless an option fixes them: stem or context, noise, positions,\n"
    "shift, scale, cell ({}), units, layers, dropout between\n"
    "two layers, readout, bidirectional, embedding, learning rate and batch. Candidate 0 has the\n"
    "defaults; the next ones change one thing each, the others several at random.\n"
    "\n"
    "Fewer than 500 sequences, or --folds: all candidates are scored on two folds, the defaults\n"
    "and the better ones on all folds, whichever leads again with other seeds. The best is then\n"
    "trained on all data. Otherwise candidates are compared by their validation loss: all get an "
    "equal share\n"
    "of the time, the best third gets more, and so on.\n"
    "Test data is never used to choose. Writes to the --out folder:\n"
    "  model.safetensors  The best model\n"
    "  report.html        Its report\n"
    "  comparison.html    All candidates side by side\n"
    "  candidate-N        The runs";

struct TuneArguments : TrainingArguments {
  std::optional<int> candidates;
  std::optional<double> time_budget;
};

// Where the settings of the best model are.
std::filesystem::path config_of(const workflows::TuneResult& result) {
  const std::filesystem::path& out = result.candidates.front().plan.out;
  return (result.has_folds ? out / workflows::kRefitFolder : out) / training::kConfigFile;
}

void print_choice(const workflows::TuneResult& result) {
  if (result.left_out > 0) {
    fmt::print("note: {} not tried: the time was up\n",
               report::counted(result.left_out, "candidate"));
  }
  if (result.candidates.size() == 1) return;
  if (result.candidates.front().number == 0) {
    fmt::print("note: no candidate is better than the defaults\n");
  }
}

void print_result(const workflows::TuneResult& result, const std::filesystem::path& out) {
  fmt::print("{}", report::to_text(workflows::summary(result)));
  print_choice(result);
  const std::string name = fmt::format("candidate {}", result.candidates.front().number);
  if (result.has_folds) {
    const auto folds = static_cast<int>(result.candidates.front().plan.runs.size());
    print_refit(*result.best, result.expected, folds, out, name + ", ");
  } else {
    const workflows::Plan& best = result.candidates.front().plan;
    fmt::print("Scores on {}:\n{}", workflows::scored_on(best.runs.front().experiment, *best.files),
               report::to_text(workflows::summary({*result.best})));
    print_remark({*result.best});
    fmt::print("model: {} ({})\nreport: {}\n", (out / training::kModelFile).string(), name,
               (out / workflows::kReportFile).string());
  }
  fmt::print("comparison: {}\nsettings: {}\n", (out / workflows::kComparisonFile).string(),
             config_of(result).string());
}

void tune(TuneArguments& arguments) {
  const workflows::Plan plan = read_and_plan(arguments, workflows::candidate_folder(0));
  RunDisplay display;
  workflows::TuneOptions options = {.train = arguments.options};
  options.candidates = arguments.candidates.value_or(options.candidates);
  options.time_budget = arguments.time_budget.value_or(options.time_budget);
  const auto result = workflows::tune(arguments.request, plan.files, options, display);
  if (is_first_rank()) print_result(result, plan.out);
}

}  // namespace

void add_tune_command(const Command& app) {
  auto arguments = std::make_shared<TuneArguments>();
  const auto command = app.add_command("tune", "Search for good settings");
  add_training_arguments(command, *arguments);
  command.add_number("--candidates", arguments->candidates,
                     {.least = 1, .most = workflows::kMostCandidates},
                     "Number of candidates (default: 9; with folds fewer if the time is short)");
  command.add_duration("--time-budget", arguments->time_budget,
                       "Time for the whole search: seconds, or e.g. 1h30m (default: 10m)");
  command.set_footer(fmt::format(kExample, fmt::join(workflows::tuned_cells(), ", ")));
  command.set_action([arguments] { tune(*arguments); });
}

}  // namespace rwa::cli
