// cli/paper_run.cc: `rwa paper run`: trains and scores experiments, or resumes them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interrupt.h"
#include "paper/evidence.h"
#include "paper/external_files.h"
#include "paper/plan.h"
#include "paper/report.h"
#include "paper_command.h"
#include "ranks.h"
#include "report/table.h"
#include "run_display.h"
#include "rwa/cells.h"
#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "settings_options.h"
#include "training/run_queue.h"
#include "training/run_store.h"
#include "training/settings.h"
#include "workflows/train.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick                          A first look in a few minutes\n"
    "  rwa paper run grammar adding-100 --seeds 3     Two experiments with seeds 1, 2 and 3\n"
    "  rwa paper run copy-100 --model rwa --variant script\n"
    "  rwa paper run copy-100 --model gru,rwa-forget  Other cells\n"
    "  rwa paper run step-size --jobs 2               A study, with all its cases\n"
    "  rwa paper run runs/grammar/rwa-seed1/config.toml --out again\n"
    "  rwa paper run all --device cuda --jobs 4       Four runs at a time on a GPU\n"
    "  mpirun -n 4 rwa paper run all                  One run at a time on each of four ranks\n"
    "\n"
    "Ctrl-C and --time-limit stop with a checkpoint; run the same command to resume. Finished "
    "runs\n"
    "are not repeated; a larger --steps continues them.";

struct RunOptions {
  paper::Request request;
  std::filesystem::path data;
  int threads = usual_threads();
  int jobs = 1;
  double checkpoint_seconds = 60;
  std::optional<double> time_limit;
};

// The cost of a training step is taken to be proportional to the length of its sequences.
std::vector<training::QueuedRun> runs_of(const std::vector<paper::PlannedRun>& planned) {
  std::vector<training::QueuedRun> runs;
  runs.reserve(planned.size());
  for (const auto& [experiment, folder] : planned) {
    runs.push_back({.experiment = experiment,
                    .store = std::make_shared<training::FolderStore>(folder),
                    .title = title(experiment),
                    .work_of_step = tasks::facts(experiment.task).shape.mean_length});
  }
  return runs;
}

// Prints the tables of runs that are in the catalogue or in a study; other runs have none.
void print_summary(const std::vector<paper::PlannedRun>& runs, const paper::Library& authors,
                   const std::filesystem::path& out) {
  std::vector<training::Record> records;
  records.reserve(runs.size());
  for (const auto& planned : runs) records.push_back(training::read_run(planned.folder));
  const auto tables = paper::summarise(records, authors);
  if (tables.empty()) return;
  for (const auto& table : tables) fmt::print("\n{}", report::to_text(table));
  fmt::print("\nFor figures and claims, run: rwa paper report {}\n", out.string());
}

void run_paper(const RunOptions& options) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  if (options.time_limit) interrupt_after(*options.time_limit);
  const auto runs = paper::plan(options.request);
  const auto data = paper::check(runs, options.data, all_ranks());
  const auto authors = paper::evidence_of_authors(paper::find_curves({}));
  const int jobs = training::jobs_of_rank(static_cast<int>(runs.size()), options.jobs, job());
  const training::Options each{.threads = std::max(1, options.threads / jobs),
                               .share = jobs,
                               .checkpoint_seconds = options.checkpoint_seconds,
                               .data_folder = data,
                               .stop = [&stop = watch_for_interrupts()] { return stop.load(); }};
  RunDisplay display;
  const auto diverged =
      training::RunQueue(runs_of(runs), {.each = each, .at_a_time = jobs, .job = job()})
          .run(display);
  if (is_first_rank()) print_summary(runs, authors, options.request.out);
  workflows::throw_if_diverged(diverged, runs.size());
}

void add_request(const Command& command, paper::Request& request) {
  command.add_option("NAME", request.names,
                     "Experiments and studies (see rwa paper list), 'all', or a config.toml");
  command.add_flag(
      "--quick", request.quick,
      "Train just long enough to show the paper's point (without NAME: three experiments)");
  command.add_list("--model", request.models,
                   "Models: " + cell_names() +
                       ", or a model of the experiment or study (default: rwa and lstm for the "
                       "paper's experiments, else all models)");
  command.add_number("--steps", request.steps, {.least = 1, .most = training::kMostSteps},
                     "Training steps (default: the experiment's)");
  command.add_number("--seeds", request.seeds, {.least = 1, .most = paper::kMostSeeds},
                     "Number of seeds (default: 1)");
  command.add_number("--seed", request.seed, {.least = 0}, "First seed (default: 1)");
  command.add_option("--variant", request.variant,
                     "text: as described in the paper (default); script: as in its code");
  command.add_option("--device", request.device, "Device: cpu (default), cuda or cuda:N");
  command.add_option("--out", request.out, "Folder for the runs").show_default();
}

}  // namespace

void add_paper_run(const Command& paper) {
  auto options = std::make_shared<RunOptions>();
  const auto command = paper.add_command("run", "Train and score experiments");
  add_request(command, options->request);
  command
      .add_option("--data", options->data,
                  "Folder with the MNIST files (default: $RWA_DATA, or ~/.cache/rwa)")
      .must_be_folder();
  add_workers(command, options->threads, options->jobs);
  command.add_duration("--time-limit", options->time_limit,
                       "Stop with a checkpoint after this time: seconds, or e.g. 9m or 1h30m");
  command
      .add_number("--checkpoint", options->checkpoint_seconds, {.least = 0, .most = 1e6},
                  "Seconds between checkpoints")
      .show_default();
  command.set_footer(kExample);
  command.set_action([options] { run_paper(*options); });
}

}  // namespace rwa::cli
