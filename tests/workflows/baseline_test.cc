// tests/workflows/baseline_test.cc: tests that baselines are fitted to the training data and scored
// on other data.
#include "workflows/baseline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "datasets/files_testing.h"
#include "support/random_data.h"

namespace rwa::workflows {
namespace {

using datasets::MemoryFiles;
using datasets::MemorySequence;
using datasets::Split;
using formats::Target;

using Sequences = std::vector<MemorySequence>;

std::vector<Baseline> baselines_of(formats::Schema schema, Sequences train, Sequences test,
                                   double work = kBaselineWork, datasets::FilesTask task = {}) {
  const MemoryFiles given{.schema = std::move(schema),
                          .files = {{"train", std::move(train)}, {"test", std::move(test)}}};
  task.train = {"train"};
  task.test = {"test"};
  task.split = 0;
  return score_baselines(*given.open(task), Split::kTest, work);
}

std::vector<Baseline> baselines_of_next_step(Sequences train, Sequences test) {
  return baselines_of(datasets::one_feature(Target::kNone), std::move(train), std::move(test),
                      kBaselineWork, {.task = std::string(datasets::kNextStep)});
}

// The one that ignores the sequence.
Baseline baseline_of(Target target, Sequences train, Sequences test) {
  return baselines_of(datasets::one_feature(target), std::move(train), std::move(test)).front();
}

std::vector<std::string> names_of(const std::vector<Baseline>& baselines) {
  std::vector<std::string> names;
  for (const Baseline& baseline : baselines) names.push_back(baseline.name);
  return names;
}

formats::Schema letters(Target target) {
  formats::Schema schema{.symbols = true, .target = target};
  if (target != Target::kNone) schema.targets = {"y"};
  return schema;
}

TEST(Baseline, IsTheMajorityClassOfTraining) {
  const Baseline found = baseline_of(
      Target::kClass,
      {{.x = {1}, .labels = {"a"}}, {.x = {1}, .labels = {"a"}}, {.x = {1}, .labels = {"b"}}},
      {{.x = {1}, .labels = {"a"}},
       {.x = {1}, .labels = {"b"}},
       {.x = {1}, .labels = {"b"}},
       {.x = {1}, .labels = {"b"}}});
  EXPECT_EQ(found.name, "majority class");
  EXPECT_EQ(found.scores.accuracy, 0.25);  // the majority of the test set is another
  // Frequencies with one added to each count: 3/5 and 2/5.
  EXPECT_NEAR(found.scores.loss, -(std::log2(0.6) + 3 * std::log2(0.4)) / 4, 1e-6);
}

// Two shapes, of sizes that differ by 10⁴: their numbers are far apart, the shapes are not.
TEST(Baseline, SeesSequencesScaledByThemselves) {
  const auto some = [](int first) {
    Sequences sequences;
    for (int i = first; i < first + 40; ++i) {
      const auto size = static_cast<float>(std::pow(10.0, (i / 2 + first) % 5));
      auto& made = sequences.emplace_back();
      made.labels = {i % 2 == 0 ? "up" : "down"};
      for (int t = 0; t < 6; ++t) {
        const auto place = static_cast<float>(i % 2 == 0 ? t : 6 - t);
        made.x.push_back(size * (place + 0.01F * static_cast<float>((i * 7 + t * 3) % 5)));
      }
    }
    return sequences;
  };
  for (const Target target : {Target::kClass, Target::kLabels}) {
    const auto found = baselines_of(datasets::one_feature(target), some(0), some(1));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1].name, "1-NN");
    EXPECT_EQ(found[1].scores.accuracy, 1.0);
  }
}

TEST(Baseline, IsTheMeanOfTraining) {
  const Baseline found =
      baseline_of(Target::kNumbers, {{.x = {1}, .values = {10}}, {.x = {1}, .values = {20}}},
                  {{.x = {1}, .values = {18}}, {.x = {1}, .values = {12}}});
  EXPECT_EQ(found.name, "mean");
  EXPECT_NEAR(found.scores.numbers.front().rmse, 3, 1e-5);
}

TEST(Baseline, OfTheNextStepIsTheLastValue) {
  const Baseline found =
      baselines_of_next_step({{.x = {0, 5, 1, 3}}}, {{.x = {100, 101, 104}}}).front();
  EXPECT_EQ(found.name, "last value");
  EXPECT_NEAR(found.scores.numbers.front().mae, 2, 1e-4);
  EXPECT_NEAR(found.scores.numbers.front().rmse, std::sqrt(5), 1e-4);
}

// Four steps a season; the test series has one more season after the first three.
TEST(Baseline, OfForecastsAreSimpleOnes) {
  std::vector<float> x;
  for (const float year : {0.0F, 10.0F, 20.0F, 30.0F, 40.0F}) {
    for (const float step : {1.0F, 2.0F, 3.0F, 6.0F}) x.push_back(year + step);
  }
  const auto found = baselines_of(datasets::one_feature(Target::kNone), {{.x = x}}, {{.x = x}},
                                  kBaselineWork, {.horizon = 4, .season = 4});
  EXPECT_EQ(names_of(found), (std::vector<std::string>{"last value", "seasonal naive",
                                                       "weighted simple forecasts"}));
  EXPECT_NEAR(found[1].scores.forecasts.front().mae, 10, 1e-4);
  EXPECT_NEAR(*found[1].scores.mase, 1, 1e-6);
  EXPECT_FALSE(found[1].scores.coverage.has_value());
  EXPECT_LT(*found[2].scores.mase, 0.5) << "the seasons grow evenly";
}

TEST(Baseline, NamesAndOrder) {
  using Names = std::vector<std::string>;
  const auto of_numbers = [](Target target, Sequences both) {
    return names_of(baselines_of(datasets::one_feature(target), both, both));
  };
  const auto of_letters = [](Target target, Sequences both) {
    return names_of(baselines_of(letters(target), both, both));
  };
  const std::vector<float> x = {1, 2, 3};
  EXPECT_EQ(of_numbers(Target::kClass, {{.x = x, .labels = {"a"}}, {.x = x, .labels = {"b"}}}),
            (Names{"majority class", "1-NN"}));
  EXPECT_EQ(of_numbers(Target::kLabels, {{.x = x, .labels = {"a", "b"}}, {.x = x}}),
            (Names{"majority class", "1-NN"}));
  EXPECT_EQ(of_numbers(Target::kNumbers, {{.x = x, .values = {1}}, {.x = x, .values = {2}}}),
            (Names{"mean", "linear model"}));
  EXPECT_EQ(of_numbers(Target::kNumbersPerStep, {{.x = x, .values = x}}), (Names{"mean"}));
  EXPECT_EQ(names_of(baselines_of_next_step({{.x = x}}, {{.x = x}})), (Names{"last value"}));
  const std::vector<std::string> text = {"u", "v", "u"};
  EXPECT_EQ(of_letters(Target::kClass,
                       {{.symbols = text, .labels = {"a"}}, {.symbols = text, .labels = {"b"}}}),
            (Names{"majority class", "linear model of n-grams"}));
  EXPECT_EQ(of_letters(Target::kNumbers,
                       {{.symbols = text, .values = {1}}, {.symbols = text, .values = {2}}}),
            (Names{"mean", "linear model of n-grams"}));
  EXPECT_EQ(of_letters(Target::kNone, {{.symbols = text}}), (Names{"majority class"}));
}

// Three classes: noisy slopes, of different lengths.
Sequences slopes(int count, std::uint64_t seed) {
  RandomData random(seed);
  Sequences made;
  for (int i = 0; i < count; ++i) {
    const int steps = 2 + i * 5 % 9;
    std::vector<float> x = random.normal<float>(static_cast<std::size_t>(steps), 0.6F);
    for (int t = 0; t < steps; ++t) {
      x[static_cast<std::size_t>(t)] +=
          static_cast<float>((i % 3 - 1) * t) / static_cast<float>(steps - 1);
    }
    made.push_back({.x = std::move(x), .labels = {std::string(1, static_cast<char>('a' + i % 3))}});
  }
  return made;
}

// The value at a place between 0 and 1.
double value_at(const std::vector<float>& x, double place) {
  const double step = place * static_cast<double>(x.size() - 1);
  const auto before = static_cast<std::size_t>(step);
  const std::size_t after = std::min(before + 1, x.size() - 1);
  return x[before] + (step - static_cast<double>(before)) * (x[after] - x[before]);
}

TEST(Baseline, NearestNeighbourIsTheOneOfTheObviousComputation) {
  const Sequences train = slopes(45, 1), test = slopes(30, 2);
  std::vector<std::size_t> lengths;
  for (const MemorySequence& each : train) lengths.push_back(each.x.size());
  std::ranges::sort(lengths);
  const std::size_t steps = lengths[lengths.size() / 2];
  int right = 0;
  for (const MemorySequence& each : test) {
    double least = std::numeric_limits<double>::infinity();
    std::string label;
    for (const MemorySequence& other : train) {
      double sum = 0;
      for (std::size_t s = 0; s < steps; ++s) {
        const double place = static_cast<double>(s) / static_cast<double>(steps - 1);
        sum += std::pow(value_at(each.x, place) - value_at(other.x, place), 2);
      }
      if (sum < least) label = other.labels[0];
      least = std::min(least, sum);
    }
    right += label == each.labels[0] ? 1 : 0;
  }
  const auto found = baselines_of(datasets::one_feature(Target::kClass), train, test);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_DOUBLE_EQ(*found[1].scores.accuracy, right / 30.0);
  EXPECT_GT(right, 12);  // more than by chance
  EXPECT_LT(right, 30);
}

// Its probability is that of training sequences left out: 4 of 4 are right, 5 of 6 with one more of
// each kind.
TEST(Baseline, NearestNeighbourIsAsSureAsItMayBe) {
  const Sequences train = {{.x = {0}, .labels = {"a"}},
                           {.x = {1}, .labels = {"a"}},
                           {.x = {10}, .labels = {"b"}},
                           {.x = {11}, .labels = {"b"}}};
  const auto found = baselines_of(datasets::one_feature(Target::kClass), train,
                                  {{.x = {2}, .labels = {"a"}}, {.x = {9}, .labels = {"b"}}});
  EXPECT_EQ(found[1].scores.accuracy, 1);
  EXPECT_NEAR(found[1].scores.loss, -std::log2(5.0 / 6), 1e-5);
}

TEST(Baseline, NearestNeighbourHasSeveralLabels) {
  const Sequences train = {{.x = {0}, .labels = {"a", "b"}}, {.x = {10}, .labels = {"c"}}};
  const auto found = baselines_of(datasets::one_feature(Target::kLabels), train,
                                  {{.x = {1}, .labels = {"a", "b"}}, {.x = {9}, .labels = {"b"}}});
  EXPECT_NEAR(*found[1].scores.accuracy, 4.0 / 6, 1e-6);
  EXPECT_EQ(found[1].scores.subset_accuracy, 0.5);
}

TEST(Baseline, FewerTrainingSequencesAreUsedIfTimeIsShort) {
  const Sequences train = slopes(450, 1), test = slopes(30, 2);
  const auto names = [&](double work) {
    return names_of(baselines_of(datasets::one_feature(Target::kClass), train, test, work));
  };
  // 286 sequences of 6 steps are compared with each: the test set, and 256 that are left out.
  EXPECT_EQ(names(286.0 * 6 * 200),
            (std::vector<std::string>{"majority class", "1-NN on 200 training sequences"}));
  EXPECT_EQ(names(286.0 * 6 * 450).back(), "1-NN");
  EXPECT_EQ(names(286.0 * 6 * 99), (std::vector<std::string>{"majority class"}));
  EXPECT_EQ(evenly_spaced(1000, 100.5)[99], 990);
  EXPECT_EQ(evenly_spaced(50, 1e9).size(), 50U);
  EXPECT_TRUE(evenly_spaced(50, 49).empty());
}

// The target is the mean of a sequence minus half its slope.
TEST(Baseline, ALinearModelFindsNumbersOfSummaries) {
  RandomData random(5);
  const auto draw = [&](int count) {
    Sequences made;
    for (int i = 0; i < count; ++i) {
      const auto line = random.normal<float>(2, 1);
      MemorySequence each;
      for (int t = 0; t < 3 + i % 4; ++t)
        each.x.push_back(line[0] + line[1] * static_cast<float>(t - 1));
      const float mean = line[0] + line[1] * (static_cast<float>(2 + i % 4) / 2 - 1);
      each.values = {100 + mean - line[1] / 2};
      made.push_back(std::move(each));
    }
    return made;
  };
  const auto found = baselines_of(datasets::one_feature(Target::kNumbers), draw(200), draw(50));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(*found[0].scores.numbers.front().r2, 0.05);
  EXPECT_GT(*found[1].scores.numbers.front().r2, 0.99);
}

// In one language vowels and consonants alternate, in the other they do not; letters are as
// frequent in both.
Sequences words(int count, std::uint64_t seed, Target target) {
  RandomData random(seed);
  Sequences made;
  for (int i = 0; i < count; ++i) {
    const bool alternates = i % 2 == 0;
    const auto draws = random.normal<double>(24, 1.0);
    MemorySequence each;
    for (std::size_t t = 0; t < 12; ++t) {
      const bool vowel = alternates ? t % 2 == 0 : draws[12 + t] > 0;
      each.symbols.emplace_back(vowel ? (draws[t] > 0 ? "a" : "e") : (draws[t] > 0 ? "k" : "s"));
    }
    if (target == Target::kClass) each.labels = {alternates ? "one" : "other"};
    if (target == Target::kLabels && alternates) each.labels = {"one"};
    if (target == Target::kNumbers) each.values = {alternates ? 1.0F : 3.0F};
    made.push_back(std::move(each));
  }
  return made;
}

TEST(Baseline, NGramsTellTwoLanguagesApart) {
  const auto scores = [](Target target) {
    const auto found = baselines_of(letters(target), words(100, 1, target), words(50, 2, target));
    EXPECT_EQ(found.size(), 2U);
    return std::pair(found.front().scores, found.back().scores);
  };
  const auto [constant, informed] = scores(Target::kClass);
  EXPECT_EQ(*constant.accuracy, 0.5);
  EXPECT_GT(*informed.accuracy, 0.95);
  EXPECT_LT(informed.loss, 0.5);
  EXPECT_GT(*scores(Target::kNumbers).second.numbers.front().r2, 0.8);
}

// 20 symbols have 8,000 triples, more than columns.
TEST(Baseline, NGramsOfManySymbolsShareColumns) {
  const auto draw = [](int count, std::uint64_t seed) {
    Sequences made = words(count, seed, Target::kClass);
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (std::size_t t = 0; t < made[i].symbols.size(); ++t) {
        made[i].symbols[t] += fmt::format("{}", (3 * t + i) % 5);
      }
    }
    return made;
  };
  const auto found = baselines_of(letters(Target::kClass), draw(400, 1), draw(50, 2));
  EXPECT_GT(*found.back().scores.accuracy, 0.85);
}

}  // namespace
}  // namespace rwa::workflows
