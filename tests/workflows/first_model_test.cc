// tests/workflows/first_model_test.cc: without options, the first model is good on small data of the
// kinds that bad defaults fail on.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "io/io_testing.h"
#include "workflows/refit.h"

namespace rwa::workflows {
namespace {

class FirstModel : public ::testing::Test {
 protected:
  // Adds a wave to a file: two classes, of one and of two periods in 30 steps, at any phase.
  static void add_wave(std::string& text, std::uint32_t number, bool fast, int steps,
                       double size = 1) {
    const Random random(7, Purpose::kTestSamples, number);
    const double phase = 2 * std::numbers::pi * random.uniform(0);
    for (int t = 0; t < steps; ++t) {
      const double angle = 2 * std::numbers::pi * (fast ? 2 : 1) * t / 30 + phase;
      const double noise = 0.2 * random.normal(static_cast<std::uint64_t>(t) + 1);
      text += fmt::format("{}{:.5g}", t > 0 ? "," : "", size * (std::sin(angle) + noise));
    }
    text += fast ? ":fast\n" : ":slow\n";
  }

  // Trains without options; returns the scores on the test data.
  Scores trained(const std::string& train_rows, const std::string& test_rows) {
    const std::string head = "@problemName waves\n@classLabel true fast slow\n@data\n";
    const auto train_file = folder_.path() / "train.ts", test_file = folder_.path() / "test.ts";
    io::put(train_file, head + train_rows);
    io::put(test_file, head + test_rows);
    const auto settings =
        training::Overrides::parse(fmt::format("task.train = ['{}']\ntask.test = ['{}']",
                                               train_file.string(), test_file.string()),
                                   "test");
    const Plan made = plan({.settings = settings}, datasets::Reading{});
    auto folds = train(made, {}, nobody_);
    return *refit(made, folds, {}, nobody_)->run.scores;
  }

  io::TempFolder folder_;
  training::QueueObserver nobody_;
};

TEST_F(FirstModel, LearnsFromThirtySequences) {
  std::string train_rows, test_rows;
  for (std::uint32_t i = 0; i < 30; ++i) add_wave(train_rows, i, i % 2 == 0, 30);
  for (std::uint32_t i = 100; i < 200; ++i) add_wave(test_rows, i, i % 2 == 0, 30);
  EXPECT_GE(*trained(train_rows, test_rows).accuracy, 0.95);
}

TEST_F(FirstModel, LearnsAClassOfFive) {
  std::string train_rows, test_rows;
  for (std::uint32_t i = 0; i < 50; ++i) add_wave(train_rows, i, i % 10 == 0, 30);
  for (std::uint32_t i = 100; i < 200; ++i) add_wave(test_rows, i, i % 2 == 0, 30);
  EXPECT_GE(*trained(train_rows, test_rows).accuracy, 0.85);
}

TEST_F(FirstModel, LearnsFromVeryLongAndVeryShortSequences) {
  std::string train_rows, test_rows;
  const auto steps = [](std::uint32_t i) { return i % 4 < 2 ? 20 : 400; };
  for (std::uint32_t i = 0; i < 40; ++i) add_wave(train_rows, i, i % 2 == 0, steps(i));
  for (std::uint32_t i = 100; i < 200; ++i) add_wave(test_rows, i, i % 2 == 0, steps(i));
  EXPECT_GE(*trained(train_rows, test_rows).accuracy, 0.9);
}

TEST_F(FirstModel, LearnsFromSequencesOfVeryDifferentSize) {
  std::string train_rows, test_rows;
  const auto size = [](std::uint32_t i) { return std::pow(10.0, i % 5); };
  for (std::uint32_t i = 0; i < 60; ++i) add_wave(train_rows, i, i % 2 == 0, 30, size(i / 2));
  for (std::uint32_t i = 100; i < 200; ++i) add_wave(test_rows, i, i % 2 == 0, 30, size(i / 2));
  EXPECT_GE(*trained(train_rows, test_rows).accuracy, 0.95);
}

}  // namespace
}  // namespace rwa::workflows
