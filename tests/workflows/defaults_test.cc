// tests/workflows/defaults_test.cc: the settings that are chosen from the data.
#include "workflows/defaults.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "datasets/files_testing.h"
#include "rwa/errors.h"
#include "training/schedule.h"
#include "workflows/plan.h"

namespace rwa::workflows {
namespace {

using formats::Target;
using training::Overrides;
using training::Schedule;

constexpr int kFew = 50, kMany = 600;

// Sequences of two classes or with a number each, of one step if not said otherwise.
std::shared_ptr<const datasets::Files> files(const Overrides& settings, int sequences,
                                             Target target = Target::kClass, int steps = 1) {
  const auto experiment = experiment_of(settings);
  datasets::MemoryFiles told{.schema = datasets::one_feature(target), .files = {}};
  for (int i = 0; i < sequences; ++i) {
    auto& sequence = told.files["train"].emplace_back();
    sequence.x.assign(static_cast<std::size_t>(steps), static_cast<float>(i));
    if (target == Target::kClass) sequence.labels = {i % 2 == 0 ? "even" : "odd"};
    if (target == Target::kNumbers) sequence.values = {static_cast<float>(i)};
  }
  told.files["valid"] = told.files["train"];
  return told.open(std::get<datasets::FilesTask>(experiment.task), experiment.seed);
}

Overrides given(const std::string& toml) {
  auto settings = Overrides::parse("task.train = ['train']", "the program");
  settings.add(Overrides::parse(toml, "given.toml"));
  return settings;
}

training::Experiment chosen(const std::string& toml, int sequences, Target target = Target::kClass,
                            int steps = 1) {
  const TrainRequest request{.settings = given(toml)};
  return plan(request, files(request.settings, sequences, target, steps)).runs.front().experiment;
}

const datasets::FilesTask& task_of(const training::Experiment& experiment) {
  return std::get<datasets::FilesTask>(experiment.task);
}

TEST(Defaults, ManySequencesStopEarly) {
  const auto experiment = chosen("", kMany);
  EXPECT_EQ(experiment.name, "train");
  EXPECT_EQ(experiment.training.batch, 32);
  EXPECT_EQ(experiment.training.steps, 1500);  // 100 epochs of 480 sequences
  EXPECT_EQ(experiment.evaluation.every, 15);
  EXPECT_EQ(experiment.evaluation.patience, 12);
  EXPECT_EQ(experiment.training.schedule, Schedule::kPlateau);
  EXPECT_EQ(task_of(experiment).folds, 0);
  EXPECT_EQ(task_of(experiment).split_seed, experiment.seed);
  EXPECT_FALSE(task_of(experiment).sha256.empty());
}

TEST(Defaults, FewSequencesTrainForAFixedTimeInFolds) {
  const auto experiment = chosen("", kFew);
  EXPECT_EQ(task_of(experiment).folds, 5);
  EXPECT_EQ(task_of(experiment).split, 0);
  EXPECT_EQ(experiment.training.batch, 8);
  EXPECT_EQ(experiment.training.steps, 600);
  EXPECT_EQ(experiment.evaluation.every, 30);
  EXPECT_EQ(experiment.evaluation.patience, 0);
  EXPECT_EQ(experiment.training.schedule, Schedule::kCosine);
}

TEST(Defaults, SequencesOfNumbersWithClassesHaveAStem) {
  const auto experiment = chosen("", kFew);
  EXPECT_EQ(experiment.network.stem, "15");
  EXPECT_EQ(chosen("", kMany).network.stem, "15");
  EXPECT_EQ(chosen("", kMany, Target::kClass, 50).network.stem, "15,9");
  EXPECT_EQ(chosen("", kMany, Target::kNumbers).network.stem, "");
  EXPECT_EQ(experiment.network.units, 64);
  EXPECT_EQ(experiment.training.noise, 0.2);
  EXPECT_EQ(task_of(experiment).positions, 16);
  EXPECT_EQ(chosen("device = 'cuda'", kFew).network.stem, "15");
  EXPECT_EQ(chosen("network.units = 7", kFew).network.units, 7);
  EXPECT_EQ(task_of(chosen("task.positions = 0", kFew)).positions, 0);
  EXPECT_EQ(chosen("network.stem = 'none'", kFew), chosen("network.stem = ''", kFew));
  for (const char* other : {"network.stem = 'none'", "task.context = 3"}) {
    EXPECT_NE(chosen(other, kFew).network.stem, "15");
    EXPECT_EQ(task_of(chosen(other, kFew)).positions, 16);
    EXPECT_EQ(chosen(other, kFew).training.noise, 0.2);
    EXPECT_EQ(chosen(other, kFew).network.units, 64);
  }
}

// Steps that may correspond to one another or not; alignment_test.cc has the rest.
TEST(Defaults, ShiftAndPositionsGoWithTheAlignment) {
  const auto experiment = chosen("", kFew);
  EXPECT_EQ(experiment.training.shift, 0.02);
  EXPECT_EQ(chosen("training.shift = 0.3", kFew).training.shift, 0.3);
  EXPECT_EQ(chosen("task.positions = 3", kFew).training.shift, 0.02);
  EXPECT_EQ(task_of(chosen("training.shift = 0.3", kFew)).positions, 16);
  EXPECT_EQ(chosen("", kFew, Target::kNumbers).training.shift, 0);
  EXPECT_EQ(placement_of(Alignment::kExact).shift, 0);
  const Placement loose = placement_of(Alignment::kLoose);
  EXPECT_EQ(loose.shift, 0.05);
  EXPECT_EQ(loose.positions, 8);
}

TEST(Defaults, OfManySequencesTheLongOnesHaveAContextInstead) {
  constexpr int kVeryMany = 5000;
  const auto are_long = chosen("", kVeryMany, Target::kClass, 50);
  EXPECT_EQ(are_long.network.stem, "");
  EXPECT_EQ(are_long.network.units, 100);
  EXPECT_EQ(are_long.training.noise, 0);
  EXPECT_EQ(are_long.training.shift, 0);
  EXPECT_EQ(task_of(are_long).context, 15);
  EXPECT_EQ(task_of(are_long).positions, 16);
  const auto are_short = chosen("", kVeryMany, Target::kClass, 49);
  EXPECT_EQ(task_of(are_short).context, 1);
  EXPECT_EQ(task_of(are_short).positions, 0);
}

// Sequences of the first letters of the alphabet, each shorter than the one before if `shrink`.
training::Experiment of_letters(const std::string& toml, int letters, bool shrink = false) {
  const TrainRequest request{.settings = given(toml)};
  const auto experiment = experiment_of(request.settings);
  formats::Schema schema{.symbols = true, .target = Target::kClass};
  datasets::MemoryFiles told{.schema = schema, .files = {}};
  for (int i = 0; i < kFew; ++i) {
    auto& sequence = told.files["train"].emplace_back();
    sequence.labels = {i % 2 == 0 ? "even" : "odd"};
    for (int t = shrink ? i : 0; t < kFew; ++t) sequence.symbols.emplace_back(1, 'A' + t % letters);
  }
  auto files = told.open(training::files_task(experiment), experiment.seed);
  return plan(request, std::move(files)).runs.front().experiment;
}

TEST(Defaults, LettersAreSeenAsMotifs) {
  EXPECT_EQ(task_of(of_letters("", 4)).context, 7);
  EXPECT_EQ(task_of(of_letters("", 4)).positions, 16);
  EXPECT_EQ(task_of(of_letters("", 4, true)).context, 7);
  EXPECT_EQ(task_of(of_letters("", 4, true)).positions, 0) << "places only if they are aligned";
  EXPECT_EQ(task_of(of_letters("task.context = 3", 4)).context, 3);
  EXPECT_EQ(task_of(of_letters("task.positions = 0", 4)).positions, 0);
  for (const auto& other : {of_letters("", 27), of_letters("network.embedding = 8", 4)}) {
    EXPECT_EQ(task_of(other).context, 1);
    EXPECT_EQ(task_of(other).positions, 0);
  }
}

// A fixed number of steps would overfit noise: cross-validation finds how many are good.
TEST(Defaults, FewNumbersStopEarlyInFolds) {
  const auto experiment = chosen("", kFew, Target::kNumbers);
  EXPECT_EQ(task_of(experiment).folds, 5);
  EXPECT_GT(task_of(experiment).split, 0);
  EXPECT_GT(experiment.evaluation.patience, 0);
  EXPECT_EQ(experiment.network.stem, "");
  EXPECT_EQ(experiment.training.learning_rate, 1e-3);
}

TEST(Defaults, GivenSplitsStay) {
  const auto split = chosen("task.split = 0.5", kFew);
  EXPECT_EQ(task_of(split).folds, 0);
  EXPECT_GT(split.evaluation.patience, 0);
  const auto valid = chosen("task.valid = ['valid']", kFew);
  EXPECT_EQ(task_of(valid).folds, 0);
  EXPECT_GT(valid.evaluation.patience, 0);
  const auto folds = chosen("task.folds = 3", kFew);
  EXPECT_EQ(task_of(folds).folds, 3);
  EXPECT_EQ(folds.evaluation.patience, 0);
  const auto patient = chosen("evaluation.patience = 5", kFew);
  EXPECT_EQ(task_of(patient).folds, 0);
  EXPECT_GT(task_of(patient).split, 0);
}

// Five folds need five sequences.
TEST(Defaults, TheFewestSequencesHaveNoFolds) { EXPECT_EQ(task_of(chosen("", 4)).folds, 0); }

TEST(Defaults, WhatIsGivenStays) {
  const auto experiment = chosen(
      "[training]\nbatch = 10\nepochs = 3\nschedule = 'cosine'\n"
      "[evaluation]\nevery = 7\npatience = 0\n[network]\nunits = 5",
      kMany);
  EXPECT_EQ(experiment.training.batch, 10);
  EXPECT_EQ(experiment.training.steps, 144);
  EXPECT_EQ(experiment.training.epochs, 0);  // which is not kept
  EXPECT_EQ(experiment.training.schedule, Schedule::kCosine);
  EXPECT_EQ(experiment.evaluation.every, 7);
  EXPECT_EQ(experiment.evaluation.patience, 0);
  EXPECT_EQ(experiment.network.units, 5);
  EXPECT_EQ(chosen("training.steps = 9", kMany).training.steps, 9);
  EXPECT_EQ(chosen("training.steps = 9", kFew).training.steps, 9);
  EXPECT_EQ(chosen("training.epochs = 2", kFew).training.steps, 10);  // of 40 sequences
}

TEST(Defaults, WithoutValidationTheLastWeightsCount) {
  const auto experiment = chosen("task.split = 0.0", kMany);
  EXPECT_EQ(experiment.evaluation.patience, 0);
  EXPECT_EQ(experiment.training.schedule, Schedule::kCosine);
  // Given settings are not replaced silently: training refuses impossible ones.
  EXPECT_EQ(chosen("task.split = 0.0\nevaluation.patience = 3", kMany).evaluation.patience, 3);
}

// 0 turns early stopping off; the default schedule needs it.
TEST(Defaults, WithoutPatienceTheLearningRateFallsToTheEnd) {
  const auto experiment = chosen("evaluation.patience = 0", kMany);
  EXPECT_EQ(experiment.evaluation.patience, 0);
  EXPECT_EQ(experiment.training.schedule, Schedule::kCosine);
  training::check_schedule(experiment);
}

TEST(Defaults, ABatchThatMemoryMakesSmallerKeepsTheEpochs) {
  const auto fitted = [](const std::string& toml, int batch) {
    const Overrides settings = given(toml);
    training::Experiment experiment = experiment_of(settings);
    const auto data = files(settings, kMany);
    const ModelConfig network = model_config(experiment, data->shape());
    const std::size_t bytes = training_memory(network, 1, batch, Memory::kChunked);
    const Fit fit = complete(settings, *data, {.bytes = bytes}, experiment);
    EXPECT_EQ(fit.memory, Memory::kChunked);
    EXPECT_NE(fit.note.find("reduced the batch from 32 to 8 sequences of up to 1 step"),
              std::string::npos)
        << fit.note;
    return experiment;
  };
  const std::string plain = "network.stem = 'none'\nnetwork.units = 100\n";
  const auto experiment = fitted(plain, 8);
  EXPECT_EQ(experiment.training.batch, 8);
  EXPECT_EQ(experiment.training.steps, 6000);  // 100 epochs of 480 sequences
  EXPECT_EQ(experiment.evaluation.every, 60);
  EXPECT_EQ(fitted(plain + "training.epochs = 3", 8).training.steps, 180);
  EXPECT_EQ(fitted(plain + "training.steps = 9", 8).training.steps, 9);
}

TEST(Defaults, AreSaidInOneLine) {
  const auto said = [](const std::string& toml, int sequences, Target target = Target::kClass) {
    const TrainRequest request{.settings = given(toml)};
    return plan(request, files(request.settings, sequences, target)).notes.front();
  };
  EXPECT_EQ(
      said("", kFew),
      "50 sequences: stem 15, 16 positions, noise 0.2, shift 0.02; batch 8, 600 steps; scored "
      "by 5-fold cross-validation, then trained on all");
  EXPECT_EQ(said("", kMany),
            "600 sequences: stem 15, 16 positions, noise 0.2, shift 0.02; batch 32, 1,500 steps at "
            "most");
  EXPECT_EQ(said("", kFew, Target::kNumbers),
            "50 sequences: batch 8, 375 steps at most; length found by 5-fold cross-validation, "
            "then trained on all");
}

}  // namespace
}  // namespace rwa::workflows
