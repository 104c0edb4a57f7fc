// cli/train_command.cc: `rwa train`: from files to a model.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "ranks.h"
#include "report/write_page.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "say.h"
#include "train_options.h"
#include "training/folder.h"
#include "words.h"
#include "workflows/judge.h"
#include "workflows/training_page.h"
#include "workflows/tune.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa train vowels_train.ts --test vowels_test.ts --out runs/vowels\n"
    "  rwa train surnames/ --embedding 32 --out runs/names      a folder: one class per file\n"
    "  rwa train sensors.csv --target load --time-budget 10m --out runs/load\n"
    "  rwa train dna/ --folds 5 --jobs 2 --out runs/dna         cross-validation\n"
    "  rwa train long.csv --window 500 --out runs/long\n"
    "  mpirun -n 4 rwa train big.csv --batch 256 --out runs/big  four ranks, a quarter of each "
    "batch\n"
    "\n"
    "'rwa inspect DATA' shows what a file is taken for. Ctrl-C leaves a checkpoint: the same "
    "command\n"
    "goes on from there. DIR/model.safetensors is for rwa predict, evaluate, stream and explain;\n"
    "DIR/report.html shows how it went; DIR/config.toml has every setting, for --config.";

constexpr const char* kPage = "report.html";

// One that diverged has no model.
std::vector<workflows::Judged> judge_all(const workflows::Plan& plan,
                                         const SessionOptions& session) {
  std::vector<workflows::Judged> judged;
  for (const workflows::Planned& planned : plan.runs) {
    const training::Record record = training::read_run(planned.folder);
    if (record.status != training::Status::kFinished) continue;
    const auto scores = workflows::judge(planned, session);
    report::write_page(
        workflows::training_page(record, *planned.files, scores ? &*scores : nullptr),
        planned.folder / kPage);
    if (scores) judged.push_back({planned.title, *scores});
  }
  return judged;
}

// Of several seeds the one that is best in validation becomes the model; folds are there for their scores.
void keep_best(const workflows::Plan& plan, const workflows::Request& request) {
  if (plan.runs.size() == 1) {
    fmt::print("model: {}\nreport: {}\n", (request.out / training::kModelFile).string(),
               (request.out / kPage).string());
    return;
  }
  const auto loss = [](const workflows::Planned& planned) {
    const bool has_model = fs::exists(planned.folder / training::kModelFile);
    return (has_model ? workflows::best_in_validation(planned.folder) : std::nullopt)
        .value_or(std::numeric_limits<double>::infinity());
  };
  const auto best = std::ranges::min_element(plan.runs, {}, loss);
  if (request.task.folds > 0 || std::isinf(loss(*best))) {
    fmt::print("models and reports: in the folders of {}\n", request.out.string());
    return;
  }
  Model::load(best->folder / training::kModelFile).save(request.out / training::kModelFile);
  fmt::print("model: {} (of {}, the best in validation)\n",
             (request.out / training::kModelFile).string(), best->title);
}

// The scores, the pages and the model.
void conclude(const TrainOptions& options, const workflows::Plan& plan) {
  const auto judged =
      judge_all(plan, {.threads = options.threads, .device = plan.runs.front().experiment.device});
  if (!judged.empty()) {
    fmt::print("On {}:\n{}", workflows::scored_on(*plan.files),
               report::to_text(workflows::summary(judged)));
  }
  keep_best(plan, options.request);
}

void train(const TrainOptions& options) {
  const auto budget = duration_of("--time-budget", options.time_budget);
  const workflows::Plan plan = read_and_plan(options.request);
  const training::Options loop = loop_options(options, static_cast<int>(plan.runs.size()));
  std::vector<Run> runs;
  runs.reserve(plan.runs.size());
  for (const workflows::Planned& planned : plan.runs) runs.push_back(run_of(planned, budget));
  const auto diverged = Runner(runs, loop, loop.share).run();
  if (is_first_rank()) conclude(options, plan);
  throw_if_diverged(diverged, runs.size());
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  workflows::Request& request = options->request;
  auto* command = app.add_subcommand("train", "Train a model on your own sequences");
  add_training_data(*command, request.task);
  add_network(*command, request.wishes);
  add_optimiser(*command, request.wishes);
  command->add_option("--folds", request.task.folds, "Cross-validate in so many parts");
  command->add_option("--repeat", request.repeat, "Train with so many seeds");
  command->add_option("--time-budget", options->time_budget,
                      "End each training in good order after this time: seconds, or such as 10m");
  command->add_option("--config", request.config, "Settings in TOML; options come before them");
  add_machine(*command, *options);
  command->add_option("--out", request.out, "Folder for the model, the report and checkpoints")
      ->required();
  command->footer(kExample);
  command->callback([options] { train(*options); });
}

}  // namespace rwa::cli
