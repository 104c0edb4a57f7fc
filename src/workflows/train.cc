#include "workflows/train.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/text.h"
#include "rwa/errors.h"
#include "workflows/predict.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

datasets::Split held_out(const datasets::Files& files) {
  return files.size(datasets::Split::kTest) > 0 ? datasets::Split::kTest : datasets::Split::kValid;
}

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
      files_->sample(split, samples[b], sample_.sequence);
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

std::optional<Scores> scores_of(const PlannedRun& run, const FinalScores& seen,
                                const SessionOptions& session) {
  if (run.files->size(held_out(*run.files)) == 0) return std::nullopt;
  auto scores = seen.finish();
  return scores ? std::move(scores) : score_again(run, session);
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

// Seeds share their data, and so the baseline of the run before.
std::optional<Baseline> baseline_of(const PlannedRun& run, const PlannedRun* before,
                                    const std::vector<TrainedRun>& runs) {
  if (before != nullptr && before->files == run.files) return runs.back().baseline;
  if (run.files->size(held_out(*run.files)) == 0) return std::nullopt;
  return score_baseline(*run.files, held_out(*run.files));
}

// One column of the summary.
struct Measure {
  enum class Kind { kAccuracy, kLoss, kError, kOther };
  Kind kind = Kind::kOther;
  std::string name;
  std::vector<double> values, baselines;  // one per run
  double factor = 1;                      // 100 for percent
  int digits = 4;
};

using Get = std::function<std::optional<double>(const Scores&)>;

void add(std::vector<Measure>& measures, Measure measure, const std::vector<TrainedRun>& runs,
         const Get& get) {
  for (const TrainedRun& run : runs) {
    const auto value = get(*run.scores), baseline = get(run.baseline->scores);
    if (!value || !baseline) return;  // leave out measures that not all runs have
    measure.values.push_back(*value);
    measure.baselines.push_back(*baseline);
  }
  measures.push_back(std::move(measure));
}

std::vector<Measure> measures_of(const std::vector<TrainedRun>& runs) {
  std::vector<Measure> measures;
  const Scores& first = *runs.front().scores;
  add(measures, {Measure::Kind::kAccuracy, "accuracy, %", {}, {}, 100, 2}, runs,
      [](const Scores& s) { return s.accuracy; });
  add(measures, {Measure::Kind::kLoss, "loss, " + report::unit_name(first.unit), {}, {}}, runs,
      [](const Scores& s) { return s.loss; });
  add(measures, {Measure::Kind::kOther, "macro F1", {}, {}}, runs,
      [](const Scores& s) { return s.macro_f1; });
  add(measures, {Measure::Kind::kOther, "MCC", {}, {}}, runs,
      [](const Scores& s) { return s.matthews; });
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    add(measures, {Measure::Kind::kError, "RMSE of " + first.numbers[i].name, {}, {}}, runs,
        [i](const Scores& s) { return std::optional(s.numbers.at(i).rmse); });
    add(measures, {Measure::Kind::kOther, "R² of " + first.numbers[i].name, {}, {}}, runs,
        [i](const Scores& s) { return s.numbers.at(i).r2; });
  }
  return measures;
}

std::string text_of(const Measure& measure, double value) {
  return fmt::format("{:.{}f}", value * measure.factor, measure.digits);
}

double mean_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return mean;
}

// With the sample standard deviation: runs are few.
std::string mean_and_deviation(const Measure& measure) {
  const double mean = mean_of(measure.values);
  double squares = 0;
  for (const double value : measure.values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (static_cast<double>(measure.values.size()) - 1));
  return text_of(measure, mean) + " ± " + text_of(measure, deviation);
}

std::vector<TrainedRun> scored(const std::vector<TrainedRun>& all) {
  std::vector<TrainedRun> runs;
  std::ranges::copy_if(all, std::back_inserter(runs),
                       [](const TrainedRun& run) { return run.scores.has_value(); });
  return runs;
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
    auto baseline = baseline_of(run, std::exchange(before, &run), result.runs);
    result.runs.push_back(
        {run.title, run.store, scores_of(run, seen[i], session), std::move(baseline)});
    const TrainedRun& made = result.runs.back();
    if (run.folder.empty()) continue;
    report::write_page(training_page(record, *run.files, made.scores ? &*made.scores : nullptr,
                                     made.baseline ? &*made.baseline : nullptr),
                       run.folder / kReportFile);
  }
  if (std::get<datasets::FilesTask>(plan.runs.front().experiment.task).folds == 0) {
    result.best = best_of(result.runs);
  }
  if (result.best && plan.runs.size() > 1 && !plan.out.empty()) {
    result.runs[*result.best].store->model().save(plan.out / training::kModelFile);
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

report::Table summary(const std::vector<TrainedRun>& all) {
  report::Table table;
  const std::vector<TrainedRun> runs = scored(all);
  if (runs.empty()) return table;
  const std::vector<Measure> measures = measures_of(runs);
  table.header.emplace_back("run");
  for (const Measure& measure : measures) table.header.push_back(measure.name);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back({runs[i].title});
    for (const Measure& measure : measures) row.push_back({text_of(measure, measure.values[i])});
  }
  if (runs.size() > 1) {
    auto& row = table.rows.emplace_back();
    row.push_back({"mean ± standard deviation"});
    for (const Measure& measure : measures) row.push_back({mean_and_deviation(measure)});
  }
  auto& row = table.rows.emplace_back();
  row.push_back({"baseline: " + runs.front().baseline->name});
  for (const Measure& measure : measures) {
    row.push_back({text_of(measure, mean_of(measure.baselines))});
  }
  return table;
}

// The accuracy, or the error of a single number in its own unit, or else the loss.
std::string expected_score(const std::vector<TrainedRun>& all) {
  using Kind = Measure::Kind;
  std::vector<Measure> measures = measures_of(scored(all));
  const auto first = [&](Kind kind) { return std::ranges::find(measures, kind, &Measure::kind); };
  if (const auto accuracy = first(Kind::kAccuracy); accuracy != measures.end()) {
    return fmt::format("accuracy {} %", mean_and_deviation(*accuracy));
  }
  const bool has_one_error = std::ranges::count(measures, Kind::kError, &Measure::kind) == 1;
  if (!has_one_error) return fmt::format("loss {}", mean_and_deviation(*first(Kind::kLoss)));
  return fmt::format("{} {}", first(Kind::kError)->name, mean_and_deviation(*first(Kind::kError)));
}

}  // namespace rwa::workflows
