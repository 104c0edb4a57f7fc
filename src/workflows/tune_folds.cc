#include "workflows/tune_folds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

constexpr int kFirstFolds = 2;
constexpr int kRounds = 3;

bool is_diverged(const Candidate& candidate) {
  return std::ranges::any_of(candidate.held_out,
                             [](const HeldOut& held) { return held.sequences == 0; });
}

// The mean of what `get` returns for each fold.
template <class Get>
double mean_over_folds(const Candidate& candidate, Get get) {
  double sum = 0;
  for (const HeldOut& held : candidate.held_out) sum += get(held);
  return sum / static_cast<double>(candidate.held_out.size());
}

double mean_score(const Candidate& candidate) {
  return mean_over_folds(candidate, [](const HeldOut& held) { return held.score.value; });
}

// Lower is better. Folds may differ by a sequence, which makes no difference here.
double comparable_score(const Candidate& candidate) {
  if (candidate.held_out.front().score.kind != MainScore::Kind::kAccuracy) {
    return mean_score(candidate);
  }
  std::int64_t sequences = 0;
  for (const HeldOut& held : candidate.held_out) sequences += held.sequences;
  return -std::round(mean_score(candidate) * static_cast<double>(sequences));
}

bool exceeds_its_error(const std::vector<double>& differences) {
  const auto count = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  double squares = 0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  return mean > std::sqrt(squares / (count - 1) / count);
}

// Run i of a candidate. Further seeds have a folder of their own.
PlannedRun run_of(const Candidate& candidate, int i) {
  const Plan& plan = candidate.plan;
  const int folds = static_cast<int>(plan.runs.size()), fold = i % folds, more = i / folds;
  PlannedRun run = plan.runs[static_cast<std::size_t>(fold)];
  run.title = fmt::format("candidate {} fold-{}", candidate.number, fold + 1);
  if (more == 0) return run;
  run.experiment.seed += static_cast<std::uint64_t>(more);
  const auto part = fmt::format("seed-{}", run.experiment.seed);
  run.title += " " + part;
  place(plan.out, std::filesystem::path(part) / fmt::format("fold-{}", fold + 1), run);
  return run;
}

// All ranks get what rank 0 has, except for the unit.
void share(HeldOut& held, Link* link) {
  const auto bytes_of = [](auto& value) { return std::as_writable_bytes(std::span(&value, 1)); };
  Ranks ranks(link);
  ranks.broadcast(bytes_of(held.score.kind));
  ranks.broadcast(bytes_of(held.score.value));
  ranks.broadcast(bytes_of(held.loss));
  ranks.broadcast(bytes_of(held.sequences));
}

}  // namespace

bool is_before(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& one) {
    const bool lost = is_diverged(one);
    return std::tuple(lost, -std::ssize(one.held_out), lost ? 0 : comparable_score(one),
                      lost ? 0 : one.loss, one.number);
  };
  return key(a) < key(b);
}

bool is_clearly_better(const Candidate& a, const Candidate& b) {
  if (is_diverged(a) || is_diverged(b)) return !is_diverged(a);
  const bool is_tied = comparable_score(a) == comparable_score(b);
  const bool is_accuracy = a.held_out.front().score.kind == MainScore::Kind::kAccuracy;
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(a.held_out.size(), b.held_out.size()); ++i) {
    const HeldOut &ours = a.held_out[i], &theirs = b.held_out[i];
    const double more = ours.score.value - theirs.score.value;
    differences.push_back(is_tied ? theirs.loss - ours.loss : is_accuracy ? more : -more);
  }
  return exceeds_its_error(differences);
}

FoldRace::FoldRace(std::vector<Candidate> candidates, const TuneOptions& options,
                   TuneObserver& observer)
    : candidates_(std::move(candidates)),
      options_(options),
      observer_(observer),
      link_(link_of(options.train.job)),
      folds_(static_cast<int>(candidates_.front().plan.runs.size())) {}

std::vector<Candidate> FoldRace::run() {
  run_all();
  run_better_third();
  run_best_again();
  std::ranges::sort(candidates_, is_before);
  const auto defaults = std::ranges::find(candidates_, 0, &Candidate::number);
  if (!is_clearly_better(candidates_.front(), *defaults)) {
    std::rotate(candidates_.begin(), defaults, defaults + 1);
  }
  if (is_diverged(candidates_.front())) {
    throw DivergenceError("all candidates diverged; try a lower learning rate");
  }
  return std::move(candidates_);
}

void FoldRace::begin_round(int number, std::size_t candidates) {
  first_ = std::exchange(
      end_, number == 1 ? std::min(kFirstFolds, folds_) : (end_ / folds_ + 1) * folds_);
  observer_.begin_round({.number = number,
                         .rounds = kRounds,
                         .candidates = static_cast<int>(candidates),
                         .folds = end_ - first_});
}

// Begins candidates as long as there is time for them and for the later rounds.
void FoldRace::run_all() {
  begin_round(1, candidates_.size());
  const std::size_t part = static_cast<std::size_t>(end_ - first_), step = at_once();
  std::size_t begun = 0;
  while (begun < candidates_.size()) {
    const std::size_t count = std::min(step, candidates_.size() - begun);
    const auto later = static_cast<std::size_t>(later_runs(begun + count));
    if (begun > 0 && !has_time_for(count * part + later)) break;
    train(Group(candidates_).subspan(begun, count));
    begun += count;
  }
  candidates_.resize(begun);
}

// The first group has the defaults and their best rival. It is scored in any case: without it, the
// first round was in vain. For the others, the third round comes first.
void FoldRace::run_better_third() {
  const auto count = static_cast<std::size_t>(a_third_of(static_cast<int>(candidates_.size())));
  std::sort(candidates_.begin() + 1, candidates_.end(), is_before);  // behind the defaults
  const Group racing = Group(candidates_).first(std::min(count + 1, candidates_.size()));
  begin_round(2, racing.size());
  const auto part = static_cast<std::size_t>(end_ - first_);
  const auto later = static_cast<std::size_t>(2 * folds_);
  std::size_t begun = 0;
  while (begun < racing.size()) {
    const std::size_t step = begun == 0 ? 2 : at_once();
    const Group group = racing.subspan(begun, std::min(step, racing.size() - begun));
    if (begun > 0 && !has_time_for(group.size() * part + later)) return;
    train(group);
    begun += group.size();
  }
}

// Even if the defaults lead: with another seed they may not.
void FoldRace::run_best_again() {
  std::sort(candidates_.begin() + 1, candidates_.end(), is_before);
  const bool has_rival =
      candidates_.size() > 1 && candidates_[1].held_out.size() == candidates_[0].held_out.size();
  if (!has_rival || !has_time_for(static_cast<std::size_t>(2 * folds_))) return;
  begin_round(kRounds, 2);
  train(Group(candidates_).first(2));
}

std::size_t FoldRace::at_once() const {
  const int jobs = options_.train.jobs > 0
                       ? options_.train.jobs
                       : usual_jobs(candidates_.front().plan, options_.train.threads);
  const int part = end_ - first_;
  const int most = static_cast<int>(candidates_.size()) * part;
  const int runs = training::runs_at_a_time(most, jobs, options_.train.job);
  return static_cast<std::size_t>(std::lcm(part, runs) / part);
}

// The runs of the second and third round, if this many candidates are begun.
int FoldRace::later_runs(std::size_t candidates) const {
  const int better = a_third_of(static_cast<int>(candidates));
  return (better + 1) * std::max(folds_ - kFirstFolds, 0) + 2 * folds_;
}

// Whether these runs and the last one, on all data, are expected to end in time. Rank 0 decides.
bool FoldRace::has_time_for(std::size_t runs) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  bool has_time =
      seconds + seconds / runs_ * (static_cast<double>(runs) + 1) <= options_.time_budget;
  Ranks(link_).broadcast(std::as_writable_bytes(std::span(&has_time, 1)));
  return has_time;
}

void FoldRace::train(Group group) {
  Plan plan = group.front().plan;
  plan.runs.clear();
  for (const Candidate& candidate : group) {
    for (int i = first_; i < end_; ++i) plan.runs.push_back(run_of(candidate, i));
  }
  keep(group, plan, workflows::train(plan, options_.train, observer_));
  runs_ += static_cast<int>(plan.runs.size());
  for (const Candidate& candidate : group) observer_.scored(candidate);
}

// Only rank 0 has the runs.
void FoldRace::keep(Group group, const Plan& plan, const TrainResult& result) {
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    Candidate& candidate = group[i / static_cast<std::size_t>(end_ - first_)];
    const auto run = std::ranges::find(result.runs, plan.runs[i].store, &TrainedRun::store);
    HeldOut held;
    if (run != result.runs.end()) {
      held = {main_score(*run->scores), run->scores->loss, run->scores->sequences};
      candidate.runs.push_back(*run);
    }
    share(held, link_);
    candidate.held_out.push_back(held);
  }
  for (Candidate& candidate : group) {
    if (!is_diverged(candidate)) {
      candidate.loss = mean_over_folds(candidate, [](const HeldOut& held) { return held.loss; });
    }
  }
}

}  // namespace rwa::workflows
