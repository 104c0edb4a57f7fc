// cli/tune_command.cc: `rwa tune`: search for good settings within a time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "commands.h"
#include "interrupt.h"
#include "ranks.h"
#include "report/table.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "say.h"
#include "train_options.h"
#include "training/folder.h"
#include "words.h"
#include "workflows/tune.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

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

struct TuneOptions : TrainOptions {
  int candidates = 9;
};

struct Candidate {
  int number = 0;
  workflows::Planned planned;
  double seconds = 0;  // of training it may have used by the end of the round
  double loss = std::numeric_limits<double>::infinity();
};

std::vector<Candidate> make_candidates(const TuneOptions& options, const workflows::Plan& plan) {
  std::vector<Candidate> candidates;
  for (int number = 0; number < options.candidates; ++number) {
    workflows::Request request = options.request;
    const workflows::Planned& base = plan.runs.front();
    request.wishes = workflows::candidate(options.request.wishes, base.files->shape(),
                                          base.experiment.seed, number);
    Candidate candidate{.number = number, .planned = base};
    candidate.planned.experiment = workflows::experiment_of(request);
    workflows::complete(request.wishes, *base.files, candidate.planned.experiment);
    candidate.planned.folder = request.out / fmt::format("candidate-{}", number);
    candidate.planned.title = fmt::format("candidate {}", number);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// All of `candidates` up to their seconds; those that diverge stay without a loss.
void run_round(std::vector<Candidate>& candidates, const training::Options& loop, int at_a_time) {
  std::vector<Run> runs;
  runs.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    runs.push_back(run_of(candidate.planned, candidate.seconds));
  }
  (void)Runner(runs, loop, at_a_time).run();
  // Rank 0 sees all folders.
  std::vector<double> losses(candidates.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; is_first_rank() && i < candidates.size(); ++i) {
    losses[i] = workflows::best_in_validation(candidates[i].planned.folder).value_or(losses[i]);
  }
  Ranks(all_ranks()).broadcast(std::as_writable_bytes(std::span(losses)));
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].loss = losses[i];
  std::ranges::stable_sort(candidates, {}, &Candidate::loss);
}

void print_table(const std::vector<Candidate>& candidates) {
  report::Table table{.header = {"candidate", "loss in validation", "what"}, .rows = {}};
  for (const Candidate& candidate : candidates) {
    table.rows.push_back({{fmt::format("{}", candidate.number)},
                          {fmt::format("{:.4f}", candidate.loss)},
                          {workflows::in_words(candidate.planned.experiment)}});
  }
  fmt::print("{}", report::to_text(table));
}

void tune(const TuneOptions& options) {
  check_count("--candidates", options.candidates, 1000);
  const double budget = duration_of("--time-budget", options.time_budget.value_or("10m")).value();
  const workflows::Plan plan = read_and_plan(options.request);
  if (plan.files->size(datasets::Split::kValid) == 0) {
    throw ConfigError("tuning needs data to validate on: expected --valid, or a --split above 0");
  }
  const training::Options loop = loop_options(options, options.candidates);
  std::vector<Candidate> running = make_candidates(options, plan);
  std::vector<Candidate> ended;
  const std::vector<int> rounds = workflows::rounds(options.candidates);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const int at_a_time = runs_at_a_time(rounds[round], options.jobs);
    const int turns = (rounds[round] + at_a_time - 1) / at_a_time;
    const double each = budget / static_cast<double>(rounds.size()) / turns;
    for (Candidate& candidate : running) candidate.seconds += each;
    say("round {} of {}: {} candidates, {} more each\n", round + 1, rounds.size(), rounds[round],
        duration(each));
    run_round(running, loop, jobs_of_rank(rounds[round], options.jobs));
    const auto kept = static_cast<std::size_t>(round + 1 < rounds.size() ? rounds[round + 1] : 1);
    ended.insert(ended.begin(), running.begin() + static_cast<std::ptrdiff_t>(kept), running.end());
    running.resize(kept);
  }
  if (!is_first_rank()) return;
  ended.insert(ended.begin(), running.front());
  print_table(ended);
  const fs::path model = options.request.out / training::kModelFile;
  Model::load(running.front().planned.folder / training::kModelFile).save(model);
  fmt::print("\nThe best: {}\n", model.string());
}

}  // namespace

void add_tune_command(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  auto* command = app.add_subcommand("tune", "Look for good settings for a data set");
  add_training_data(*command, options->request.task);
  add_network(*command, options->request.wishes);
  add_optimiser(*command, options->request.wishes);
  add_machine(*command, *options);
  command->add_option("--candidates", options->candidates, "How many are tried")
      ->capture_default_str();
  command->add_option("--time-budget", options->time_budget,
                      "For all of it, such as 10m (default)");
  command->add_option("--out", options->request.out, "Folder for the runs and the best model")
      ->required();
  command->footer(kExample);
  command->callback([options] { tune(*options); });
}

}  // namespace rwa::cli
