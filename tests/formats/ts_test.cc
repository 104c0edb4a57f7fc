// tests/formats/ts_test.cc: the .ts files of UEA and aeon.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

TEST(Ts, ReadsCasesOfSeveralDimensions) {
  const DataSet found = read_all({good("two_dimensions.ts")});
  EXPECT_EQ(found.sequences, (Lines{"1@10: 1 10 | 2 20 | 3 30 -> up", "2@12: 4 -15 | 5 0.5 -> down",
                                    "3@14: 6 7 -> up"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kTs,
                                  .features = {"dim_0", "dim_1"},
                                  .target = Target::kClass,
                                  .targets = {"class"}}));
}

TEST(Ts, ReadsOneDimensionAndMissingValues) {
  const DataSet found = read_all({good("univariate.ts")});
  EXPECT_EQ(found.sequences, (Lines{"1@7: 1 | ? | 3 -> ", "2@8: ? | 5 | 6 -> "}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kTs, .features = {"x"}}));
}

TEST(Ts, ReadsNumbersAsAnswers) {
  const DataSet found = read_all({good("regression.ts")});
  EXPECT_EQ(found.sequences, (Lines{"1@5: 1 | 2 -> 0.25", "2@6: 3 | 4 -> -7"}));
  EXPECT_EQ(found.schema.target, Target::kNumbers);
  EXPECT_EQ(found.schema.targets, Lines{"target"});
}

TEST(Ts, LeavesOutTimeStamps) {
  EXPECT_EQ(sequences({good("time_stamps.ts")}), (Lines{"1@7: 1 3 | 2 ? -> a", "2@8: 4 5 -> b"}));
}

TEST(Ts, AnswersCanBeLeftOut) {
  const DataSet found = read_all({good("two_dimensions.ts")}, {.task = Target::kNone});
  EXPECT_EQ(found.schema.target, Target::kNone);
  EXPECT_EQ(found.sequences.at(2), "3@14: 6 7 -> ");
  EXPECT_EQ(refusal<ConfigError>({good("two_dimensions.ts")}, {.task = Target::kNumbers}),
            good("two_dimensions.ts").string() +
                ": found targets for the task class, expected those for the task numbers: use "
                "--task class");
}

TEST(Ts, ReadsWhatAModelTakes) {
  const Schema model{.format = Format::kTable,
                     .layout = Layout::kLong,
                     .features = {"height", "width"},
                     .target = Target::kClass,
                     .targets = {"direction"}};
  const DataSet found = read_all({good("two_dimensions.ts")}, {.as = model});
  Schema expected = model;
  expected.format = Format::kTs;
  expected.layout = {};
  EXPECT_EQ(found.schema, expected);
  EXPECT_EQ(found.sequences.at(2), "3@14: 6 7 -> up");

  EXPECT_EQ(refusal({good("univariate.ts")}, {.as = model}),
            good("univariate.ts").string() +
                ": found 1 feature, expected the 2 that the model takes: height, width");
  Schema other = model;
  other.target = Target::kNumbers;
  EXPECT_EQ(refusal({good("two_dimensions.ts")}, {.as = other}),
            good("two_dimensions.ts").string() +
                ": found targets for the task class, expected those for the task numbers, as the "
                "model predicts");
  other = model;
  other.symbols = true;
  EXPECT_EQ(refusal({good("two_dimensions.ts")}, {.as = other}),
            good("two_dimensions.ts").string() +
                ": found sequences of numbers, expected symbols, as the model takes");
}

TEST(Ts, AModelCanDoWithoutAnswers) {
  const Schema model{
      .format = Format::kTs, .features = {"x"}, .target = Target::kNumbers, .targets = {"target"}};
  EXPECT_EQ(sequences({good("univariate.ts")}, {.as = model}).at(0), "1@7: 1 | ? | 3 -> ");
  EXPECT_EQ(sequences({bad("no_target.ts")}, {.as = model}), Lines{"1@4: 1 | 2 -> "});
}

TEST(Ts, AModelMayGiveMoreNumbers) {
  const Schema model{.format = Format::kTable,
                     .features = {"x"},
                     .target = Target::kNumbers,
                     .targets = {"a", "b"}};
  EXPECT_EQ(
      refusal({good("regression.ts")}, {.as = model}),
      good("regression.ts").string() + ": found one target, expected 2, as the model predicts");
}

TEST(Ts, RefusesABadHeader) {
  expect_refusals({
      {"unknown_key.ts", ":2:1: found \"@clasLabel\", expected @classLabel"},
      {"far_key.ts",
       ":2:1: found \"@relation\", expected one of @problemName, @timeStamps, @missing, "
       "@univariate, "
       "@dimensions, @equalLength, @seriesLength, @classLabel, @targetLabel, @data"},
      {"no_data.ts", ":2: found the end of the file, expected @data, then sequences"},
      {"no_at.ts",
       ":2:3: found \"univariate true\", expected a header line that starts with @, up to @data"},
      {"no_case.ts", ":4: found the end of the file, expected a sequence after @data"},
      {"no_classes.ts", ":2:17: found the end of the line, expected class names"},
      {"maybe.ts", ":1:13: found \"maybe\", expected true or false"},
      {"no_dimensions.ts", ":1:13: found \"0\", expected a whole number of at least 1"},
      {"other_dimensions.ts",
       ":4:1: found a sequence of 2 dimensions, expected 3, as the header says"},
  });
}

TEST(Ts, RefusesABadCase) {
  expect_refusals({
      {"not_a_number.ts", ":6:9: found \"four\", expected a number"},
      {"too_large.ts", ":3:3: found \"1e400\", expected a number of at most 3.4e38"},
      {"unequal.ts", ":5:7: found a dimension of 2 values, expected 3, as in the first dimension"},
      {"few_dimensions.ts",
       ":5:3: found 2 parts separated by \":\", expected 3: 2 dimensions and the target"},
      {"many_dimensions.ts",
       ":5:7: found 4 parts separated by \":\", expected 3: 2 dimensions and the target"},
      {"unknown_class.ts", ":4:6: found \"c\", expected one of the classes in the header: a b"},
      {"no_parentheses.ts", ":4:7: found \"1\", expected (time,value), since @timeStamps is true"},
      {"no_comma.ts", ":4:6: found \"(1,2)\", expected a comma"},
      {"no_target.ts", ":4:5: found \"?\", expected a number"},
  });
}

TEST(Ts, ReadsALongCase) {
  const io::TempFolder folder;
  std::string text = "@univariate true\n@data\n0";
  for (int i = 1; i < 1'000'000; ++i) text += "," + std::to_string(i % 10);
  io::put(folder.path() / "x.ts", text);
  const auto reader = open(Paths{folder.path() / "x.ts"}, {}, std::make_shared<Vocabulary>());
  Sequence sequence;
  ASSERT_TRUE(reader->next(sequence));
  EXPECT_EQ(sequence.steps, 1'000'000);
  EXPECT_EQ(sequence.x.at(999'999), 9);
  EXPECT_FALSE(reader->next(sequence));
}

RC_GTEST_PROP(Ts, WhatIsWrittenIsRead, ()) {
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 5);
  std::string text =
      "@dimensions " + std::to_string(dimensions) + "\n@classLabel true a b\n@data\n";
  Lines expected;
  const int cases = *rc::gen::inRange(1, 6);
  for (int i = 0; i < cases; ++i) {
    const auto steps = *rc::gen::inRange<std::size_t>(1, 8);
    const auto x =
        *rc::gen::container<std::vector<int>>(steps * dimensions, rc::gen::arbitrary<int>());
    Lines by_dimension(dimensions), by_step(steps);
    for (std::size_t d = 0; d < dimensions; ++d) {
      for (std::size_t t = 0; t < steps; ++t) {
        const std::string number = fmt::to_string(static_cast<float>(x[d * steps + t]));
        by_dimension[d] += (t == 0 ? "" : ",") + number;
        by_step[t] += (d == 0 ? "" : " ") + number;
      }
    }
    text += fmt::format("{}:b\n", fmt::join(by_dimension, ":"));
    expected.push_back(fmt::format("{}@{}: {} -> b", i + 1, i + 4, fmt::join(by_step, " | ")));
  }
  const io::TempFolder folder;
  io::put(folder.path() / "x", text);
  RC_ASSERT(sequences({folder.path() / "x"}) == expected);
}

}  // namespace
}  // namespace rwa::formats
