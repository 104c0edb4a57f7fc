#include "workflows/tune.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "cells/traits.h"
#include "comm/ranks.h"
#include "report/text.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "training/run_store.h"

namespace rwa::workflows {
namespace {

constexpr int kThird = 3;

Link* link_of(Job* job) { return job == nullptr ? nullptr : &job->link(); }

// The random choices of one candidate; each takes the next number of its stream.
class Dice {
 public:
  Dice(std::uint64_t seed, int number)
      : random_(seed, Purpose::kTune, static_cast<std::uint32_t>(number)) {}

  template <class Values>
  typename Values::value_type one_of(const Values& values) {
    return values[random_.below(next_++, values.size())];
  }
  // Log-uniform, rounded to two digits for readability.
  double between(double low, double high) {
    const double value = low * std::pow(high / low, random_.uniform(next_++));
    return std::stod(fmt::format("{:.1e}", value));
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

// Drops what was drawn and does not go with the given settings: dropout acts between layers, and
// truncated sequences cannot be read backwards or averaged.
void drop_impossible(const training::Overrides& given, training::Experiment& experiment) {
  training::Network& network = experiment.network;
  if (network.layers < 2 && !given.has("network.dropout")) network.dropout = 0;
  if (experiment.training.truncate == 0) return;
  if (!given.has("network.bidirectional")) network.bidirectional = false;
  if (!given.has("network.readout")) network.readout = Readout::kLast;
}

Candidate make_candidate(const TrainRequest& request, const PlannedRun& base, int number,
                         const Room& room) {
  training::Overrides settings = candidate(base.files->shape(), base.experiment.seed, number);
  settings.add(request.settings);
  Candidate made{.number = number, .run = base};
  made.run.experiment = experiment_of(settings);
  made.run.experiment.task = base.experiment.task;  // candidates share their data
  drop_impossible(request.settings, made.run.experiment);
  made.run.memory = complete(settings, *base.files, room, made.run.experiment).memory;
  made.run.title = fmt::format("candidate {}", number);
  place(request.out, candidate_folder(number), made.run);
  return made;
}

[[noreturn]] void refuse_without_validation(const Plan& plan) {
  const auto& task = training::files_task(plan.runs.front().experiment);
  if (task.split == 0) {
    throw ConfigError("tuning needs validation data: use --valid, or a --split above 0");
  }
  throw ConfigError(
      fmt::format("tuning needs validation data, but {} cannot be split: use --valid",
                  report::counted(plan.files->size(datasets::Split::kTrain), "sequence")));
}

// Trains the candidates up to their seconds and sorts them, the best first. Those that diverge keep
// an infinite loss.
void run_round(std::vector<Candidate>& candidates, const TuneOptions& options,
               TuneObserver& observer) {
  std::vector<training::QueuedRun> runs;
  for (const Candidate& candidate : candidates) {
    runs.push_back(queued(candidate.run, candidate.seconds));
  }
  training::QueueOptions queue = queue_options(options.train, options.candidates);
  queue.at_a_time = training::jobs_of_rank(static_cast<int>(candidates.size()), options.train.jobs,
                                           options.train.job);
  (void)training::RunQueue(std::move(runs), queue).run(observer);
  // Only rank 0 is sure to see all folders.
  Ranks ranks(link_of(options.train.job));
  std::vector<double> losses(candidates.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; ranks.rank() == 0 && i < candidates.size(); ++i) {
    const training::RunStore& store = *candidates[i].run.store;
    if (store.record().status != training::Status::kFinished) continue;
    losses[i] = best_in_validation(store).value_or(losses[i]);
  }
  ranks.broadcast(std::as_writable_bytes(std::span(losses)));
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].loss = losses[i];
  std::ranges::stable_sort(candidates, {}, &Candidate::loss);
}

}  // namespace

std::vector<std::string> tuned_cells() {
  std::vector<std::string> names;
  for (const Cell cell : all_cells()) {
    if (cell_traits(cell).tuned) names.emplace_back(to_string(cell));
  }
  return names;
}

std::string candidate_folder(int number) { return fmt::format("candidate-{}", number); }

training::Overrides candidate(const datasets::Shape& shape, std::uint64_t seed, int number) {
  if (number == 0) return {};
  const auto text = [](std::string word) { return io::Value{std::move(word)}; };
  const auto whole = [](int value) { return io::Value{std::int64_t{value}}; };
  Dice dice(seed, number);
  io::Value::Table network, training;
  network.push_back({"cell", text(dice.one_of(tuned_cells()))});
  network.push_back({"units", whole(dice.one_of(std::array{32, 64, 100, 150, 250}))});
  network.push_back({"layers", whole(dice.one_of(std::array{1, 1, 2}))});
  training.push_back({"learning_rate", {dice.between(5e-4, 2e-2)}});
  network.push_back({"dropout", {dice.one_of(std::array{0.0, 0.2, 0.5})}});
  training.push_back({"batch", whole(dice.one_of(std::array{16, 32, 64}))});
  const bool both_ways = dice.one_of(std::array{false, true});
  const auto* readout = dice.one_of(std::array{"last", "mean", "attention"});
  const int embedding = dice.one_of(std::array{0, 16, 32});
  if (shape.readout == Readout::kLast) {
    network.push_back({"bidirectional", {both_ways}});
    network.push_back({"readout", text(readout)});
  }
  if (shape.input == Input::kSymbols) network.push_back({"embedding", whole(embedding)});
  return training::Overrides(
      {{"network", {std::move(network)}}, {"training", {std::move(training)}}});
}

TrainRequest with_validation(const TrainRequest& request) {
  TrainRequest made = request;
  const double split = datasets::FilesTask{}.split;
  made.settings = training::Overrides({{"task", {io::Value::Table{{"split", {split}}}}}});
  made.settings.add(request.settings);
  return made;
}

std::vector<Candidate> make_candidates(const TrainRequest& request, const Plan& plan, int count,
                                       const Room& room) {
  std::vector<Candidate> candidates;
  for (int number = 0; number < count; ++number) {
    try {
      candidates.push_back(make_candidate(request, plan.runs.front(), number, room));
    } catch (const ResourceError&) {
      if (number == 0) throw;  // the settings of the request alone are too large
    }
  }
  return candidates;
}

std::string in_words(const training::Experiment& experiment) {
  const training::Network& network = experiment.network;
  std::string text =
      fmt::format("{}, {}", to_string(network.cell), report::counted(network.units, "unit"));
  if (network.layers > 1) text += fmt::format(", {} layers", network.layers);
  if (network.bidirectional) text += ", bidirectional";
  if (network.embedding > 0) text += fmt::format(", embedding {}", network.embedding);
  if (!training::parse_stem(network.stem).empty()) {
    text +=
        fmt::format(", stem {} of {}", network.stem, report::counted(network.channels, "channel"));
  }
  if (network.readout != Readout::kLast) {
    text += fmt::format(", {} readout", to_string(network.readout));
  }
  if (network.dropout > 0) text += fmt::format(", dropout {}", network.dropout);
  return text + fmt::format(", learning rate {}, batch {}", experiment.training.learning_rate,
                            experiment.training.batch);
}

std::vector<int> rounds(int candidates) {
  std::vector<int> counts = {candidates};
  while (counts.back() > 1) counts.push_back((counts.back() + kThird - 1) / kThird);
  return counts;
}

std::vector<Candidate> tune(const TrainRequest& request, const Plan& plan, const TuneOptions& given,
                            TuneObserver& observer) {
  TuneOptions options = given;
  if (options.train.jobs == 0) options.train.jobs = usual_jobs(plan, options.train.threads);
  if (plan.files->size(datasets::Split::kValid) == 0) refuse_without_validation(plan);
  if (options.candidates < 1) {
    throw ConfigError(fmt::format("candidates is {}, expected at least 1", options.candidates));
  }
  if (training::files_task(plan.runs.front().experiment).folds > 0) {
    throw ConfigError("found folds, expected none: tuning uses a single validation set");
  }
  const int most =
      training::runs_at_a_time(options.candidates, options.train.jobs, options.train.job);
  std::vector<Candidate> running = make_candidates(request, plan, options.candidates,
                                                   find_room(most, link_of(options.train.job)));
  std::vector<Candidate> ended;
  const std::vector<int> counts = rounds(static_cast<int>(running.size()));
  for (std::size_t round = 0; round < counts.size(); ++round) {
    const int at_a_time =
        training::runs_at_a_time(counts[round], options.train.jobs, options.train.job);
    const int turns = (counts[round] + at_a_time - 1) / at_a_time;
    const double each = options.time_budget / static_cast<double>(counts.size()) / turns;
    for (Candidate& candidate : running) candidate.seconds += each;
    observer.begin_round(static_cast<int>(round) + 1, static_cast<int>(counts.size()),
                         counts[round], each);
    run_round(running, options, observer);
    const auto kept = static_cast<std::size_t>(round + 1 < counts.size() ? counts[round + 1] : 1);
    const auto first_out = running.begin() + static_cast<std::ptrdiff_t>(kept);
    ended.insert(ended.begin(), first_out, running.end());
    running.erase(first_out, running.end());
    if (!std::isfinite(running.front().loss)) {
      throw DivergenceError("all candidates diverged; try a lower learning rate");
    }
  }
  ended.insert(ended.begin(), running.front());
  return ended;
}

}  // namespace rwa::workflows
