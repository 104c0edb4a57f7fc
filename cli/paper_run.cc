// cli/paper_run.cc: `rwa paper run`: trains and scores, from the beginning or from where it was
// left.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan.h"
#include "interrupt.h"
#include "paper/evidence.h"
#include "paper/places.h"
#include "paper/plan.h"
#include "paper/report.h"
#include "paper_command.h"
#include "progress.h"
#include "report/table.h"
#include "run/loop.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "words.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick                          a first look, in a few minutes\n"
    "  rwa paper run grammar adding-100 --seeds 3     two experiments, seeds 1, 2 and 3\n"
    "  rwa paper run copy-100 --model rwa --variant script\n"
    "  rwa paper run runs/grammar/rwa-seed1/config.toml --out again\n"
    "\n"
    "Ctrl-C leaves a checkpoint: the same command goes on from there. What is finished is not run\n"
    "again; with more --steps it is continued.";

struct RunOptions {
  paper::Request request;
  std::filesystem::path data;
  int threads = bench::default_threads();
  double checkpoint_seconds = 60;
};

void check_numbers(const RunOptions& options) {
  constexpr int kMostThreads = 1024;
  if (options.threads < 1 || options.threads > kMostThreads) {
    throw ConfigError(
        fmt::format("--threads is {}, expected 1 to {}", options.threads, kMostThreads));
  }
  if (!std::isfinite(options.checkpoint_seconds) || options.checkpoint_seconds < 0) {
    throw ConfigError(
        fmt::format("--checkpoint is {}, expected seconds, 0 or more", options.checkpoint_seconds));
  }
  instruction_set();  // throws for an RWA_CPU that this machine lacks
}

// "98.1 %, 0.175 bits", or where the run has no final score, nothing.
std::string final_score(const run::Record& record) {
  const run::Metric* final = run::final_of(record);
  if (final == nullptr) return "";
  return final->accuracy ? score(*final) + ", " + loss(*final) : loss(*final);
}

run::Outcome run_and_show(const paper::PlannedRun& planned, const run::Options& options) {
  ProgressDisplay display(title(planned.experiment));
  bool first = true;
  return run::run(planned.experiment, planned.folder, options, [&](const run::Progress& progress) {
    if (std::exchange(first, false) && progress.step > 0) {
      say("  goes on from step {}\n", count(progress.step));
    }
    display.show(progress);
  });
}

void run_one(const paper::PlannedRun& planned, const run::Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = run_and_show(planned, options);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const run::Record record = run::read_run(planned.folder);
  switch (outcome) {
    case run::Outcome::kFinished:
      say("  finished in {}: {} on the whole test set\n", duration(time.count()),
          final_score(record));
      return;
    case run::Outcome::kAlreadyFinished:
      say("  was finished already: {} on the whole test set\n", final_score(record));
      return;
    case run::Outcome::kInterrupted:
      throw Interrupted(fmt::format(
          "interrupted after step {} of {}, in {}; the same command goes on from there",
          count(record.steps), count(planned.experiment.training.steps), planned.folder.string()));
  }
}

// One that diverges does not stop the others. Returns what those said.
std::vector<std::string> run_each(const std::vector<paper::PlannedRun>& runs,
                                  const run::Options& options) {
  std::vector<std::string> diverged;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string name = title(runs[i].experiment);
    if (*options.stop) {
      throw Interrupted(
          fmt::format("interrupted before {}; the same command goes on from there", name));
    }
    say("[{}/{}] {}, {} steps, in {}\n", i + 1, runs.size(), name,
        count(runs[i].experiment.training.steps), runs[i].folder.string());
    try {
      run_one(runs[i], options);
    } catch (const DivergenceError& error) {
      say("  {}\n", error.what());
      diverged.push_back(fmt::format("{}: {}", name, error.what()));
    }
  }
  return diverged;
}

// Of runs that are the paper's; others have none.
void print_summary(const std::vector<paper::PlannedRun>& runs, const paper::Library& authors,
                   const std::filesystem::path& out) {
  std::vector<run::Record> records;
  records.reserve(runs.size());
  for (const auto& planned : runs) records.push_back(run::read_run(planned.folder));
  const auto summary = paper::summarise(records, authors);
  if (summary.rows.empty()) return;
  fmt::print("\n{}\nThe page with figures and claims: rwa paper report {}\n",
             report::to_text(summary), out.string());
}

void run_paper(const RunOptions& options) {
  check_numbers(options);
  const auto runs = paper::plan(options.request);
  const auto data = paper::check(runs, options.data);
  const auto authors = paper::evidence_of_authors(paper::find_curves({}));
  const auto diverged = run_each(runs, {.threads = options.threads,
                                        .checkpoint_seconds = options.checkpoint_seconds,
                                        .data_folder = data,
                                        .stop = &watch_for_interrupts()});
  print_summary(runs, authors, options.request.out);
  if (!diverged.empty()) {
    throw DivergenceError(fmt::format("{} of {} runs diverged: {}", diverged.size(), runs.size(),
                                      fmt::join(diverged, "; ")));
  }
}

void add_request(CLI::App& command, paper::Request& request) {
  command.add_option("NAME", request.names,
                     "Experiments (see rwa paper list), 'all', or a config.toml");
  command.add_flag(
      "--quick", request.quick,
      "Each at a length that shows the paper's point; without names, the three that have one");
  command.add_option("--model", request.models, "rwa, lstm (default: both)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--steps", request.steps, "Training steps (default: the paper's)");
  command.add_option("--seeds", request.seeds, "How many seeds (default: 1)");
  command.add_option("--seed", request.seed, "The first of them (default: 1)");
  command.add_option("--variant", request.variant,
                     "text: as the paper says (default); script: as the released scripts do");
  command.add_option("--device", request.device, "cpu (default) or cuda");
  add_folder(command, "--out", request.out, "Folder for the runs")->capture_default_str();
}

}  // namespace

void add_paper_run(CLI::App& paper) {
  auto options = std::make_shared<RunOptions>();
  auto* command = paper.add_subcommand("run", "Train and score experiments as the paper does");
  add_request(*command, options->request);
  add_folder(*command, "--data", options->data,
             "Folder with the files of MNIST (default: RWA_DATA, or the cache)");
  command->add_option("--threads", options->threads, "Threads (default: cores, at most 8)")
      ->capture_default_str();
  command->add_option("--checkpoint", options->checkpoint_seconds, "Seconds between checkpoints")
      ->capture_default_str();
  command->footer(kExample);
  command->callback([options] { run_paper(*options); });
}

}  // namespace rwa::cli
