// tests/datasets/files_scale_test.cc: how the numbers of files are scaled, as given or as chosen
// from the data.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/datasets_testing.h"
#include "files_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "support/random_data.h"

namespace rwa::datasets {
namespace {
using formats::Target;
using io::expect_error;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr int kSteps = 6;

// 40 sequences of one feature with deviations that differ by this factor, with a target of each
// kind.
MemoryFiles apart(double factor, Target target = Target::kClass) {
  MemoryFiles all{.schema = one_feature(target), .files = {}};
  RandomData random(4);
  for (int i = 0; i < 40; ++i) {
    MemorySequence sequence{.x = random.normal<float>(kSteps)};
    const std::size_t answers = is_per_step(target) ? kSteps : 1;
    if (target == Target::kNumbers || target == Target::kNumbersPerStep) {
      sequence.values.assign(answers, static_cast<float>(i));
    } else if (target != Target::kNone) {
      sequence.labels.assign(answers, i % 2 == 0 ? "even" : "odd");
    }
    for (float& value : sequence.x) value *= static_cast<float>(std::pow(factor, i / 39.0));
    all.files["train"].push_back(std::move(sequence));
  }
  return all;
}

Scale chosen(double factor, Target target) {
  return apart(factor, target).open(train_only())->encoding().scale;
}

FilesTask scaled(const std::string& scale) {
  FilesTask task = train_only();
  task.scale = scale;
  return task;
}

TEST(ScaleOfFiles, IsChosenFromTheDeviationsOfSequences) {
  for (const Target target : {Target::kClass, Target::kLabels, Target::kNumbers}) {
    EXPECT_EQ(chosen(1e4, target), Scale::kSequence);
    EXPECT_EQ(chosen(3, target), Scale::kData);
  }
}

// They would see later steps.
TEST(ScaleOfFiles, OfTargetsAtEveryStepIsOnlyGiven) {
  for (const Target target : {Target::kClassPerStep, Target::kNumbersPerStep}) {
    EXPECT_EQ(chosen(1e4, target), Scale::kData);
    EXPECT_EQ(apart(1e4, target).open(scaled("sequence"))->encoding().scale, Scale::kSequence);
  }
  EXPECT_EQ(chosen(1e4, Target::kNone), Scale::kData);
}

TEST(ScaleOfFiles, OfForecastsAndSymbolsIsNotBySequence) {
  expect_error<ConfigError>([] { apart(1, Target::kNone).open(scaled("sequence")); },
                            {"scale is sequence", "expected data or none", "future"});
  MemoryFiles letters{
      .schema = {.format = formats::Format::kText, .symbols = true, .target = Target::kClass},
      .files = {}};
  letters.files["train"] = {{.symbols = {"a", "b"}, .labels = {"x"}},
                            {.symbols = {"b", "a"}, .labels = {"y"}}};
  expect_error<ConfigError>([&] { letters.open(scaled("sequence")); }, {"symbols, not numbers"});
  EXPECT_EQ(letters.open(scaled(""))->encoding().scale, Scale::kData);
  EXPECT_EQ(letters.open(scaled("data"))->encoding().scale, Scale::kData);
  expect_error<ConfigError>([] { apart(1).open(scaled("log")); },
                            {"unknown scale 'log'", "data, sequence, none"});
}

TEST(ScaleOfFiles, BySequenceGivesThreeInputsOfEachFeature) {
  const auto files = apart(1e4).open(train_only());
  EXPECT_EQ(files->shape().inputs, 3);
  const Batch batch = fill_first(*files, Split::kTrain, 40);
  std::vector<double> mean(3), squares(3);
  for (std::size_t b = 0; b < 40; ++b) {
    double sum = 0, square = 0;
    for (int t = 0; t < kSteps; ++t) {
      const double number = input(batch, *files, t, b, 0);
      sum += number;
      square += number * number;
      for (int i = 1; i < 3; ++i) {
        EXPECT_EQ(input(batch, *files, t, b, i), input(batch, *files, 0, b, i));
      }
    }
    EXPECT_NEAR(sum, 0, 1e-5);
    EXPECT_NEAR(square / kSteps, 1, 1e-5);
    for (int i = 1; i < 3; ++i) {
      const double number = input(batch, *files, 0, b, i);
      mean[static_cast<std::size_t>(i)] += number / 40;
      squares[static_cast<std::size_t>(i)] += number * number / 40;
    }
  }
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(mean[i], 0, 1e-5);
    EXPECT_NEAR(squares[i], 1, 1e-5);
  }
}

TEST(ScaleOfFiles, BySequenceIsWidened) {
  FilesTask task = scaled("sequence");
  task.context = 2;
  task.positions = 4;
  const auto plain = apart(10).open(scaled("sequence")), wide = apart(10).open(task);
  EXPECT_EQ(wide->shape().inputs, 2 * 3 + 4);
  const Batch one = fill_first(*plain, Split::kTrain, 3),
              other = fill_first(*wide, Split::kTrain, 3);
  formats::Sequence sample;
  wide->sample(Split::kTrain, 1, sample);
  const formats::Sequence seen = as_seen(wide->encoding(), sample);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(input(other, *wide, 2, 1, i), input(one, *plain, 2, 1, i));
    EXPECT_EQ(input(other, *wide, 2, 1, 3 + i), input(one, *plain, 1, 1, i));
    EXPECT_EQ(seen.x.at(2 * 10 + 3 + static_cast<std::size_t>(i)), input(one, *plain, 1, 1, i));
  }
}

// Each window has its own mean and deviation, and so have the sums over the training data.
TEST(ScaleOfFiles, BySequenceIsThatOfAWindow) {
  FilesTask task = scaled("sequence");
  task.window = 3;
  task.missing = "previous";
  MemoryFiles files = apart(100);
  files.files["train"][0].x = {1, 2, kMissing, kMissing, 5, 8};
  MemoryFiles cut = files;
  cut.files["train"].clear();
  files.files["train"].resize(20);
  for (MemorySequence& whole : files.files["train"]) {
    std::vector<float> x = whole.x;
    for (std::size_t i = 1; i < x.size(); ++i) x[i] = std::isnan(x[i]) ? x[i - 1] : x[i];
    cut.files["train"].push_back({.x = {x.begin(), x.begin() + 3}, .labels = whole.labels});
    cut.files["train"].push_back({.x = {x.begin() + 3, x.end()}, .labels = whole.labels});
  }
  const auto windows = files.open(task), sequences = cut.open(scaled("sequence"));
  EXPECT_EQ(windows->encoding().own, sequences->encoding().own);
  EXPECT_EQ(fill_first(*windows, Split::kTrain, 40).x, fill_first(*sequences, Split::kTrain, 40).x);
}

TEST(ScaleOfFiles, NoneLeavesNumbersAsTheyAre) {
  FilesTask task = scaled("none");
  task.missing = "mean";
  MemoryFiles files = apart(10);
  files.files["train"][0].x[1] = kMissing;
  const auto opened = files.open(task);
  const Batch batch = fill_first(*opened, Split::kTrain, 40);
  EXPECT_EQ(opened->shape().inputs, 1);
  EXPECT_EQ(input(batch, *opened, 3, 7, 0), files.files["train"][7].x[3]);
  EXPECT_FLOAT_EQ(input(batch, *opened, 1, 0, 0),
                  static_cast<float>(opened->encoding().features.mean[0]));
}

// The baseline of the next step has the unit of its loss.
TEST(ScaleOfFiles, NoneIsInTheBaseline) {
  const auto opened = [](const char* scale) {
    FilesTask task = scaled(scale);
    task.task = kNextStep;
    return apart(10, Target::kNone).open(task);
  };
  const auto data = opened("data"), none = opened("none");
  EXPECT_DOUBLE_EQ(data->naive().loss, 1);
  EXPECT_NEAR(none->naive().loss, std::pow(data->encoding().features.scale[0], 2), 1e-9);
}

TEST(ScaleOfFiles, IsTheSameForAllFolds) {
  const FilesTask task{.train = {"train"}, .folds = 4};
  const auto first = apart(1e4).open(task);
  for (int fold = 0; fold <= 4; ++fold) {
    EXPECT_EQ(with_fold(*first, task, fold)->encoding().scale, Scale::kSequence);
  }
}

}  // namespace
}  // namespace rwa::datasets
