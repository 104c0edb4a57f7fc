// tests/datasets/files_test.cc: files as a data set: splits, encoding and errors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/datasets_testing.h"
#include "files_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "store_testing.h"
#include "tasks/task.h"

namespace rwa::datasets {
namespace {
using formats::Target;
using io::expect_error;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
using Texts = std::vector<std::string>;

// Sequences of the given classes and counts, alternating. x is the number of the sequence, repeated
// for up to three steps.
std::vector<MemorySequence> of_classes(const std::map<std::string, int>& classes) {
  std::vector<MemorySequence> all;
  for (int round = 0, more = 1; more > 0; ++round) {
    more = 0;
    for (const auto& [name, count] : classes) {
      if (round >= count) continue;
      ++more;
      const auto number = static_cast<float>(all.size());
      all.push_back({.x = std::vector<float>(1 + all.size() % 3, number), .labels = {name}});
    }
  }
  return all;
}

MemoryFiles class_files(std::vector<MemorySequence> train) {
  return {.schema = one_feature(Target::kClass), .files = {{"train", std::move(train)}}};
}

std::vector<formats::Sequence> samples_of(const Files& files, Split split) {
  std::vector<formats::Sequence> all(static_cast<std::size_t>(files.size(split)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    files.sample(split, static_cast<std::int64_t>(i), all[i]);
  }
  return all;
}

std::map<int, int> classes_of(const Files& files, Split split) {
  std::map<int, int> counts;
  for (const auto& sample : samples_of(files, split)) ++counts[sample.labels.at(0)];
  return counts;
}

TEST(Files, AreDividedByClasses) {
  const auto files = class_files(of_classes({{"a", 100}, {"b", 50}, {"c", 5}, {"d", 1}}))
                         .open({.train = {"train"}});
  EXPECT_EQ(files->encoding().labels, (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(classes_of(*files, Split::kValid), (std::map<int, int>{{0, 20}, {1, 10}, {2, 1}}));
  EXPECT_EQ(classes_of(*files, Split::kTrain),
            (std::map<int, int>{{0, 80}, {1, 40}, {2, 4}, {3, 1}}));
  EXPECT_EQ(files->size(Split::kTest), 0);
  std::set<std::string> ids;
  for (const Split split : {Split::kTrain, Split::kValid}) {
    for (const auto& sample : samples_of(*files, split)) ids.insert(sample.id);
  }
  EXPECT_EQ(ids.size(), 156);
}

TEST(Files, HaveStatisticsOfAllThatIsTrainedOn) {
  auto given = of_classes({{"10", 4}, {"9", 3}});
  given[1].x = {kMissing, 50, kMissing, -2};
  FilesTask task{.train = {"train"}, .missing = "mean"};
  const auto files = class_files(given).open(task);
  const Statistics& statistics = files->statistics();
  EXPECT_EQ(statistics.sequences, 7);
  EXPECT_EQ(statistics.steps, 1 + 4 + 3 + 1 + 2 + 3 + 1);
  EXPECT_EQ(statistics.lengths, (std::map<int, std::int64_t>{{1, 3}, {2, 1}, {3, 2}, {4, 1}}));
  EXPECT_EQ(shortest(statistics), 1);
  EXPECT_EQ(median_length(statistics), 2);
  EXPECT_EQ(longest(statistics), 4);
  EXPECT_EQ(files->encoding().labels, (Texts{"9", "10"}));  // sorted as numbers
  EXPECT_EQ(statistics.labels, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(statistics.missing, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(statistics.least, std::vector<double>{-2});
  EXPECT_EQ(statistics.most, std::vector<double>{50});
  EXPECT_EQ(files->shape().longest, 4);
}

TEST(Files, AreNormalAsFarAsTheyAreTrainedOn) {
  const auto files = class_files(of_classes({{"a", 30}, {"b", 30}})).open({.train = {"train"}});
  double count = 0, sum = 0, squares = 0;
  for (const auto& sample : samples_of(*files, Split::kTrain)) {
    for (const float x : sample.x) {
      ++count;
      sum += x;
      squares += double{x} * x;
    }
  }
  EXPECT_NEAR(sum / count, 0, 1e-6);
  EXPECT_NEAR(squares / count, 1, 1e-6);
  EXPECT_DOUBLE_EQ(files->shape().mean_length, count / 48);
  // x is the number of the sequence: its id minus 1.
  const Normal& normal = files->encoding().features;
  for (const auto& sample : samples_of(*files, Split::kValid)) {
    EXPECT_NEAR(sample.x[0] * normal.scale[0] + normal.mean[0], std::stod(sample.id) - 1, 1e-4);
  }
  const auto whole = class_files(of_classes({{"a", 30}, {"b", 30}})).open(train_only());
  EXPECT_NE(whole->encoding().features, normal);
}

TEST(Files, OfOtherSplitsAreReadWithTheSameSchema) {
  MemoryFiles given = class_files(of_classes({{"a", 3}, {"c", 3}}));
  given.files["valid"] = {{.x = {100}, .labels = {"a"}}};
  given.files["test"] = {{.x = {1}, .labels = {"a"}}, {.x = {2, 3, 4, 5, 6}, .labels = {"c"}}};
  const auto files = given.open({.train = {"train"}, .valid = {"valid"}, .test = {"test"}});
  EXPECT_EQ(files->size(Split::kTrain), 6);
  EXPECT_EQ(files->size(Split::kValid), 1);
  EXPECT_EQ(files->size(Split::kTest), 2);
  EXPECT_EQ(files->encoding().labels, (Texts{"a", "c"}));
  EXPECT_EQ(files->statistics().labels, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(files->statistics().sequences, 6);
  EXPECT_EQ(files->encoding().features,
            class_files(given.files["train"]).open(train_only())->encoding().features);
  EXPECT_EQ(files->shape().longest, 5);
}

// A class that only other splits have would be an output that is never trained.
TEST(Files, OfOtherSplitsMustHaveTheClassesOfTraining) {
  MemoryFiles given = class_files(of_classes({{"a", 3}, {"c", 3}}));
  given.files["other"] = {{.x = {1}, .labels = {"a"}}, {.x = {2}, .labels = {"b"}}};
  for (const FilesTask& task : {FilesTask{.train = {"train"}, .valid = {"other"}},
                                FilesTask{.train = {"train"}, .test = {"other"}}}) {
    expect_error<InputError>([&] { given.open(task); },
                             {"other:2: found the class \"b\", expected one of the training data: "
                              "add sequences of it to the training data"});
  }
  given.schema = one_feature(Target::kLabels);
  expect_error<InputError>([&] { given.open({.train = {"train"}, .test = {"other"}}); },
                           {"other:2: found the label \"b\""});
}

// A class of a single sequence is known in every fold, whichever has the sequence.
TEST(Folds, ShareTheClassesOfAllTrainingFiles) {
  const MemoryFiles given = class_files(of_classes({{"a", 9}, {"rare", 1}}));
  const FilesTask task{.train = {"train"}, .folds = 3};
  const auto files = given.open(task);
  for (int fold = 0; fold < 3; ++fold) {
    EXPECT_EQ(with_fold(*files, task, fold)->encoding().labels, (Texts{"a", "rare"}));
  }
}

TEST(Folds, OfTwoLeaveNoneForValidation) {
  const FilesTask task{.train = {"train"}, .folds = 2};
  const auto files = class_files(of_classes({{"a", 6}, {"b", 4}})).open(task);
  for (int fold = 0; fold < 2; ++fold) {
    const auto other = with_fold(*files, task, fold);
    EXPECT_EQ(classes_of(*other, Split::kTest), (std::map<int, int>{{0, 3}, {1, 2}}));
    EXPECT_EQ(classes_of(*other, Split::kTrain), (std::map<int, int>{{0, 3}, {1, 2}}));
    EXPECT_EQ(other->size(Split::kValid), 0);
  }
}

TEST(Folds, AreAllForTrainingAfterTheLast) {
  const MemoryFiles given = class_files(of_classes({{"a", 6}, {"b", 4}}));
  const FilesTask task{.train = {"train"}, .folds = 5};
  const auto all = with_fold(*given.open(task), task, 5);
  EXPECT_EQ(classes_of(*all, Split::kTrain), (std::map<int, int>{{0, 6}, {1, 4}}));
  EXPECT_EQ(all->size(Split::kValid) + all->size(Split::kTest), 0);
  EXPECT_EQ(given.open({.train = {"train"}, .folds = 5, .fold = 5})->size(Split::kTrain), 10);
}

// Without a split there is no validation set; test files are for the model of all data.
TEST(Folds, CanGoWithoutValidationAndWithTestFiles) {
  MemoryFiles given = class_files(of_classes({{"a", 25}, {"b", 20}}));
  given.files["other"] = given.files["train"];
  const FilesTask task{.train = {"train"}, .test = {"other"}, .split = 0, .folds = 5};
  const auto files = given.open(task);
  EXPECT_EQ(files->size(Split::kTrain), 36);
  EXPECT_EQ(files->size(Split::kValid), 0);
  EXPECT_EQ(files->size(Split::kTest), 9);
  const auto all = with_fold(*files, task, 5);
  EXPECT_EQ(all->size(Split::kTrain), 45);
  EXPECT_EQ(all->size(Split::kTest), 45);
}

// Data read for a split of one in five has five folds too.
TEST(Files, CanBePreparedForAnotherTask) {
  const MemoryFiles given = class_files(of_classes({{"a", 25}, {"b", 20}}));
  const FilesTask split{.train = {"train"}}, folds{.train = {"train"}, .folds = 5, .fold = 3};
  const auto files = given.open(split);
  EXPECT_TRUE(has_folds(*files, 5));
  EXPECT_FALSE(has_folds(*files, 4));
  const auto fold = prepared(*files, folds), opened = given.open(folds);
  EXPECT_EQ(fold->encoding(), opened->encoding());
  EXPECT_EQ(classes_of(*fold, Split::kTest), classes_of(*opened, Split::kTest));
  const auto wide = prepared(*files, {.train = {"train"}, .context = 3, .positions = 2});
  EXPECT_EQ(wide->shape().inputs, 5);
  EXPECT_EQ(wide->size(Split::kValid), files->size(Split::kValid));
  EXPECT_FALSE(has_folds(*class_files(of_classes({{"a", 2}, {"b", 2}})).open(split), 5));
}

// Log frequencies, with one added to each count.
TEST(Files, HaveConstantOutputsOfTheTrainingSamples) {
  const auto classes = class_files(of_classes({{"a", 6}, {"b", 3}})).open(train_only());
  ASSERT_EQ(classes->constant_outputs().size(), 2);
  EXPECT_FLOAT_EQ(classes->constant_outputs()[0], std::log(7.0F));
  EXPECT_FLOAT_EQ(classes->constant_outputs()[1], std::log(4.0F));
  MemoryFiles labels = class_files(of_classes({{"a", 6}, {"b", 3}}));
  labels.schema = one_feature(Target::kLabels);
  EXPECT_FLOAT_EQ(labels.open(train_only())->constant_outputs()[1], std::log(4.0F / 7.0F));
  const MemoryFiles numbers{.schema = one_feature(Target::kNumbers),
                            .files = {{"train", {{.x = {1}, .values = {5}}}}}};
  EXPECT_EQ(numbers.open(train_only())->constant_outputs(), (std::vector<float>{0}));
}

TEST(Files, FillBatches) {
  const auto files =
      class_files({{.x = {0}, .labels = {"b"}}, {.x = {1, 2}, .labels = {"a"}}}).open(train_only());
  const Normal& normal = files->encoding().features;
  const auto x = [&](double value) {
    return static_cast<float>((value - normal.mean[0]) / normal.scale[0]);
  };
  const Batch batch = fill(*files, Split::kTrain, {1, 0, 1});
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{2, 1, 2}));
  EXPECT_EQ(batch.x, (std::vector<float>{x(1), x(0), x(1), x(2), 0, x(2)}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0, 1, 0}));
}

TEST(Files, AreDrawnEachOncePerEpoch) {
  const auto files = class_files(of_classes({{"a", 40}, {"b", 20}})).open(train_only());
  std::vector<std::int64_t> samples(60);
  files->draw(1, 60, samples);
  EXPECT_EQ(std::set(samples.begin(), samples.end()).size(), 60);
}

TEST(Files, AreBalancedOnRequest) {
  FilesTask task = train_only();
  task.balance = true;
  const auto files = class_files(of_classes({{"a", 95}, {"b", 5}})).open(task);
  std::vector<std::int64_t> samples(1000);
  files->draw(1, 0, samples);
  int rare = 0;
  for (const std::int32_t label : fill(*files, Split::kTrain, samples).classes) rare += label;
  expect_share(rare, 1000, 0.5, "the rare class");
}

TEST(Files, TellAModelTheirEncoding) {
  const auto files = class_files(of_classes({{"a", 3}, {"b", 3}})).open(train_only());
  const auto notes = files->notes();
  ASSERT_EQ(notes.size(), 1);
  EXPECT_EQ(parse_encoding(notes.at("data"), "m"), files->encoding());
}

TEST(Files, SayHowManyWereRead) {
  std::vector<std::int64_t> given;
  class_files(of_classes({{"a", 3}, {"b", 3}})).open(train_only(), 1, [&](std::int64_t sequences) {
    given.push_back(sequences);
  });
  ASSERT_FALSE(given.empty());
  EXPECT_EQ(given.back(), 6);
}

TEST(Folds, AreEachLeftOutOnce) {
  const MemoryFiles given = class_files(of_classes({{"a", 25}, {"b", 20}}));
  const FilesTask task{.train = {"train"}, .folds = 5};
  const auto files = given.open(task);
  std::multiset<std::string> tested;
  const auto tested_now = [](const Files& division, const std::string& id) {
    const auto samples = samples_of(division, Split::kTest);
    return std::ranges::any_of(samples, [&](const auto& sample) { return sample.id == id; });
  };
  for (int fold = 0; fold < 5; ++fold) {
    const auto other = with_fold(*files, task, fold);
    EXPECT_EQ(classes_of(*other, Split::kTest), (std::map<int, int>{{0, 5}, {1, 4}}));
    EXPECT_EQ(classes_of(*other, Split::kValid), (std::map<int, int>{{0, 5}, {1, 4}}));
    EXPECT_EQ(classes_of(*other, Split::kTrain), (std::map<int, int>{{0, 15}, {1, 12}}));
    for (const auto& sample : samples_of(*other, Split::kTest)) tested.insert(sample.id);
    for (const auto& sample : samples_of(*other, Split::kValid)) {
      EXPECT_FALSE(tested_now(*other, sample.id));
    }
    double sum = 0;
    for (const auto& sample : samples_of(*other, Split::kTrain)) {
      for (const float x : sample.x) sum += x;
    }
    EXPECT_NEAR(sum, 0, 1e-4);
    const auto opened = given.open({.train = {"train"}, .folds = 5, .fold = fold});
    EXPECT_EQ(opened->encoding(), other->encoding());
    EXPECT_EQ(opened->sha256(), files->sha256());
  }
  EXPECT_EQ(tested.size(), 45);
  EXPECT_EQ(std::set(tested.begin(), tested.end()).size(), 45);
  expect_error<ConfigError>([&] { with_fold(*files, task, 6); }, {"fold is 6, expected 0 to 5"});
  expect_error<ConfigError>([&] { with_fold(*given.open(train_only()), task, 0); },
                            {"the data was read as 1 folds, expected 5"});
}

TEST(Folds, ShareWhatWasRead) {
  const FilesTask task{.train = {"train"}, .folds = 5};
  const auto files = class_files(of_classes({{"a", 25}, {"b", 20}})).open(task);
  auto second = with_fold(*files, task, 2);
  auto third = with_fold(*second, task, 2);
  second.reset();
  EXPECT_EQ(samples_of(*third, Split::kValid).size(), 9);
}

TEST(Files, KnowWhetherTheDataHaveChanged) {
  MemoryFiles given = class_files(of_classes({{"a", 10}, {"b", 10}}));
  FilesTask task = train_only();
  const std::string sum = given.open(task)->sha256();
  EXPECT_EQ(sum.size(), 64);
  task = {.train = {"train"}, .window = 2, .stride = 1, .folds = 3, .sha256 = sum};
  EXPECT_EQ(given.open(task, 7)->sha256(), sum);  // depends only on the data read
  given.files["train"][5].labels = {"a"};
  expect_error<ConfigError>([&] { given.open(task); }, {"train: the data has changed", sum});
  given.files["train"][5].labels = {"b"};
  given.files["train"][5].x[0] += 0.001F;
  expect_error<ConfigError>([&] { given.open(task); }, {"the data has changed"});
  for (auto& sequence : given.files["train"]) sequence.labels[0] += "x";
  EXPECT_NE(given.open(train_only())->sha256(), sum);
}

TEST(Windows, HaveTheAnswerOfTheirSequenceAndStayTogether) {
  std::vector<MemorySequence> train;
  for (int i = 0; i < 20; ++i) {
    std::vector<float> x(10);
    for (int t = 0; t < 10; ++t) x[static_cast<std::size_t>(t)] = static_cast<float>(100 * i + t);
    train.push_back({.x = x, .labels = {i % 2 == 0 ? "even" : "odd"}});
  }
  const auto files = class_files(train).open({.train = {"train"}, .window = 4, .stride = 3});
  EXPECT_EQ(files->size(Split::kTrain), 16 * 3);
  EXPECT_EQ(files->size(Split::kValid), 4 * 3);
  EXPECT_EQ(files->shape().longest, 4);
  EXPECT_EQ(files->encoding().window, 4);
  EXPECT_EQ(files->encoding().stride, 3);
  EXPECT_EQ(files->statistics().sequences, 20);
  EXPECT_EQ(files->statistics().lengths, (std::map<int, std::int64_t>{{10, 20}}));
  std::map<std::string, int> pieces;
  const Normal& normal = files->encoding().features;
  for (const auto& sample : samples_of(*files, Split::kValid)) {
    const int number = std::stoi(sample.id) - 1;
    const double first = sample.x[0] * normal.scale[0] + normal.mean[0];
    EXPECT_NEAR(first, 100 * number + 3 * pieces[sample.id]++, 1e-3);
    EXPECT_EQ(sample.labels.at(0), number % 2);
  }
  for (const auto& [id, count] : pieces) EXPECT_EQ(count, 3) << id;
  EXPECT_EQ(class_files(train).open({.train = {"train"}, .window = 4})->encoding().stride, 4);
}

TEST(Windows, OfTheNextStepPredictEveryStepOnce) {
  std::vector<float> x(11);
  for (std::size_t t = 0; t < x.size(); ++t) x[t] = static_cast<float>(t);
  FilesTask task = train_only();
  task.task = kNextStep;
  task.window = 4;
  const auto files =
      MemoryFiles{.schema = one_feature(Target::kNone), .files = {{"train", {{.x = x}}}}}.open(
          task);
  EXPECT_EQ(files->size(Split::kTrain), 3);
  EXPECT_EQ(files->shape().longest, 4);
  const Normal& normal = files->encoding().features;
  const Batch batch = fill_first(*files, Split::kTrain, 3);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{4, 4, 2}));
  std::vector<double> predicted;
  for (std::size_t b = 0; b < 3; ++b) {
    for (int t = 0; t < batch.lengths[b]; ++t) {
      const double seen = batch.x[row(batch, t, b)] * normal.scale[0] + normal.mean[0];
      predicted.push_back(batch.values[row(batch, t, b)] * normal.scale[0] + normal.mean[0]);
      EXPECT_NEAR(predicted.back(), seen + 1, 1e-5);
    }
  }
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(predicted.at(i), static_cast<double>(i) + 1, 1e-5);
  EXPECT_EQ(predicted.size(), 10);
}

TEST(Windows, CutTheAnswersOfSteps) {
  formats::Schema schema = one_feature(Target::kClassPerStep);
  const MemorySequence given{.x = {1, 2, 3, 4, 5}, .labels = {"a", "b", "a", "b", "b"}};
  FilesTask task = train_only();
  task.window = 2;
  const auto files = MemoryFiles{.schema = schema, .files = {{"train", {given}}}}.open(task);
  const Batch batch = fill_first(*files, Split::kTrain, 3);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{2, 2, 1}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0, 0, 1, 1, 1, 0}));
}

// The step before is that of the sequence, not of the window.
TEST(Windows, FillWhatIsMissingFromTheStepBefore) {
  const MemorySequence given{.x = {kMissing, 4, kMissing, kMissing}, .labels = {"a"}};
  FilesTask task = train_only();
  task.window = 2;
  task.missing = "previous";
  const auto files = class_files({given, {.x = {2}, .labels = {"b"}}}).open(task);
  EXPECT_EQ(files->encoding().features, (Normal{.mean = {3}, .scale = {1}}));
  const auto samples = samples_of(*files, Split::kTrain);
  ASSERT_EQ(samples.size(), 3);
  EXPECT_EQ(samples[0].x, (std::vector<float>{0, 1}));
  EXPECT_EQ(samples[1].x, (std::vector<float>{1, 1}));
}

TEST(Windows, OfAMillionSteps) {
  MemorySequence given{.labels = {"a"}};
  for (int t = 0; t < 1'000'000; ++t) given.x.push_back(static_cast<float>(t % 7));
  const MemoryFiles files = class_files({given, {.x = {2}, .labels = {"b"}}});
  const auto whole = files.open(train_only());
  EXPECT_EQ(whole->shape().longest, 1'000'000);
  const Batch batch = fill(*whole, Split::kTrain, {0});
  EXPECT_EQ(batch.lengths[0], 1'000'000);
  EXPECT_EQ(batch.x[999'999], batch.x[(999'999) % 7]);
  FilesTask task = train_only();
  task.window = 1000;
  EXPECT_EQ(files.open(task)->size(Split::kTrain), 1001);
}

TEST(Files, OfNumbersAreNormalInTheirAnswers) {
  formats::Schema schema = one_feature(Target::kNumbers);
  schema.targets = {"u", "v"};
  std::vector<MemorySequence> train;
  for (int i = 0; i < 4; ++i) {
    train.push_back({.x = {1}, .values = {static_cast<float>(2 * (i % 2)), 5}});
  }
  const auto files = MemoryFiles{.schema = schema, .files = {{"train", train}}}.open(train_only());
  EXPECT_EQ(files->encoding().targets, (Normal{.mean = {1, 5}, .scale = {1, 1}}));
  EXPECT_EQ(files->encoding().features, (Normal{.mean = {1}, .scale = {1}}));  // it is constant
  EXPECT_EQ(fill(*files, Split::kTrain, {0, 1}).values, (std::vector<float>{-1, 0, 1, 0}));
  EXPECT_EQ(files->naive().loss, 0.5);
}

TEST(Files, OfLabelsMayHaveNone) {
  formats::Schema schema = one_feature(Target::kLabels);
  const std::vector<MemorySequence> train = {
      {.x = {1}, .labels = {"q", "p"}}, {.x = {2}}, {.x = {3}, .labels = {"q"}}, {.x = {4}}};
  const auto files = MemoryFiles{.schema = schema, .files = {{"train", train}}}.open(train_only());
  EXPECT_EQ(fill_first(*files, Split::kTrain, 3).values, (std::vector<float>{1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(files->shape().loss, Loss::kSigmoid);
  EXPECT_DOUBLE_EQ(*files->naive().accuracy, (0.75 + 0.5) / 2);
}

MemoryFiles symbol_files(std::vector<Texts> sequences) {
  MemoryFiles given{.schema = {.format = formats::Format::kText, .symbols = true}, .files = {}};
  for (const Texts& symbols : sequences) given.files["train"].push_back({.symbols = symbols});
  return given;
}

TEST(Files, OfSymbolsForecastTheNext) {
  const auto files = symbol_files({{"b", "a", "b"}, {}, {"a"}, {"b", "b"}}).open(train_only());
  EXPECT_EQ(files->encoding().alphabet, (Texts{"a", "b", "<unknown>"}));
  EXPECT_EQ(files->shape().unseen, std::vector<int>{2});
  EXPECT_EQ(files->statistics().sequences, 4);
  EXPECT_EQ(files->size(Split::kTrain), 2);  // the others have no targets
  EXPECT_DOUBLE_EQ(files->shape().mean_length, 1.5);
  const Batch batch = fill_first(*files, Split::kTrain, 2);
  EXPECT_EQ(batch.symbols, (std::vector<std::int32_t>{1, 1, 0, 0}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(*files->naive().accuracy, 2.0 / 3);
}

TEST(Files, HaveOneSymbolForAllThatTrainingDoesNotShow) {
  auto given = symbol_files({{"b", "a", "b"}});
  given.files["valid"] = {{.symbols = {"a", "c", "d"}}};
  const auto files =
      given.open({.train = {"train"}, .valid = {"valid"}, .context = 2, .positions = 1});
  EXPECT_EQ(files->encoding().alphabet, (Texts{"a", "b", "<unknown>"}));
  EXPECT_TRUE(files->encoding().unknown);
  EXPECT_EQ(files->shape().inputs, 7);
  EXPECT_EQ(files->shape().outputs, 3);
  EXPECT_EQ(files->shape().unseen, (std::vector<int>{2, 5}));
  EXPECT_EQ(samples_of(*files, Split::kValid).at(0).symbols, (std::vector<std::int32_t>{0, 2, 2}));
}

TEST(Files, WordsThatOccurOnceAreUnknown) {
  FilesTask task = train_only();
  task.tokens = "words";
  const auto files = symbol_files({{"the", "cat", "the", "dog"}}).open(task);
  EXPECT_EQ(files->encoding().alphabet, (Texts{"the", "<unknown>"}));
  EXPECT_TRUE(files->shape().unseen.empty());
  EXPECT_EQ(samples_of(*files, Split::kTrain).at(0).symbols,
            (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_DOUBLE_EQ(*files->naive().accuracy, 2.0 / 3);  // cat and dog are one
  EXPECT_EQ(parse_encoding(to_json(files->encoding()), "m").tokens, formats::Tokens::kWords);
  expect_error<InputError>(
      [&] {
        symbol_files({{"a", "b"}}).open(task);
      },
      {"every word occurs only once", "use --tokens characters"});
  expect_error<InputError>(
      [&] {
        symbol_files({{"a", "a"}}).open(task);
      },
      {"only the symbol \"a\""});
}

// The name of the unknown symbol in a file is that symbol.
TEST(Files, MayNameTheUnknownSymbol) {
  const auto files = symbol_files({{"b", "<unknown>", "a", "b"}}).open(train_only());
  EXPECT_EQ(files->encoding().alphabet, (Texts{"a", "b", "<unknown>"}));
  EXPECT_TRUE(files->shape().unseen.empty());
}

TEST(Files, OfNoStepsHaveAClassToo) {
  const auto files =
      class_files({{.labels = {"none"}}, {.x = {1, 2}, .labels = {"some"}}}).open(train_only());
  EXPECT_EQ(files->size(Split::kTrain), 2);
  const Batch batch = fill(*files, Split::kTrain, {0, 0});
  EXPECT_EQ(batch.steps, 1);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{0, 0}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0, 0}));
}

void refuse(const MemoryFiles& given, const FilesTask& task,
            std::initializer_list<std::string_view> parts) {
  expect_error<InputError>([&] { given.open(task); }, parts);
}

TEST(Files, AreRefusedWhereThereIsNothingToLearn) {
  const FilesTask task = train_only();
  refuse(class_files({}), task, {"have no sequences"});
  refuse(class_files({{.labels = {"a"}}, {.labels = {"b"}}}), task,
         {"no training sequence (of 2)", "has steps"});
  refuse(class_files(of_classes({{"a", 5}})), task, {"sequences: 5", "a single class"});
  refuse(symbol_files({{"a"}, {"b"}}), task, {"no training sequence (of 2)", "two steps"});
  refuse(symbol_files({{"a", "a"}}), task, {"only the symbol \"a\""});
  refuse({.schema = one_feature(Target::kLabels), .files = {{"train", {{.x = {1}}}}}}, task,
         {"no labels"});
  refuse(class_files(of_classes({{"a", 1}, {"b", 1}})), {.train = {"train"}, .folds = 9},
         {"9 folds need at least 9 sequences, found 2"});
  refuse(class_files(of_classes({{"a", 1}, {"b", 1}, {"c", 1}})), {.train = {"train"}, .folds = 3},
         {"of 3 is empty, expected a class with at least 3 sequences: use fewer --folds"});
}

TEST(Files, AreRefusedWithTheLine) {
  auto given = class_files(of_classes({{"a", 5}, {"b", 5}}));
  given.files["train"][6].x = {1, kMissing};
  refuse(given, train_only(), {"train:7: found no number for \"a\" at step 2"});
  given.files["train"][6].x = {1};
  given.files["train"][3].labels = {};
  refuse(given, train_only(), {"train:4: found a sequence without a target", "task class"});
  given.files["train"][3].labels = {"\xff"};
  refuse(given, train_only(), {"train:4: found \"\\x", "UTF-8"});
  given.files["train"][3].labels = {"a"};
  given.schema.features = {"\xc3"};
  refuse(given, train_only(), {"train:1: found \"\\x", "UTF-8"});
  const MemoryFiles numbers{.schema = one_feature(Target::kNumbers),
                            .files = {{"train", {{.x = {1}, .values = {kMissing}}}}}};
  refuse(numbers, train_only(), {"train:1: found a sequence without a complete target"});
}

TEST(Files, AreRefusedWhereTheirNamesDoNotFitIntoAModel) {
  std::vector<MemorySequence> train;
  for (int i = 0; i < 200; ++i) train.push_back({.x = {1}, .labels = {std::string(10'000, 'x')}});
  for (int i = 0; i < 200; ++i) train[static_cast<std::size_t>(i)].labels[0] += std::to_string(i);
  refuse(class_files(train), train_only(), {"labels (200) take", "the space in a model file"});
}

TEST(Files, OfATaskThatCannotBe) {
  const auto given = class_files(of_classes({{"a", 5}, {"b", 5}}));
  const auto refuse_task = [&](const FilesTask& task,
                               std::initializer_list<std::string_view> parts) {
    expect_error<ConfigError>([&] { given.open(task); }, parts);
  };
  refuse_task({}, {"no training files"});
  refuse_task({.train = {"train"}, .window = 4, .stride = 5}, {"stride is 5, expected 1 to 4"});
  refuse_task({.train = {"train"}, .stride = 5}, {"stride is 5 without a window"});
  refuse_task({.train = {"train"}, .tokens = "syllables"}, {"syllables", "characters, words"});
  refuse_task({.train = {"train"}, .missing = "guess"}, {"guess", "refuse, previous, mean"});
  refuse_task({.train = {"train"}, .format = "pdf"}, {"pdf"});
  const auto forecast =
      MemoryFiles{.schema = one_feature(Target::kNone), .files = {{"train", {{.x = {1, 2}}}}}};
  expect_error<ConfigError>([&] { forecast.open({.train = {"train"}, .balance = true}); },
                            {"balance is only for the task class, found the task forecast"});
}

TEST(Files, AreAKindOfTask) {
  expect_error<ConfigError>([] { tasks::facts(FilesTask{}); }, {"the files must be read first"});
  expect_error<ConfigError>([] { tasks::open_task(FilesTask{}, 1, "/nowhere"); },
                            {"no training files"});
}

}  // namespace
}  // namespace rwa::datasets
