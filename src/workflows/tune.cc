#include "workflows/tune.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "training/run_store.h"
#include "workflows/comparison.h"
#include "workflows/refit.h"
#include "workflows/tune_folds.h"
#include "workflows/tune_space.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

constexpr int kCandidates = 9;

const datasets::FilesTask& task_of(const Plan& plan) {
  return training::files_task(plan.runs.front().experiment);
}

void check(const Plan& defaults) {
  const datasets::FilesTask& task = task_of(defaults);
  if (task.folds > 0 && !is_refitted(defaults)) {
    throw ConfigError("found a fold, expected none: tuning compares candidates on all folds");
  }
  if (task.folds > 0 || defaults.files->size(datasets::Split::kValid) > 0) return;
  if (task.split == 0) {
    throw ConfigError("tuning needs validation data: use --valid, --folds, or a --split above 0");
  }
  throw ConfigError(
      fmt::format("tuning needs validation data, but {} cannot be split: use --valid",
                  report::counted(defaults.files->size(datasets::Split::kTrain), "sequence")));
}

// Candidate 0 alone, to see what its plan is.
Plan plan_defaults(const TrainRequest& request, const std::shared_ptr<const datasets::Files>& files,
                   Link* link, const std::optional<Room>& room = {}) {
  TrainRequest first = request;
  if (!first.out.empty()) first.out /= candidate_folder(0);
  return plan(first, files, link, room);
}

// Trains the candidates up to their seconds and sorts them, the best first. Those that diverge keep
// an infinite loss.
void run_round(std::vector<Candidate>& candidates, const TuneOptions& options,
               TuneObserver& observer) {
  std::vector<training::QueuedRun> runs;
  for (const Candidate& candidate : candidates) {
    runs.push_back(queued(candidate.plan.runs.front(), candidate.seconds));
  }
  const auto queue = queue_options(options.train, static_cast<int>(candidates.size()));
  (void)training::RunQueue(std::move(runs), queue).run(observer);
  // Only rank 0 is sure to see all folders.
  Ranks ranks(link_of(options.train.job));
  std::vector<double> losses(candidates.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; ranks.rank() == 0 && i < candidates.size(); ++i) {
    const training::RunStore& store = *candidates[i].plan.runs.front().store;
    if (store.record().status != training::Status::kFinished) continue;
    losses[i] = best_in_validation(store).value_or(losses[i]);
  }
  ranks.broadcast(std::as_writable_bytes(std::span(losses)));
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].loss = losses[i];
  std::ranges::stable_sort(candidates, {}, &Candidate::loss);
}

// Successive halving by thirds (Jamieson and Talwalkar 2016): all candidates get a part of the time,
// the better third gets another part, and so on. Returns the best first.
std::vector<Candidate> race_over_seconds(std::vector<Candidate> running, const TuneOptions& options,
                                         TuneObserver& observer) {
  std::vector<Candidate> ended;
  const std::vector<int> counts = rounds(static_cast<int>(running.size()));
  for (std::size_t round = 0; round < counts.size(); ++round) {
    const int at_a_time =
        training::runs_at_a_time(counts[round], options.train.jobs, options.train.job);
    const int turns = (counts[round] + at_a_time - 1) / at_a_time;
    const double each = options.time_budget / static_cast<double>(counts.size()) / turns;
    for (Candidate& candidate : running) candidate.seconds += each;
    observer.begin_round({.number = static_cast<int>(round) + 1,
                          .rounds = static_cast<int>(counts.size()),
                          .candidates = counts[round],
                          .seconds = each});
    run_round(running, options, observer);
    const auto kept = static_cast<std::size_t>(round + 1 < counts.size() ? counts[round + 1] : 1);
    const auto first_out = running.begin() + static_cast<std::ptrdiff_t>(kept);
    ended.insert(ended.begin(), std::make_move_iterator(first_out),
                 std::make_move_iterator(running.end()));
    running.erase(first_out, running.end());
    if (!std::isfinite(running.front().loss)) {
      throw DivergenceError("all candidates diverged; try a lower learning rate");
    }
  }
  ended.insert(ended.begin(), std::move(running.front()));
  return ended;
}

// Trains the best on all data.
void refit_best(const TuneOptions& options, TuneObserver& observer, TuneResult& result) {
  const Candidate& best = result.candidates.front();
  TrainResult folds{.runs = best.runs, .diverged = {}, .best = {}};
  auto made = refit(best.plan, folds, options.train, observer);
  throw_if_diverged(folds.diverged, 1);
  if (!made) return;
  result.best = std::move(made->run);
  result.expected = std::move(made->expected);
}

// Scores the best, which is trained already, and writes its report.
void score_best(const TuneOptions& options, TuneObserver& observer, TuneResult& result) {
  const Candidate& best = result.candidates.front();
  TrainOptions train = options.train;
  train.time_budget = best.seconds;
  TrainResult made = workflows::train(best.plan, train, observer);
  if (made.runs.empty()) return;  // another rank than 0
  result.best = std::move(made.runs.front());
  result.baselines = score_baselines(*best.plan.files, datasets::Split::kValid);
}

// Copies model and report to the folder of the search.
void leave(const TuneResult& result, const fs::path& out) {
  if (!result.best || out.empty()) return;
  result.best->store->model().save(out / training::kModelFile);
  const fs::path report = result.candidates.front().plan.out / kReportFile;
  write_comparison(training::find_runs(out), out);
  std::error_code error;
  fs::copy_file(report, out / kReportFile, fs::copy_options::overwrite_existing, error);
  if (!error) return;
  throw ResourceError(
      fmt::format("{}: cannot copy it to {}: {}", report.string(), out.string(), error.message()));
}

// All settings of the defaults, and what the others have instead.
std::string settings_of(const Candidate& candidate, const TuneResult& result) {
  if (candidate.number == 0) return in_words(candidate.experiment());
  const auto defaults = std::ranges::find(result.candidates, 0, &Candidate::number);
  return differences_in_words(candidate.experiment(), defaults->experiment());
}

std::string title_of(const Candidate& candidate) {
  return fmt::format("{}{}", candidate.number, candidate.number == 0 ? " (defaults)" : "");
}

report::Table table_of_folds(const TuneResult& result) {
  report::Table table{.header = {"candidate", "score", "loss", "runs", "settings"}, .rows = {}};
  for (const Candidate& candidate : result.candidates) {
    const bool is_whole = candidate.runs.size() == candidate.held_out.size();
    table.rows.push_back({{title_of(candidate)},
                          {is_whole ? expected_score(candidate.runs) : "diverged"},
                          {is_whole ? fmt::format("{:.4f}", candidate.loss) : ""},
                          {fmt::format("{}", candidate.held_out.size())},
                          {settings_of(candidate, result)}});
  }
  std::vector<Comparison> folds;
  for (const TrainedRun& run : result.candidates.front().runs) {
    folds.push_back(compare(*run.scores, run.baselines));
  }
  for (const auto& [name, score] : mean_of(folds).baselines) {
    table.rows.push_back({{"baseline: " + name}, {in_words(score)}, {""}, {""}, {""}});
  }
  return table;
}

}  // namespace

std::string candidate_folder(int number) { return fmt::format("candidate-{}", number); }

std::vector<int> rounds(int candidates) {
  std::vector<int> counts = {candidates};
  while (counts.back() > 1) counts.push_back(a_third_of(counts.back()));
  return counts;
}

std::vector<Candidate> make_candidates(const TrainRequest& request,
                                       const std::shared_ptr<const datasets::Files>& files,
                                       int count, Link* link, const Room& room) {
  std::vector<Candidate> candidates;
  candidates.push_back({.number = 0, .plan = plan_defaults(request, files, link, room)});
  const training::Experiment defaults = candidates.front().experiment();
  const std::shared_ptr<const datasets::Files> prepared = candidates.front().plan.files;
  for (int number = 1; number < count; ++number) {
    TrainRequest one = request;
    one.settings = candidate_settings(request.settings, defaults, *prepared, number);
    one.settings.add(request.settings);
    if (!one.out.empty()) one.out /= candidate_folder(number);
    try {
      candidates.push_back({.number = number, .plan = plan(one, files, link, room)});
    } catch (const ResourceError&) {  // too large; the defaults are not
    }
  }
  for (Candidate& candidate : candidates) {
    for (PlannedRun& run : candidate.plan.runs) {
      run.title = fmt::format("candidate {}", candidate.number);
    }
  }
  return candidates;
}

TuneResult tune(const TrainRequest& request, const std::shared_ptr<const datasets::Files>& files,
                const TuneOptions& given, TuneObserver& observer) {
  Link* const link = link_of(given.train.job);
  const Plan defaults = plan_defaults(request, files, link);
  check(defaults);
  TuneOptions options = given;
  options.train.time_budget.reset();
  if (options.train.jobs == 0) options.train.jobs = usual_jobs(defaults, options.train.threads);
  TuneResult result;
  result.has_folds = task_of(defaults).folds > 0;
  if (options.candidates == 0) options.candidates = kCandidates;
  const int most =
      training::runs_at_a_time(options.candidates, options.train.jobs, options.train.job);
  auto candidates =
      make_candidates(request, files, options.candidates, link, find_room(most, link));
  const std::size_t made = candidates.size();
  if (result.has_folds) {
    result.candidates = FoldRace(std::move(candidates), options, observer).run();
    refit_best(options, observer, result);
  } else {
    result.candidates = race_over_seconds(std::move(candidates), options, observer);
    score_best(options, observer, result);
  }
  result.left_out = static_cast<int>(made - result.candidates.size());
  leave(result, request.out);
  return result;
}

report::Table summary(const TuneResult& result) {
  if (result.has_folds) return table_of_folds(result);
  report::Table table{.header = {"candidate", "validation loss", "settings"}, .rows = {}};
  for (const Candidate& candidate : result.candidates) {
    table.rows.push_back({{title_of(candidate)},
                          {fmt::format("{:.4f}", candidate.loss)},
                          {settings_of(candidate, result)}});
  }
  for (const auto& [name, scores] : result.baselines) {
    table.rows.push_back({{"baseline: " + name}, {fmt::format("{:.4f}", scores.loss)}, {""}});
  }
  return table;
}

}  // namespace rwa::workflows
