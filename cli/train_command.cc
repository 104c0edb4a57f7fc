#include "train_command.h"

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

#include "own/judge.h"
#include "own/page.h"
#include "own/tune.h"
#include "ranks.h"
#include "report/write_page.h"
#include "run/folder.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "say.h"
#include "train_options.h"
#include "words.h"

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
std::vector<own::Judged> judge_all(const own::Plan& plan, const SessionOptions& session) {
  std::vector<own::Judged> judged;
  for (const own::Planned& planned : plan.runs) {
    const run::Record record = run::read_run(planned.folder);
    if (record.status != run::Status::kFinished) continue;
    const auto scores = own::judge(planned, session);
    report::write_page(own::training_page(record, *planned.files, scores ? &*scores : nullptr),
                       planned.folder / kPage);
    if (scores) judged.push_back({planned.title, *scores});
  }
  return judged;
}

// Of several seeds the one that is best in validation becomes the model; folds are there for their scores.
void keep_best(const own::Plan& plan, const own::Request& request) {
  if (plan.runs.size() == 1) {
    fmt::print("model: {}\nreport: {}\n", (request.out / run::kModelFile).string(),
               (request.out / kPage).string());
    return;
  }
  const auto loss = [](const own::Planned& planned) {
    const bool has_model = fs::exists(planned.folder / run::kModelFile);
    return (has_model ? own::best_in_validation(planned.folder) : std::nullopt)
        .value_or(std::numeric_limits<double>::infinity());
  };
  const auto best = std::ranges::min_element(plan.runs, {}, loss);
  if (request.task.folds > 0 || std::isinf(loss(*best))) {
    fmt::print("models and reports: in the folders of {}\n", request.out.string());
    return;
  }
  Model::load(best->folder / run::kModelFile).save(request.out / run::kModelFile);
  fmt::print("model: {} (of {}, the best in validation)\n",
             (request.out / run::kModelFile).string(), best->title);
}

// The scores, the pages and the model.
void conclude(const TrainOptions& options, const own::Plan& plan) {
  const auto judged =
      judge_all(plan, {.threads = options.threads, .device = plan.runs.front().experiment.device});
  if (!judged.empty()) {
    fmt::print("On {}:\n{}", own::scored_on(*plan.files), report::to_text(own::summary(judged)));
  }
  keep_best(plan, options.request);
}

void train(const TrainOptions& options) {
  const auto budget = duration_of("--time-budget", options.time_budget);
  const own::Plan plan = read_and_plan(options.request);
  const run::Options loop = loop_options(options, static_cast<int>(plan.runs.size()));
  std::vector<Run> runs;
  runs.reserve(plan.runs.size());
  for (const own::Planned& planned : plan.runs) runs.push_back(run_of(planned, budget));
  const auto diverged = Runner(runs, loop, loop.share).run();
  if (is_first_rank()) conclude(options, plan);
  throw_if_diverged(diverged, runs.size());
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  own::Request& request = options->request;
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
