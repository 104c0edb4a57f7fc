// cli/train_command.cc: `rwa train`: trains a model on files.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "ranks.h"
#include "report/table.h"
#include "report/text.h"
#include "run_display.h"
#include "settings_options.h"
#include "training/run_folder.h"
#include "workflows/comparison.h"
#include "workflows/plan.h"
#include "workflows/refit.h"
#include "workflows/train.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa train vowels_train.ts --test vowels_test.ts --out runs/vowels\n"
    "  rwa train surnames/ --embedding 32 --out runs/names        A folder: one class per file\n"
    "  rwa train sales.csv --horizon 12 --out runs/sales          Forecast a series of numbers\n"
    "  rwa train sensors.csv --target load --time-budget 10m --out runs/load\n"
    "  rwa train dna/ --folds 5 --jobs 2 --out runs/dna           Cross-validation\n"
    "  rwa train long.csv --window 500 --out runs/long            Long sequences\n"
    "  mpirun -n 4 rwa train big.csv --batch 256 --out runs/big   A quarter of each batch per "
    "rank\n"
    "\n"
    "Run 'rwa inspect DATA' first to see how a file is read. Ctrl-C stops with a checkpoint; run "
    "the\n"
    "same command to resume. Writes to the --out folder:\n"
    "  model.safetensors  The model, for rwa predict, evaluate, stream and explain\n"
    "  report.html        The model at a glance, scores and errors, forecasts, learning curves\n"
    "  comparison.html    Several runs (--repeat, --folds) side by side, see rwa report\n"
    "  config.toml        All settings, for --config\n"
    "With fewer than 500 sequences, or with --folds, the folds give the score, and model and "
    "report\n"
    "are of a last run on all data, which is in all/. Some defaults in brackets are replaced by\n"
    "choices that follow the data; a line at the start shows them.";

std::string why_unscored(const workflows::Plan& plan) {
  const auto& task = training::files_task(plan.runs.front().experiment);
  const datasets::Forecast& forecast = plan.files->encoding().forecast;
  if (forecast.is_needed() && plan.files->series()->possible_folds(1) == 0) {
    return fmt::format(
        "the series are too short to hold out forecasts of {}: use a smaller "
        "--horizon, or --test",
        report::counted(forecast.horizon, "step"));
  }
  if (task.split == 0) {
    return "all data was used for training: use --valid, --test or a --split above 0";
  }
  const formats::Schema& schema = plan.files->encoding().schema;
  const bool may_forecast = !schema.symbols && is_per_step(schema.target);
  return fmt::format(
      "all data was used for training, since {} cannot be split: use --valid or --test{}",
      report::counted(plan.files->size(datasets::Split::kTrain), "sequence"),
      may_forecast ? ", or --task forecast to forecast numbers" : "");
}

void print_scores(const workflows::Plan& plan, const workflows::TrainResult& result) {
  if (const auto table = workflows::summary(result.runs); !table.rows.empty()) {
    const std::string data = workflows::is_refitted(plan)
                                 ? "the held-out folds"
                                 : workflows::scored_on(plan.runs.front().experiment, *plan.files);
    fmt::print("Scores on {}:\n{}", data, report::to_text(table));
    print_remark(result.runs);
  } else if (!result.runs.empty()) {
    fmt::print("no score: {}\n", why_unscored(plan));
  }
}

// Names only what was written: a run that diverged has no model.
void print_models(const workflows::Plan& plan, const workflows::TrainResult& result) {
  if (result.runs.empty()) return;
  if (plan.runs.size() == 1) {
    fmt::print("model: {}\nreport: {}\n", (plan.out / training::kModelFile).string(),
               (plan.out / workflows::kReportFile).string());
  } else if (result.best) {
    const std::filesystem::path best = result.runs[*result.best].store->name();
    fmt::print("model: {} (from {}, which has the lowest validation loss)\n",
               (plan.out / training::kModelFile).string(), best.filename().string());
  } else {
    fmt::print("models and reports: in the run folders of {}\n", plan.out.string());
  }
}

void print_comparison(const workflows::Plan& plan, const workflows::TrainResult& result) {
  if (plan.runs.size() == 1 || result.runs.empty()) return;
  fmt::print("comparison: {}\n", (plan.out / workflows::kComparisonFile).string());
}

void refit(const workflows::Plan& plan, workflows::TrainResult& result,
           const TrainingArguments& arguments, RunDisplay& display) {
  const auto made = workflows::refit(plan, result, arguments.options, display);
  if (!made) return;
  const auto& task = training::files_task(plan.runs.front().experiment);
  print_refit(made->run, made->expected, task.folds, plan.out);
}

void train(TrainingArguments& arguments) {
  const workflows::Plan plan = read_and_plan(arguments);
  RunDisplay display;
  auto result = workflows::train(plan, arguments.options, display);
  const bool refits = workflows::is_refitted(plan) && result.diverged.empty();
  if (is_first_rank()) {
    print_scores(plan, result);
    if (!refits) print_models(plan, result);
  }
  if (refits) refit(plan, result, arguments, display);
  if (is_first_rank()) print_comparison(plan, result);
  workflows::throw_if_diverged(result.diverged, refits ? 1 : plan.runs.size());
}

}  // namespace

void add_train_command(const Command& app) {
  auto arguments = std::make_shared<TrainingArguments>();
  const auto command = app.add_command("train", "Train a model on your data");
  add_training_arguments(command, *arguments);
  command
      .add_number("--repeat", arguments->request.repeat,
                  {.least = 1, .most = workflows::kMostRepeats}, "Train with this many seeds")
      .show_default();
  command.add_duration(
      "--time-budget", arguments->options.time_budget,
      "Stop each run after this time and keep the best weights: seconds, or e.g. 10m");
  command.set_footer(kExample);
  command.set_action([arguments] { train(*arguments); });
}

}  // namespace rwa::cli
