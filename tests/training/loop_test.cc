#include "training/loop.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "rwa/errors.h"
#include "rwa/trainer.h"
#include "training/loop_testing.h"
#include "training/run_store.h"
#include "training/settings.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;
using io::expect_error;
using io::TempFolder;

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Run, EvaluatesWhenItShould) {
  const TempFolder folder;
  ASSERT_EQ(run_quietly(small_grammar(), folder.path()), Outcome::kFinished);
  const Record record = read_run(folder.path());
  std::string found;
  for (const Metric& m : record.metrics) {
    found += fmt::format("{}{} ", m.split, m.step);
    EXPECT_EQ(m.unit, "bits");
    EXPECT_EQ(m.accuracy.has_value(), m.split != "train");
  }
  EXPECT_EQ(
      found,
      "test0 train4 test4 train8 test8 train12 test12 train16 test16 train18 test18 final18 ");
  EXPECT_EQ(record.experiment, small_grammar());
  EXPECT_EQ(record.status, Status::kFinished);
  EXPECT_EQ(record.steps, 18);
  EXPECT_EQ(Model::load(folder.path() / kModelFile).config().units, 8);
  EXPECT_EQ(static_cast<std::size_t>(record.parameters),
            Model::load(folder.path() / kModelFile).parameter_count());
}

// Repeats the steps and evaluations by definition.
TEST(Run, DrawsTheSamplesItShould) {
  const Experiment e = small_adding();
  const TempFolder folder;
  run_quietly(e, folder.path());
  std::vector<double> found;
  for (const Metric& m : read_run(folder.path()).metrics) {
    if (m.split == "test") found.push_back(m.loss);
  }

  const auto dataset = tasks::open_task(e.task, e.seed, {});
  Model model({.inputs = 2, .units = 8, .loss = Loss::kSquaredError, .seed = e.seed});
  Trainer trainer(model);
  Session session(model);
  datasets::Batch batch;
  const auto fill = [&](datasets::Split split, Purpose purpose, int number, int count) {
    std::vector<std::int64_t> samples;
    for (int b = 0; b < count; ++b) {
      const auto size = static_cast<std::uint64_t>(dataset->size(split));
      const auto index = static_cast<std::uint64_t>(number * count + b);
      samples.push_back(static_cast<std::int64_t>(Random(e.seed, purpose).below(index, size)));
    }
    dataset->fill(split, samples, batch);
  };
  std::vector<double> expected;
  for (int step = 0, evaluation = 0; step <= 18; ++step) {
    if (step % 4 == 0 || step == 18) {
      fill(datasets::Split::kTest, Purpose::kTestDraws, evaluation++, 5);
      expected.push_back(session.loss(batch.sequences(), batch.targets()));
    }
    if (step == 18) break;
    fill(datasets::Split::kTrain, Purpose::kTrainDraws, step, 6);
    trainer.step(batch.sequences(), batch.targets());
  }
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]) << i;
  const Model trained = Model::load(folder.path() / kModelFile);
  EXPECT_EQ(std::vector(trained.weights().begin(), trained.weights().end()),
            std::vector(model.weights().begin(), model.weights().end()));
}

// Values recorded with the first version of this loop. Other machines differ in the last digits.
TEST(Run, ThePapersTasksAreScoredAsEver) {
  const TempFolder folder;
  run_quietly(small_adding(), folder.path());
  const std::vector<Metric> expected = {
      {.step = 0, .split = "test", .loss = 2.06309993, .unit = "mse"},
      {.step = 4, .split = "train", .loss = 0.853400836, .unit = "mse"},
      {.step = 4, .split = "test", .loss = 1.27402087, .unit = "mse"},
      {.step = 8, .split = "train", .loss = 1.09333165, .unit = "mse"},
      {.step = 8, .split = "test", .loss = 1.04099934, .unit = "mse"},
      {.step = 12, .split = "train", .loss = 1.27996848, .unit = "mse"},
      {.step = 12, .split = "test", .loss = 2.4480511, .unit = "mse"},
      {.step = 16, .split = "train", .loss = 0.921506205, .unit = "mse"},
      {.step = 16, .split = "test", .loss = 1.25570712, .unit = "mse"},
      {.step = 18, .split = "train", .loss = 1.08734367, .unit = "mse"},
      {.step = 18, .split = "test", .loss = 1.02476761, .unit = "mse"},
      {.step = 18, .split = "final", .loss = 1.21611174, .unit = "mse"},
  };
  const std::vector<Metric> found = read_run(folder.path()).metrics;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].step, expected[i].step);
    EXPECT_EQ(found[i].split, expected[i].split);
    EXPECT_NEAR(found[i].loss, expected[i].loss, 1e-6 * expected[i].loss) << i;
  }
}

// Only the start and the end are evaluated, with the samples of evaluations 0 and 1.
TEST(Run, TheStepsBetweenEvaluationsMayBeAnyNumber) {
  Experiment often = small_adding();
  often.evaluation.every = often.training.steps;
  Experiment hardly = small_adding();
  hardly.evaluation.every = kMostSteps;
  const TempFolder expected, found;
  run_quietly(often, expected.path());
  run_quietly(hardly, found.path());
  EXPECT_EQ(io::get(found.path() / kMetricsFile), io::get(expected.path() / kMetricsFile));
}

TEST(Run, TellsItsListener) {
  const TempFolder folder;
  std::vector<std::int64_t> steps;
  Progress last;
  run(small_adding(), folder.path(), {}, [&](const Progress& progress) {
    steps.push_back(progress.step);
    EXPECT_EQ(progress.steps, 18);
    last = progress;
  });
  ASSERT_EQ(steps.size(), 20U);  // 0 to 18, and once more at the end
  EXPECT_EQ(steps.front(), 0);
  EXPECT_EQ(steps[5], 5);
  ASSERT_TRUE(last.test.has_value());
  EXPECT_EQ(last.test->split, "final");
  EXPECT_GT(last.steps_per_second, 0);
  EXPECT_EQ(last.seconds_left, 0);
}

TEST(Run, AFinishedOneIsNotRunAgain) {
  const TempFolder folder;
  run_quietly(small_adding(), folder.path());
  EXPECT_TRUE(check(small_adding(), folder.path()));
  const auto before = contents(folder.path());
  EXPECT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kAlreadyFinished);
  EXPECT_EQ(contents(folder.path()), before);
}

TEST(Run, ThreadsDoNotChangeABit) {
  for (const Experiment& experiment : {small_copy(), small_autoencode()}) {
    const TempFolder one, two;
    run_quietly(experiment, one.path(), {.threads = 1});
    run_quietly(experiment, two.path(), {.threads = 2});
    expect_same_run(two.path(), one.path());
  }
}

TEST(Run, KeepingLessInMemoryDoesNotChangeABit) {
  Experiment experiment = small_adding();
  std::get<tasks::AddingTask>(experiment.task).steps = 75;
  const TempFolder full, less;
  run_quietly(experiment, full.path());
  run(experiment, less.path(), {.memory = Memory::kChunked}, {});
  expect_same_run(less.path(), full.path());
}

TEST(Run, OverlapDoesNotChangeABit) {
  for (const std::int64_t every : {1, 2, 3, 4, 100}) {
    SCOPED_TRACE(every);
    Experiment experiment = small_grammar();
    experiment.evaluation.every = every;
    const TempFolder plain, overlapped, saved;
    run_quietly(experiment, plain.path());
    run_quietly(experiment, overlapped.path(), {.overlap = true});
    expect_same_run(overlapped.path(), plain.path());
    run(experiment, saved.path(), {.overlap = true, .checkpoint_seconds = 0}, {});
    expect_same_run(saved.path(), plain.path());
  }
}

// Even if steps overlap, a checkpoint is written between two steps.
TEST(Run, ACheckpointIsThatOfTheStepItSays) {
  for (const bool overlap : {false, true}) {
    const TempFolder folder;
    std::int64_t checked = 0;
    run(small_adding(), folder.path(), {.overlap = overlap, .checkpoint_seconds = 0},
        [&](const Progress& progress) {
          if (!fs::exists(folder.path() / kCheckpointFile)) return;
          EXPECT_EQ(read_checkpoint(folder.path() / kCheckpointFile).state.step, progress.step);
          ++checked;
        });
    EXPECT_EQ(checked, 20);
  }
}

TEST(Run, SaysHowLongItWaitedForItsData) {
  for (const bool overlap : {false, true}) {
    const TempFolder folder;
    run_quietly(small_adding(), folder.path(), {.overlap = overlap});
    const State state = read_checkpoint(folder.path() / kCheckpointFile).state;
    EXPECT_GT(state.host_wait_seconds, 0);
    EXPECT_LT(state.host_wait_seconds, state.train_seconds);
    EXPECT_NE(io::get(folder.path() / kRunFile).find("\"host_wait_seconds\": "), std::string::npos);
  }
}

// Anything written after the last checkpoint is cut off, even an incomplete last line.
TEST(Run, GoesOnAfterLinesBeyondTheCheckpoint) {
  const TempFolder whole, folder;
  run_quietly(small_adding(), whole.path());
  run_until(small_adding(), folder.path(), 9);
  std::ofstream(folder.path() / kMetricsFile, std::ios::app)
      << R"({"step":12,"split":"train","loss":1,"unit":"mse"})"
      << "\n"
      << R"({"step":12,"spl)";
  EXPECT_EQ(read_run(folder.path()).metrics.back().step, 12);
  ASSERT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
  expect_same_run(folder.path(), whole.path());
}

TEST(Run, WithoutACheckpointStartsAnew) {
  const TempFolder whole, folder;
  run_quietly(small_adding(), whole.path());
  run_until(small_adding(), folder.path(), 9);
  fs::remove(folder.path() / kCheckpointFile);
  ASSERT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
  expect_same_run(folder.path(), whole.path());
}

TEST(Run, ALostModelIsMadeAgain) {
  const TempFolder whole, folder;
  run_quietly(small_adding(), whole.path());
  run_quietly(small_adding(), folder.path());
  fs::remove(folder.path() / kModelFile);
  ASSERT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
  expect_same_run(folder.path(), whole.path());
}

TEST(Run, RemnantsOfKilledProcessesAreNoForeignFilesAndAreSwept) {
  const TempFolder folder;
  io::put(folder.path() / ".rwa-123-0.tmp", "half a checkpoint");
  ASSERT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
  EXPECT_FALSE(fs::exists(folder.path() / ".rwa-123-0.tmp"));
  EXPECT_EQ(folder.count(), 5U);
}

TEST(Run, FinalScoresCanBeDrawnWithReplacement) {
  Experiment drawn = small_adding();
  drawn.evaluation.final_draws = true;
  const TempFolder all, some;
  run_quietly(small_adding(), all.path());
  run_quietly(drawn, some.path());
  auto all_lines = lines_of(all.path() / kMetricsFile);
  auto some_lines = lines_of(some.path() / kMetricsFile);
  EXPECT_NE(all_lines.back(), some_lines.back());
  all_lines.pop_back();
  some_lines.pop_back();
  EXPECT_EQ(all_lines, some_lines);
}

// Expects an error, and an unchanged folder.
template <typename Error>
void expect_refusal(const Experiment& experiment, const fs::path& folder,
                    std::initializer_list<std::string_view> parts) {
  const auto before = contents(folder);
  expect_error<Error>([&] { check(experiment, folder); }, parts);
  expect_error<Error>([&] { run_quietly(experiment, folder); }, parts);
  EXPECT_EQ(contents(folder), before);
}

TEST(Run, AnotherExperimentsFolderIsRefusedWithTheDifferences) {
  const TempFolder folder;
  run_until(small_adding(), folder.path(), 5);
  Experiment other = small_adding(Cell::kLstm);
  other.training.learning_rate = 0.01;
  other.training.steps = 30;  // allowed on its own
  expect_refusal<ConfigError>(other, folder.path(),
                              {folder.path().string(), "network.cell: \"rwa\" there, \"lstm\" here",
                               "training.learning_rate: 0.001 there, 0.01 here", "--out"});
  try {
    check(other, folder.path());
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find("training.steps"), std::string::npos);
  }
}

TEST(Run, FewerStepsThanAreDoneAreRefused) {
  const TempFolder folder;
  run_until(small_adding(), folder.path(), 9);
  Experiment shorter = small_adding();
  shorter.training.steps = 8;
  expect_refusal<ConfigError>(shorter, folder.path(), {"9 steps are done", "the 8 requested"});
  shorter.training.steps = 9;
  EXPECT_EQ(run_quietly(shorter, folder.path()), Outcome::kFinished);
}

TEST(Run, AFinishedModelIsNotLostForWantOfACheckpoint) {
  const TempFolder folder;
  run_quietly(small_adding(), folder.path());
  fs::remove(folder.path() / kCheckpointFile);
  for (const std::int64_t steps : {10, 30}) {
    Experiment other = small_adding();
    other.training.steps = steps;
    expect_refusal<ConfigError>(
        other, folder.path(),
        {folder.path().string(), "a finished model but no checkpoint", "--out"});
  }
  EXPECT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kAlreadyFinished);
}

TEST(Run, AFolderOfSomethingElseIsRefused) {
  const TempFolder folder;
  io::put(folder.path() / "thesis.tex", "years of work");
  expect_refusal<ConfigError>(small_adding(), folder.path(), {"thesis.tex", "config.toml"});
  const fs::path file = folder.path() / "thesis.tex";
  expect_error<ConfigError>([&] { run_quietly(small_adding(), file); }, {"expected a folder"});
}

TEST(Run, AFolderOfKeptResultsIsRefused) {
  const TempFolder folder;
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  io::put(folder.path() / kKeptMetricsFile, "step,split,loss,unit,accuracy\n4,test,1,mse,\n");
  // Even for another experiment, whose error would otherwise suggest removing the folder.
  for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
    expect_refusal<ConfigError>(small_adding(cell), folder.path(),
                                {folder.path().string() + ": these are kept results, not a run",
                                 "metrics.csv and no metrics.jsonl", "--out"});
  }
  // A run folder with an additional metrics.csv is still a run.
  io::put(folder.path() / kMetricsFile, "");
  EXPECT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
}

TEST(Run, AnExperimentThatCannotBeMakesNoFolder) {
  const TempFolder folder;
  const auto expect_nothing = [&](const Experiment& experiment, std::string_view part) {
    const fs::path made = folder.path() / "new";
    expect_error<ConfigError>([&] { check(experiment, made); }, {made.string() + ": ", part});
    expect_error<ConfigError>([&] { run_quietly(experiment, made); }, {made.string() + ": ", part});
    EXPECT_EQ(folder.count(), 0U);
  };
  Experiment experiment = small_adding();
  experiment.device = "abacus";
  expect_nothing(experiment, "device is 'abacus', expected one of: cpu");
  experiment = small_adding();
  experiment.evaluation.every = 0;
  expect_nothing(experiment, "every is 0, expected a whole number from 1");
  experiment = small_adding();
  experiment.training.beta1 = 1.5;
  expect_nothing(experiment, "beta1 is 1.5");
  experiment.task = tasks::MnistTask{};  // its files are not needed yet
  expect_nothing(experiment, "beta1 is 1.5");
  experiment = small_adding();
  experiment.task = tasks::LengthTask{.longest = 5, .threshold = 5};
  expect_nothing(experiment, "threshold is 5");
  experiment = small_adding();
  experiment.seed = std::uint64_t{1} << 63;
  expect_nothing(experiment, "seed is 9223372036854775808");
}

TEST(Run, AFolderInUseIsRefused) {
  const TempFolder folder;
  {
    const auto other = FolderStore(folder.path()).lock();
    const auto before = contents(folder.path());
    expect_error<ConfigError>([&] { run_quietly(small_adding(), folder.path()); },
                              {folder.path().string(), "another process is running"});
    EXPECT_EQ(contents(folder.path()), before);
  }
  EXPECT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
}

// As of a process that was just told to stop, and still saves.
TEST(Run, AFolderThatIsAboutToBeFreeIsWaitedFor) {
  const TempFolder folder;
  auto other = FolderStore(folder.path()).lock();
  const std::jthread stops([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    other.reset();
  });
  EXPECT_EQ(run_quietly(small_adding(), folder.path()), Outcome::kFinished);
}

TEST(Run, DamagedFilesAreNamedAndNothingIsOverwritten) {
  const std::vector<std::pair<std::string_view, std::string>> damages = {
      {kConfigFile, "name = "}, {kRunFile, "{}"}, {kMetricsFile, ""}, {kCheckpointFile, "rubbish"}};
  for (const auto& [name, damage] : damages) {
    SCOPED_TRACE(name);
    const TempFolder folder;
    const fs::path file = folder.path() / name;
    run_until(small_adding(), folder.path(), 9);
    io::put(folder.path() / kModelFile, "");  // so that run.json is read
    io::put(file, damage);
    if (name == kConfigFile) {
      expect_refusal<ConfigError>(small_adding(), folder.path(), {file.string() + ":1:"});
    } else if (name == kCheckpointFile) {
      expect_refusal<ModelFileError>(small_adding(), folder.path(), {file.string()});
    } else {
      expect_refusal<InputError>(small_adding(), folder.path(), {file.string()});
    }
  }
}

TEST(Run, AChangedDigitInTheMetricsIsFound) {
  const TempFolder folder;
  run_until(small_adding(), folder.path(), 9);
  const fs::path file = folder.path() / kMetricsFile;
  std::string text = io::get(file);
  char& digit = text[text.find("\"loss\":") + 9];
  digit = digit == '1' ? '2' : '1';
  io::put(file, text);
  expect_refusal<InputError>(small_adding(), folder.path(), {file.string() + ": is damaged"});
}

TEST(Run, ACheckpointOfAnotherRunIsRefused) {
  const TempFolder folder, other;
  Experiment larger = small_adding();
  larger.network.units = 9;
  run_until(small_adding(), folder.path(), 9);
  run_until(larger, other.path(), 9);
  fs::copy_file(other.path() / kCheckpointFile, folder.path() / kCheckpointFile,
                fs::copy_options::overwrite_existing);
  expect_refusal<ModelFileError>(small_adding(), folder.path(),
                                 {"checkpoint.safetensors", "network.units: 9 there, 8 here"});
}

}  // namespace
}  // namespace rwa::training
