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
  });
}

class TsHeaders : public ::testing::Test {
 protected:
  std::string refused(std::string_view text) {
    const std::filesystem::path file = folder_.path() / "x.ts";
    io::put(file, text);
    const std::string message = refusal({file});
    EXPECT_TRUE(message.empty() || message.starts_with(file.string())) << message;
    return message.substr(std::min(file.string().size(), message.size()));
  }

  io::TempFolder folder_;
};

TEST_F(TsHeaders, LengthsMustAgree) {
  EXPECT_EQ(refused("@univariate true\n@SERIESlength 3\n@data\n1,2,3\n1,2\n"),
            ":5:1: found a sequence of 2 steps, expected 3, as line 2 says (@seriesLength 3): "
            "correct that line or the data");
  EXPECT_EQ(refused("@univariate true\n@seriesLength 2\n@data\n1,2\n1,2,3,4\n"),
            ":5:5: found more than 2 values, expected 2, as line 2 says (@seriesLength 2): correct "
            "that line or the data");
  EXPECT_EQ(refused("@univariate true\n@EqualLength TRUE\n@data\n1,2\n1,2,3\n"),
            ":5:1: found a sequence of 3 steps, expected 2, as in the first sequence, as line 2 "
            "says (@equalLength true): correct that line or the data");
  // Of unequal lengths, @seriesLength is the longest.
  const std::string unequal = "@univariate true\n@equalLength false\n@seriesLength 2\n@data\n1,2\n";
  EXPECT_EQ(refused(unequal + "1\n"), "");
  EXPECT_NE(refused(unequal + "1,2,3\n"), "");
}

TEST_F(TsHeaders, MissingValuesMustBeAnnounced) {
  EXPECT_EQ(refused("@univariate true\n@missing false\n@data\n1,?\n"),
            ":4:3: found \"?\", expected a number, as line 2 says (@missing false): correct that "
            "line or the data");
  EXPECT_EQ(refused("@univariate true\n@missing true\n@data\n1,2\n"), "");
  EXPECT_EQ(refused("@univariate true\n@data\n1,?\n"), "");
}

TEST_F(TsHeaders, DimensionsMustAgree) {
  EXPECT_EQ(refused("@dimensions 3\n@classLabel true a\n@data\n1:2:a\n"),
            ":4:5: found 3 parts separated by \":\", expected 4: 3 dimensions (line 1: "
            "@dimensions 3) and the target (line 2: @classLabel true); correct the header or the "
            "data");
  EXPECT_EQ(refused("@univariate true\n@data\n1:2\n"),
            ":3:3: found 2 parts separated by \":\", expected 1: 1 dimension (line 1: "
            "@univariate true) and no target; correct the header or the data");
  EXPECT_EQ(refused("@univariate false\n@data\n1,2\n"),
            ":3:1: found a sequence of 1 dimension, expected several, as line 1 says (@univariate "
            "false): correct that line or the data");
  EXPECT_EQ(
      refused("@univariate true\n@dimensions 2\n@data\n1:2\n"),
      ":2:1: found @univariate true and @dimensions 2, expected lines that agree: correct one "
      "of them");
  EXPECT_EQ(refused("@dimensions 1\n@univariate false\n@data\n1\n"),
            ":2:1: found @univariate false and @dimensions 1, expected lines that agree: correct "
            "one of them");
}

TEST_F(TsHeaders, TimeStampsMustAgree) {
  EXPECT_EQ(refused("@timeStamps false\n@univariate true\n@data\n(0,1)\n"),
            ":4:1: found \"(0\", expected a number, as line 1 says (@timeStamps false): correct "
            "that line or the data");
  EXPECT_EQ(refused("@univariate true\n@data\n(0,1)\n"),
            ":3:1: found \"(0\", expected a number; (time,value) needs @timeStamps true in the "
            "header");
}

TEST_F(TsHeaders, ClassesMustBeAnnounced) {
  EXPECT_EQ(refused("@univariate true\n@classLabel false\n@data\n1,2:a\n"),
            ":4:5: found 2 parts separated by \":\", expected 1: 1 dimension (line 1: "
            "@univariate true) and no target (line 2: @classLabel false); correct the header or "
            "the data");
  EXPECT_EQ(refused("@classLabel false\n@data\n1,2:a\n"),
            ":3:5: found \"a\", expected a number; a class needs @classLabel true and its names in "
            "the header (line 1: @classLabel false)");
  EXPECT_EQ(refused("@data\n1,2:1\n"),
            ":2:5: found a dimension of 1 value, expected 2, as in the first dimension; a class "
            "needs @classLabel true and its names in the header");
  EXPECT_EQ(refused("@classLabel true a b\n@data\n1,2\n"),
            ":3:1: found no \":\", expected a dimension, \":\" and the target (line 1: @classLabel "
            "true)");
  EXPECT_EQ(refused("@classLabel true a b\n@targetLabel true\n@data\n1,2:a\n"),
            ":2:1: found both @classLabel true and @targetLabel true, expected one of them");
}

TEST(Ts, TellsWhatItFound) {
  const Findings findings = findings_of({good("two_dimensions.ts")});
  EXPECT_EQ(columns_of(findings),
            (Lines{"dim_0: feature, a dimension", "dim_1: feature, a dimension",
                   "class: target, line 8: @classLabel true"}));
  EXPECT_EQ(findings.task, "line 8: @classLabel true");
  EXPECT_EQ(findings_of({good("two_dimensions.ts")}, {.task = Target::kNone}).task, "--task");
  EXPECT_EQ(findings_of({good("univariate.ts")}).task, "line 5: @classLabel false");
}

TEST(Ts, KnowsWhereAValueIsMissing) {
  EXPECT_EQ(missing_places({good("univariate.ts")}), (Lines{"7:3", "8:1"}));
  EXPECT_EQ(missing_places({good("motions.ts")}), (Lines{"", "", "9:7"}));
}

TEST(Ts, GoesOnAfterABadCase) {
  const io::TempFolder folder;
  io::put(folder.path() / "x.ts", "@univariate true\n@equalLength true\n@data\nz\n1,2\n3\n4,5\n");
  EXPECT_EQ(read_on({folder.path() / "x.ts"}),
            (Lines{"! 4:1", "2@5: 1 | 2 -> ", "! 6:1", "4@7: 4 | 5 -> "}));
}

// A line of separators takes no memory beyond the line itself.
TEST(Ts, RefusesTooManyDimensions) {
  const io::TempFolder folder;
  io::put(folder.path() / "x.ts", "@data\n" + std::string(100'000, ':') + "\n");
  EXPECT_EQ(refusal({folder.path() / "x.ts"}),
            (folder.path() / "x.ts").string() +
                ":2:1: found a sequence of 100,001 dimensions, expected at most 65,536");
  io::put(folder.path() / "y.ts", "@dimensions 100000\n@data\n" + std::string(99'999, ':') + "\n");
  EXPECT_EQ(refusal({folder.path() / "y.ts"}),
            (folder.path() / "y.ts").string() +
                ":1:13: found 100,000 dimensions, expected at most 65,536");
}

TEST_F(TsHeaders, TooManyNumbersAreNotBlamedOnTheHeader) {
  std::string half;
  for (int i = 0; i < 9'000'000; ++i) half += "1,";
  half.pop_back();
  EXPECT_EQ(refused("@dimensions 2\n@seriesLength 9000000\n@data\n" + half + ":" + half + "\n"),
            ":4:33554433: found more than 16,777,216 numbers in a line, expected fewer: save long "
            "sequences as .npy");
}

TEST(Ts, RefusesABadCase) {
  expect_refusals({
      {"not_a_number.ts", ":6:9: found \"four\", expected a number"},
      {"too_large.ts", ":3:3: found \"1e400\", expected a number of at most 3.4e38"},
      {"unequal.ts", ":5:7: found a dimension of 2 values, expected 3, as in the first dimension"},
      {"few_dimensions.ts",
       ":5:3: found 2 parts separated by \":\", expected 3: 2 dimensions (line 1: @dimensions 2) "
       "and the target (line 2: @classLabel true); correct the header or the data"},
      {"many_dimensions.ts",
       ":5:7: found 4 parts separated by \":\", expected 3: 2 dimensions (line 1: @dimensions 2) "
       "and the target (line 2: @classLabel true); correct the header or the data"},
      {"unknown_class.ts", ":4:6: found \"c\", expected one of the classes on line 2: a b"},
      {"no_parentheses.ts",
       ":4:7: found \"1\", expected (time,value), as line 1 says (@timeStamps true): correct that "
       "line or the data"},
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
