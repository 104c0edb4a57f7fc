#include "workflows/refit.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "report/text.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

int folds_of(const Plan& plan) { return training::files_task(plan.runs.front().experiment).folds; }

// All ranks get those of rank 0, which alone has the runs.
std::vector<std::int64_t> shared_steps(const TrainResult& result, std::size_t runs, Link* link) {
  std::vector<std::int64_t> steps = best_steps(result);
  steps.resize(runs);
  Ranks(link).broadcast(std::as_writable_bytes(std::span(steps)));
  return steps;
}

// The upper one of two in the middle.
std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The page of the last run, with the folds in front.
report::Page page_of(const PlannedRun& run, const TrainedRun& made, const TrainResult& folds,
                     const std::string& expected, int count) {
  report::Page page = training_page(run.store->record(), *run.files,
                                    made.scores ? &*made.scores : nullptr, made.baselines);
  std::string first = fmt::format("Trained on all data. Expected {}, from {}.", expected,
                                  report::counted(count, "fold"));
  if (made.scores) {
    first += " " + std::get<report::Text>(page.blocks.front()).text;
  } else if (const std::string said = remark(folds.runs); !said.empty()) {
    first += fmt::format(" The model is {}.", said);
  }
  page.blocks.front() = report::Text{std::move(first)};
  page.blocks.insert(page.blocks.begin() + 1,
                     {report::Heading{"Cross-validation", "folds"}, summary(folds.runs)});
  return page;
}

}  // namespace

bool is_refitted(const Plan& plan) {
  const int folds = folds_of(plan);
  const int first = training::files_task(plan.runs.front().experiment).fold;
  const int last = training::files_task(plan.runs.back().experiment).fold;
  return folds > 0 && first == 0 && last == folds - 1;
}

std::vector<std::int64_t> best_steps(const TrainResult& result) {
  std::vector<std::int64_t> steps;
  for (const TrainedRun& run : result.runs) {
    const training::Record record = run.store->record();
    steps.push_back(record.best_step.value_or(record.steps));
  }
  return steps;
}

PlannedRun plan_refit(const Plan& plan, std::vector<std::int64_t> best_steps) {
  PlannedRun run = plan.runs.front();
  const int folds = folds_of(plan);
  run.files = datasets::with_fold(*plan.files, training::files_task(run.experiment), folds);
  training::files_task(run.experiment).fold = folds;
  training::Training& training = run.experiment.training;
  const auto samples = [](const PlannedRun& of) {
    return static_cast<double>(of.files->size(datasets::Split::kTrain));
  };
  if (run.experiment.evaluation.patience > 0) {
    const double epochs =
        static_cast<double>(median(std::move(best_steps))) / samples(plan.runs[0]);
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
  last.runs = {plan_refit(plan, shared_steps(result, plan.runs.size(), link))};
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
  report::write_page(page_of(run, refit.run, result, refit.expected, folds_of(plan)),
                     plan.out / kReportFile);
  return refit;
}

}  // namespace rwa::workflows
