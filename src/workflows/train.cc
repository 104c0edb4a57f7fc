#include "workflows/train.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rwa/errors.h"
#include "training/run_file.h"
#include "workflows/comparison.h"
#include "workflows/measures.h"
#include "workflows/predict.h"
#include "workflows/training_page.h"
#include "workflows/verdict.h"

namespace rwa::workflows {
namespace {

// Scores a run from the outputs of its last evaluation, so that nothing is computed twice. They
// must come in the order of the samples.
class FinalScores {
 public:
  explicit FinalScores(std::shared_ptr<const datasets::Files> files)
      : files_(std::move(files)), scores_(files_->encoding()) {}

  void see(datasets::Split split, std::span<const std::int64_t> samples,
           const datasets::Batch& batch, std::span<const float> outputs) {
    const auto width = static_cast<std::size_t>(files_->shape().outputs);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      in_order_ = in_order_ && samples[b] == seen_++;
      if (!in_order_) return;
      read_sample(*files_, split, samples[b], sample_);
      logits_.clear();
      const int rows = files_->shape().readout == Readout::kEvery ? batch.lengths[b] : 1;
      for (int t = 0; t < rows; ++t) {
        const auto row =
            outputs.subspan((static_cast<std::size_t>(t) * samples.size() + b) * width, width);
        logits_.insert(logits_.end(), row.begin(), row.end());
      }
      scores_.add(sample_, logits_);
    }
  }

  // Empty if not all samples were seen: other ranks had some, or the run was already finished.
  [[nodiscard]] std::optional<Scores> finish() const {
    if (!in_order_ || seen_ == 0 || seen_ != files_->size(held_out(*files_))) return std::nullopt;
    return scores_.finish();
  }

 private:
  std::shared_ptr<const datasets::Files> files_;
  ScoreAccumulator scores_;
  Sample sample_;
  std::vector<float> logits_;
  std::int64_t seen_ = 0;
  bool in_order_ = true;
};

// Scores the model of a finished run on its held-out data. A few sequences may have no labels.
Scores score_again(const PlannedRun& run, const SessionOptions& session) {
  ScoreAccumulator scores(run.files->encoding());
  predict(run.store->model(), run.files->encoding(), samples_of(*run.files, held_out(*run.files)),
          {.session = session},
          [&](const Sample& sample, std::span<const float> logits) { scores.add(sample, logits); });
  return scores.finish();
}

// Intervals were scaled on the validation data: how many numbers they hold there says nothing.
void forget_coverage(Scores& scores) {
  scores.coverage.reset();
  for (ForecastScore& score : scores.forecasts) score.coverage.reset();
  for (StepScore& score : scores.steps_ahead) score.coverage.reset();
}

std::optional<Scores> scores_of(const PlannedRun& run, const FinalScores& seen,
                                const SessionOptions& session) {
  if (run.files->size(held_out(*run.files)) == 0) return std::nullopt;
  auto scores = seen.finish();
  if (!scores) scores = score_again(run, session);
  if (held_out(*run.files) == datasets::Split::kValid) forget_coverage(*scores);
  return scores;
}

std::optional<std::size_t> best_of(const std::vector<TrainedRun>& runs) {
  std::optional<std::size_t> best;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double loss = best_in_validation(*runs[i].store).value_or(lowest);
    if (!(loss < lowest)) continue;
    lowest = loss;
    best = i;
  }
  return best;
}

// Seeds share their data, and so the baselines of the run before.
std::vector<Baseline> baselines_of(const PlannedRun& run, const PlannedRun* before,
                                   const std::vector<TrainedRun>& runs) {
  if (before != nullptr && before->files == run.files) return runs.back().baselines;
  if (run.files->size(held_out(*run.files)) == 0) return {};
  return score_baselines(*run.files, held_out(*run.files));
}

std::vector<training::NamedScore> named(const Scores& scores) {
  std::vector<training::NamedScore> named;
  for (const Measure& measure : measures_of(scores)) {
    named.push_back({measure.name, measure.factor * *measure.get(scores)});
  }
  return named;
}

// Writes the report, and the scores to run.json.
void write_results(const PlannedRun& run, const training::Record& record, const TrainedRun& made) {
  PageContent content{.run = record,
                      .files = *run.files,
                      .store = run.store.get(),
                      .folder = run.folder,
                      .baselines = made.baselines};
  if (made.scores) content.parts.push_back({run.files.get(), run.store.get(), &*made.scores});
  report::write_page(training_page(content), run.folder / kReportFile);
  if (!made.scores) return;
  training::RunScores results{.scores = named(*made.scores),
                              .remark = remark(compare(*made.scores, made.baselines), record)};
  for (const auto& [name, theirs] : made.baselines) {
    training::BaselineScores& one = results.baselines.emplace_back();
    one.name = name;
    one.final = {0, "", theirs.loss, theirs.unit, theirs.accuracy};
    one.scores = named(theirs);
  }
  training::add_scores(run.folder / training::kRunFile, results);
}

// Of several runs: the model of the best, and the page that compares them.
void leave(const Plan& plan, const TrainResult& result) {
  if (result.best) {
    result.runs[*result.best].store->model().save(plan.out / training::kModelFile);
  }
  std::vector<std::filesystem::path> folders;
  for (const PlannedRun& run : plan.runs) folders.push_back(run.folder);
  write_comparison(folders, plan.out);
}

}  // namespace

training::QueuedRun queued(const PlannedRun& run, const std::optional<double>& time_budget) {
  return {.experiment = run.experiment,
          .store = run.store,
          .title = run.title,
          .dataset = run.files,
          .time_budget = time_budget,
          .memory = run.memory,
          .scored_on = scored_on(run.experiment, *run.files)};
}

training::QueueOptions queue_options(const TrainOptions& options, int runs) {
  const int jobs = training::jobs_of_rank(runs, options.jobs, options.job);
  return {.each = {.threads = std::max(1, options.threads / jobs),
                   .share = jobs,
                   .stop = options.stop,
                   .finish = options.finish},
          .at_a_time = jobs,
          .job = options.job};
}

std::optional<double> best_in_validation(const training::RunStore& store) {
  std::optional<double> best;
  for (const training::Metric& metric : store.record().metrics) {
    if (metric.split == "valid") best = std::min(best.value_or(metric.loss), metric.loss);
  }
  return best;
}

int usual_jobs(const Plan& plan, int threads) {
  constexpr int kSmallBatch = 16;
  const training::Experiment& experiment = plan.runs.front().experiment;
  const bool small = experiment.device == "cpu" && experiment.training.batch <= kSmallBatch;
  return small ? std::min(threads, static_cast<int>(plan.runs.size())) : 1;
}

TrainResult train(const Plan& plan, const TrainOptions& given, training::QueueObserver& observer) {
  TrainOptions options = given;
  if (options.jobs == 0) options.jobs = usual_jobs(plan, options.threads);
  std::vector<training::QueuedRun> runs;
  std::deque<FinalScores> seen;  // a deque, since the runs keep references
  for (const PlannedRun& run : plan.runs) {
    FinalScores& scores = seen.emplace_back(run.files);
    runs.push_back(queued(run, options.time_budget));
    runs.back().final_outputs = [&scores](auto split, auto samples, const auto& batch,
                                          auto outputs) {
      scores.see(split, samples, batch, outputs);
    };
  }
  const auto queue = queue_options(options, static_cast<int>(runs.size()));
  TrainResult result;
  result.diverged = training::RunQueue(std::move(runs), queue).run(observer);
  if (options.job != nullptr && options.job->link().rank() != 0) return result;

  const SessionOptions session{.threads = options.threads,
                               .device = plan.runs.front().experiment.device};
  const PlannedRun* before = nullptr;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    const training::Record record = run.store->record();
    if (record.status != training::Status::kFinished) continue;
    auto baselines = baselines_of(run, std::exchange(before, &run), result.runs);
    result.runs.push_back(
        {run.title, run.store, run.files, scores_of(run, seen[i], session), std::move(baselines)});
    if (!run.folder.empty()) write_results(run, record, result.runs.back());
  }
  if (training::files_task(plan.runs.front().experiment).folds == 0) {
    result.best = best_of(result.runs);
  }
  if (plan.runs.size() > 1 && !plan.out.empty() && !result.runs.empty()) {
    leave(plan, result);
  }
  return result;
}

void throw_if_diverged(const std::vector<training::Divergence>& diverged, std::size_t runs) {
  if (diverged.empty()) return;
  if (runs == 1) throw DivergenceError(diverged.front().message);
  std::vector<std::string> lines;
  for (const auto& [title, message] : diverged) lines.push_back(title + ": " + message);
  throw DivergenceError(
      fmt::format("{} of {} runs diverged: {}", diverged.size(), runs, fmt::join(lines, "; ")));
}

}  // namespace rwa::workflows
