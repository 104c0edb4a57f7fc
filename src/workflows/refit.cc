#include "workflows/refit.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "report/text.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

int folds_of(const Plan& plan) { return training::files_task(plan.runs.front().experiment).folds; }

// All ranks get those of rank 0, which alone has the runs.
std::vector<FoldEnd> shared_ends(const TrainResult& result, std::size_t runs, Link* link) {
  std::vector<FoldEnd> ends = ends_of(result);
  ends.resize(runs);
  Ranks(link).broadcast(std::as_writable_bytes(std::span(ends)));
  return ends;
}

// The upper one of two in the middle.
template <class Number>
Number median(std::vector<FoldEnd> folds, Number FoldEnd::*number) {
  const auto middle = folds.begin() + std::ssize(folds) / 2;
  std::ranges::nth_element(folds, middle, {}, number);
  return (*middle).*number;
}

// The folds, each once: with the first seed.
std::vector<HeldOutPart> parts_of(const TrainResult& folds) {
  std::vector<HeldOutPart> parts;
  std::set<int> seen;
  for (const TrainedRun& run : folds.runs) {
    const int fold = training::files_task(run.store->record().experiment).fold;
    if (run.scores && seen.insert(fold).second) {
      parts.push_back({run.files.get(), run.store.get(), &*run.scores});
    }
  }
  return parts;
}

// The page of the last run. Errors are those of the folds, unless there is test data.
report::Page page_of(const Plan& plan, const PlannedRun& run, const TrainedRun& made,
                     const TrainResult& folds, const std::string& expected) {
  const training::Record record = run.store->record();
  PageContent content{.run = record,
                      .files = *run.files,
                      .store = run.store.get(),
                      .folder = plan.out,
                      .expected = expected,
                      .fold_count = folds_of(plan),
                      .of_folds = compare(folds.runs),
                      .folds = summary(folds.runs)};
  if (made.scores) {
    content.parts.push_back({run.files.get(), run.store.get(), &*made.scores});
    content.baselines = made.baselines;
  } else {
    content.parts = parts_of(folds);
  }
  return training_page(content);
}

}  // namespace

bool is_refitted(const Plan& plan) {
  const int folds = folds_of(plan);
  const int first = training::files_task(plan.runs.front().experiment).fold;
  const int last = training::files_task(plan.runs.back().experiment).fold;
  return folds > 0 && first == 0 && last == folds - 1;
}

std::vector<FoldEnd> ends_of(const TrainResult& result) {
  std::vector<FoldEnd> ends;
  for (const TrainedRun& run : result.runs) {
    const training::Record record = run.store->record();
    ends.push_back({record.best_step.value_or(record.steps), record.interval_scale});
  }
  return ends;
}

PlannedRun plan_refit(const Plan& plan, const std::vector<FoldEnd>& ends) {
  PlannedRun run = plan.runs.front();
  const int folds = folds_of(plan);
  datasets::FilesTask& task = training::files_task(run.experiment);
  const bool stops_early = run.experiment.evaluation.patience > 0;
  if (stops_early) task.interval_scale = median(ends, &FoldEnd::interval_scale);
  run.files = datasets::with_fold(*plan.files, task, folds);
  task.fold = folds;
  training::Training& training = run.experiment.training;
  const auto samples = [](const PlannedRun& of) {
    return static_cast<double>(of.files->size(datasets::Split::kTrain));
  };
  if (stops_early) {
    const double epochs =
        static_cast<double>(median(ends, &FoldEnd::best_step)) / samples(plan.runs[0]);
    training.steps = std::max<std::int64_t>(1, std::llround(epochs * samples(run)));
    // A rate that falls earlier than in the folds would need more steps.
    if (training.schedule == training::Schedule::kPlateau) {
      training.schedule = training::Schedule::kConstant;
    }
    run.experiment.evaluation.patience = 0;
  }
  run.title = run.experiment.name + " all data";
  place(plan.out, kRefitFolder, run);
  return run;
}

std::optional<Refit> refit(const Plan& plan, TrainResult& result, const TrainOptions& options,
                           training::QueueObserver& observer) {
  Link* const link = link_of(options.job);
  Plan last = plan;
  last.runs = {plan_refit(plan, shared_ends(result, plan.runs.size(), link))};
  TrainResult made = train(last, options, observer);
  result.diverged = std::move(made.diverged);
  const bool first = link == nullptr || link->rank() == 0;
  if (!first || !result.diverged.empty()) return std::nullopt;
  const PlannedRun& run = last.runs.front();
  Refit refit{.run = std::move(made.runs.front()),
              .expected = expected_score(result.runs),
              .steps = run.store->record().steps};
  if (plan.out.empty()) return refit;
  run.store->model().save(plan.out / training::kModelFile);
  report::write_page(page_of(plan, run, refit.run, result, refit.expected), plan.out / kReportFile);
  return refit;
}

}  // namespace rwa::workflows
