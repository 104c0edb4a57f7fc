#include "workflows/tune_folds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "comm/ranks.h"
#include "model/network_spec.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

constexpr int kFirstFolds = 2;
constexpr std::size_t kMostSeeds = 4;

bool is_diverged(const Candidate& candidate) {
  return std::ranges::any_of(candidate.held_out,
                             [](const HeldOut& held) { return held.sequences == 0; });
}

bool has_all_seeds(const Candidate& candidate) {
  return candidate.held_out.size() >= kMostSeeds * candidate.plan.runs.size();
}

// The mean of what `get` returns for each fold.
template <class Get>
double mean_over_folds(const Candidate& candidate, Get get) {
  double sum = 0;
  for (const HeldOut& held : candidate.held_out) sum += get(held);
  return sum / static_cast<double>(candidate.held_out.size());
}

// Lower is better. Accuracies are counted in whole sequences, since folds differ in size.
double comparable_score(const Candidate& candidate) {
  if (candidate.held_out.front().score.kind != MainScore::Kind::kAccuracy) {
    return mean_over_folds(candidate, [](const HeldOut& held) { return held.score.value; });
  }
  double right = 0, all = 0;
  for (const HeldOut& held : candidate.held_out) {
    const auto sequences = static_cast<double>(held.sequences);
    right += std::round(held.score.value * sequences);
    all += sequences;
  }
  return -right / all;
}

// Of a run of a candidate: multiplications of a training, up to a factor that all have in common.
double work_of(const Candidate& candidate) {
  const training::Experiment& experiment = candidate.experiment();
  const NetworkSpec network(model_config(experiment, candidate.plan.files->shape()));
  return static_cast<double>(network.parameters()) * experiment.training.batch *
         static_cast<double>(experiment.training.steps);
}

double work_of(std::span<const Candidate> candidates) {
  return std::transform_reduce(candidates.begin(), candidates.end(), 0.0, std::plus(),
                               [](const Candidate& one) { return work_of(one); });
}

double mean_work_of(std::span<const Candidate> candidates) {
  return work_of(candidates) / static_cast<double>(candidates.size());
}

// Run i of a candidate. Further seeds have a folder of their own.
PlannedRun run_of(const Candidate& candidate, int i) {
  const Plan& plan = candidate.plan;
  const int folds = static_cast<int>(plan.runs.size()), fold = i % folds, more = i / folds;
  PlannedRun run = plan.runs[static_cast<std::size_t>(fold)];
  run.title = fmt::format("candidate {} fold-{}", candidate.number, fold + 1);
  if (more == 0) return run;
  run.experiment.seed = training::seed_after(run.experiment.seed, more);
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
    const auto folds = static_cast<std::ptrdiff_t>(one.plan.runs.size());
    return std::tuple(lost, -std::min(std::ssize(one.held_out), folds),
                      lost ? 0 : comparable_score(one), lost ? 0 : one.loss, one.number);
  };
  return key(a) < key(b);
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
  if (folds_ > kFirstFolds) run_better();
  run_leaders_again();
  std::ranges::sort(candidates_, is_before);
  if (is_diverged(candidates_.front())) {
    throw DivergenceError("all candidates diverged; try a lower learning rate");
  }
  return std::move(candidates_);
}

void FoldRace::begin_round(std::size_t candidates, const Part& part) {
  part_ = part;
  observer_.begin_round({.number = ++round_,
                         .rounds = folds_ > kFirstFolds ? 3 : 2,
                         .candidates = static_cast<int>(candidates),
                         .folds = part.size()});
}

// Begins candidates as long as there is time for them and for the next two rounds.
void FoldRace::run_all() {
  begin_round(candidates_.size(), {0, std::min(kFirstFolds, folds_)});
  const std::size_t step = at_once();
  std::size_t begun = 0;
  while (begun < candidates_.size()) {
    const std::size_t count = std::min(step, candidates_.size() - begun);
    const Group next = Group(candidates_).subspan(begun, count);
    const double later = later_work(Group(candidates_).first(begun + count));
    if (begun > 0 && !has_time_for(work_of(next) * part_.size() + later)) break;
    train(next);
    begun += count;
  }
  candidates_.resize(begun);
}

// The first group has the defaults and their best rival. It is scored in any case: without it, the
// first round was in vain. The others follow, the best first, as long as there is time for them and
// for the leaders.
void FoldRace::run_better() {
  std::sort(candidates_.begin() + 1, candidates_.end(), is_before);  // behind the defaults
  begin_round(candidates_.size(), {part_.end, folds_});
  std::size_t begun = 0;
  while (begun < candidates_.size()) {
    const std::size_t step = begun == 0 ? 2 : at_once();
    const Group group =
        Group(candidates_).subspan(begun, std::min(step, candidates_.size() - begun));
    const double leaders = 2 * folds_ * mean_work_of(candidates_);
    if (begun > 0 && !has_time_for(work_of(group) * part_.size() + leaders)) return;
    train(group);
    begun += group.size();
  }
}

// Of several candidates the leader is also the luckiest. With other seeds it may fall back; then the
// next one has to prove itself. In the end the defaults, which may have been unlucky, have as many.
void FoldRace::run_leaders_again() {
  begin_round(candidates_.size(), {0, folds_});
  while (true) {
    Candidate* next = &*std::ranges::min_element(candidates_, is_before);
    if (has_all_seeds(*next)) next = &candidates_.front();
    if (has_all_seeds(*next) || is_diverged(*next)) return;
    if (!has_time_for(work_of(*next) * folds_)) return;
    const auto runs = static_cast<int>(next->held_out.size());
    part_ = {runs, runs + folds_};
    train(Group(next, 1));
  }
}

std::size_t FoldRace::at_once() const {
  const int jobs = options_.train.jobs > 0
                       ? options_.train.jobs
                       : usual_jobs(candidates_.front().plan, options_.train.threads);
  const int part = part_.size();
  const int most = static_cast<int>(candidates_.size()) * part;
  const int runs = training::runs_at_a_time(most, jobs, options_.train.job);
  return static_cast<std::size_t>(std::lcm(part, runs) / part);
}

// Of the second and third round, if these candidates are begun and a third of them goes on.
double FoldRace::later_work(Group begun) const {
  const int better = a_third_of(static_cast<int>(begun.size()));
  const int runs = (better + 1) * std::max(folds_ - kFirstFolds, 0) + 2 * folds_;
  return runs * mean_work_of(begun);
}

// Whether this work and the last run, on all data, are expected to end in time. Rank 0 decides.
bool FoldRace::has_time_for(double work) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  bool has_time =
      seconds + seconds / work_ * (work + mean_work_of(candidates_)) <= options_.time_budget;
  Ranks(link_).broadcast(std::as_writable_bytes(std::span(&has_time, 1)));
  return has_time;
}

void FoldRace::train(Group group) {
  Plan plan = group.front().plan;
  plan.runs.clear();
  for (const Candidate& candidate : group) {
    for (int i = part_.begin; i < part_.end; ++i) plan.runs.push_back(run_of(candidate, i));
  }
  keep(group, plan, workflows::train(plan, options_.train, observer_));
  work_ += work_of(group) * part_.size();
  for (const Candidate& candidate : group) observer_.scored(candidate);
}

// Only rank 0 has the runs.
void FoldRace::keep(Group group, const Plan& plan, const TrainResult& result) {
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    Candidate& candidate = group[i / static_cast<std::size_t>(part_.size())];
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
