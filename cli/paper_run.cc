// cli/paper_run.cc: `rwa paper run`: trains and scores, from the beginning or from where it was
// left.
#include <algorithm>
#include <cmath>
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
#include "workflows/train.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick                          a first look, in a few minutes\n"
    "  rwa paper run grammar adding-100 --seeds 3     two experiments, seeds 1, 2 and 3\n"
    "  rwa paper run copy-100 --model rwa --variant script\n"
    "  rwa paper run copy-100 --model gru,rwa-forget  other cells\n"
    "  rwa paper run step-size --jobs 2               a study: its cases are the models\n"
    "  rwa paper run runs/grammar/rwa-seed1/config.toml --out again\n"
    "  rwa paper run all --device cuda --jobs 4       on a GPU, four at a time\n"
    "  mpirun -n 4 rwa paper run all                  on four ranks, a run on each\n"
    "\n"
    "Ctrl-C or the end of --time-limit leaves a checkpoint: the same command goes on from there.\n"
    "What is finished is not run again; with more --steps it is continued.";

struct RunOptions {
  paper::Request request;
  std::filesystem::path data;
  int threads = usual_threads();
  int jobs = 1;
  double checkpoint_seconds = 60;
  std::optional<std::string> time_limit;
};

void check_numbers(const RunOptions& options) {
  check_count("--threads", options.threads, kMostThreads);
  check_count("--jobs", options.jobs, kMostJobs);
  if (!std::isfinite(options.checkpoint_seconds) || options.checkpoint_seconds < 0) {
    throw ConfigError(
        fmt::format("--checkpoint is {}, expected seconds, 0 or more", options.checkpoint_seconds));
  }
  instruction_set();  // throws for an RWA_CPU that this machine lacks
}

// What a step costs is proportional to the length of its sequences.
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

// Of runs that are in the catalogue, or a study's; others have none.
void print_summary(const std::vector<paper::PlannedRun>& runs, const paper::Library& authors,
                   const std::filesystem::path& out) {
  std::vector<training::Record> records;
  records.reserve(runs.size());
  for (const auto& planned : runs) records.push_back(training::read_run(planned.folder));
  const auto tables = paper::summarise(records, authors);
  if (tables.empty()) return;
  for (const auto& table : tables) fmt::print("\n{}", report::to_text(table));
  fmt::print("\nThe page with figures and claims: rwa paper report {}\n", out.string());
}

void run_paper(const RunOptions& options) {
  check_numbers(options);
  if (const auto seconds = duration_of("--time-limit", options.time_limit)) {
    interrupt_after(*seconds);
  }
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

void add_request(CLI::App& command, paper::Request& request) {
  command.add_option("NAME", request.names,
                     "Experiments and studies (see rwa paper list), 'all', or a config.toml");
  command.add_flag(
      "--quick", request.quick,
      "Each at a length that shows the paper's point; without names, the three that have one");
  command
      .add_option("--model", request.models,
                  cell_names() +
                      ", or one of the experiment's or the study's own "
                      "(default: all its own; of the paper's, rwa and lstm)")
      ->option_text("NAME[,NAME...]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--steps", request.steps, "Training steps (default: the experiment's)");
  command.add_option("--seeds", request.seeds, "How many seeds (default: 1)");
  command.add_option("--seed", request.seed, "The first of them (default: 1)");
  command.add_option("--variant", request.variant,
                     "text: as the paper says (default); script: as the released scripts do");
  command.add_option("--device", request.device, "cpu (default), cuda or cuda:N");
  add_folder(command, "--out", request.out, "Folder for the runs")->capture_default_str();
}

}  // namespace

void add_paper_run(CLI::App& paper) {
  auto options = std::make_shared<RunOptions>();
  auto* command = paper.add_subcommand("run", "Train and score experiments as the paper does");
  add_request(*command, options->request);
  add_folder(*command, "--data", options->data,
             "Folder with the files of MNIST (default: RWA_DATA, or the cache)");
  add_workers(*command, options->threads, options->jobs);
  command->add_option("--time-limit", options->time_limit,
                      "As Ctrl-C after this time: seconds, or such as 9m or 1h30m");
  command->add_option("--checkpoint", options->checkpoint_seconds, "Seconds between checkpoints")
      ->capture_default_str();
  command->footer(kExample);
  command->callback([options] { run_paper(*options); });
}

}  // namespace rwa::cli
