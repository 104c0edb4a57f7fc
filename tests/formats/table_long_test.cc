// tests/formats/table_long_test.cc: tables with a row per step.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "table_testing.h"

namespace rwa::formats {
namespace {

using LongTable = Tables;

TEST_F(LongTable, IdTimeFeaturesAndAClass) {
  const DataSet found = read(
      "id,t,a,b,label\n"
      "s1,0,1,10,up\n"
      "s1,1,2,20,up\n"
      "s2,0,3.5,-30,down\n"
      "s2,2,4,40,down\n"
      "s2,2,5,50,down\n");
  EXPECT_EQ(found.sequences,
            (Lines{"s1@2: 1 10 | 2 20 -> up", "s2@4: 3.5 -30 | 4 40 | 5 50 -> down"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kTable,
                                  .layout = Layout::kLong,
                                  .features = {"a", "b"},
                                  .target = Target::kClass,
                                  .targets = {"label"},
                                  .id = "id",
                                  .time = "t"}));
}

TEST_F(LongTable, WithoutAnIdItIsOneSequence) {
  EXPECT_EQ(sequences("a,b\n1,2\n3,4\n5,6\n"), Lines{"1@2: 1 2 | 3 4 | 5 6 -> "});
  EXPECT_EQ(sequences("date,a\n2020-01-01,2\n2020-01-02,4\n"), Lines{"1@2: 2 | 4 -> "});
  EXPECT_EQ(sequences("1\n2\n3\n"), Lines{"1@1: 1 | 2 | 3 -> "});
  EXPECT_EQ(schema("a,b\n1,2\n3,4\n").target, Target::kNone);
}

TEST_F(LongTable, NamesAreKnownInAnyCase) {
  const Schema found = schema("Series_ID,Timestamp,v,Class\n1,0,5,a\n1,1,6,a\n2,0,7,b\n");
  EXPECT_EQ(found.id, "Series_ID");
  EXPECT_EQ(found.time, "Timestamp");
  EXPECT_EQ(found.targets, Lines{"Class"});
}

// Only if its rows are consecutive: "sequence" and "name" may also be columns of text.
TEST_F(LongTable, AnAmbiguousNameIsAnId) {
  EXPECT_EQ(sequences("name,v\nx,1\nx,2\ny,3\ny,4\n"), (Lines{"x@2: 1 | 2 -> ", "y@4: 3 | 4 -> "}));
  EXPECT_EQ(sequences("sequence,v\nx,1\nx,2\ny,3\ny,4\n"),
            (Lines{"x@2: 1 | 2 -> ", "y@4: 3 | 4 -> "}));
}

TEST_F(LongTable, AnIdOfFractionsIsAFeature) {
  EXPECT_EQ(schema("t,sample\n0,0.5\n1,0.5\n2,0.25\n").features, Lines{"sample"});
}

TEST_F(LongTable, YAmongDirectionsIsAFeature) {
  EXPECT_EQ(schema("t,x,y\n0,1,2\n1,1,3\n").targets, Lines{"y"});
  EXPECT_EQ(schema("t,x,y,z\n0,1,2,3\n1,1,3,5\n").features, (Lines{"x", "y", "z"}));
}

TEST_F(LongTable, ATargetThatChangesIsOneForEachStep) {
  const DataSet words = read("id,a,label\n1,5,on\n1,6,off\n2,7,on\n2,8,on\n");
  EXPECT_EQ(words.schema.target, Target::kClassPerStep);
  EXPECT_EQ(words.sequences, (Lines{"1@2: 5 | 6 -> on off", "2@4: 7 | 8 -> on on"}));
  const DataSet numbers = read("id,a,y\n1,5,0.5\n1,6,0.25\n2,7,1\n2,8,2\n");
  EXPECT_EQ(numbers.schema.target, Target::kNumbersPerStep);
  EXPECT_EQ(numbers.sequences, (Lines{"1@2: 5 | 6 -> 0.5 0.25", "2@4: 7 | 8 -> 1 2"}));
  EXPECT_EQ(schema("a,y\n5,0\n6,1\n7,0\n8,1\n").target, Target::kClassPerStep);
}

TEST_F(LongTable, NumbersAsTargetsAreClassesWhereTheyAreFewAndComeAgain) {
  EXPECT_EQ(schema("id,a,y\n1,5,0\n1,6,0\n2,7,1\n2,7,1\n3,7,1\n4,7,0\n").target, Target::kClass);
  EXPECT_EQ(schema("id,a,y\n1,5,0.5\n1,6,0.5\n2,7,1\n2,7,1\n3,7,1\n4,7,0.5\n").target,
            Target::kNumbers);
  EXPECT_EQ(schema("id,a,y\n1,5,10\n1,6,10\n2,7,11\n2,7,11\n3,7,12\n3,7,12\n").target,
            Target::kNumbers);
  std::string many = "id,a,y\n";
  for (int i = 0; i < 84; ++i) many += fmt::format("{},0,{}\n{},0,{}\n", i, i % 21, i, i % 21);
  EXPECT_EQ(schema(many).target, Target::kNumbers);
}

TEST_F(LongTable, ClassesThatAreNumbersAreWrittenOneWay) {
  EXPECT_EQ(sequences("id,a,label\n1,5,1\n1,5,1.0\n2,6,2.0\n2,6,2\n", {.task = Target::kClass}),
            (Lines{"1@2: 5 | 5 -> 1", "2@4: 6 | 6 -> 2"}));
  EXPECT_EQ(sequences("id,a,label\n1,5,v1.0\n1,5,v1.0\n"), Lines{"1@2: 5 | 5 -> v1.0"});
}

TEST_F(LongTable, SeveralLabelsStandBetweenBars) {
  const DataSet found =
      read("id,a,labels\n1,5,red|big\n1,6,red|big\n2,7,\n2,8,\n3,9, big | red |big\n");
  EXPECT_EQ(found.schema.target, Target::kLabels);
  EXPECT_EQ(found.sequences,
            (Lines{"1@2: 5 | 6 -> red big", "2@4: 7 | 8 -> ", "3@6: 9 -> red big"}));
}

TEST_F(LongTable, SeveralColumnsOfYesAndNoAreLabels) {
  const DataSet found =
      read("id,a,hot,wet\n1,5,1,0\n1,6,1,0\n2,7,1,1\n3,8,0,0\n", {.targets = {"wet", "hot"}});
  EXPECT_EQ(found.schema.target, Target::kLabels);
  EXPECT_EQ(found.schema.targets, (Lines{"wet", "hot"}));
  EXPECT_EQ(found.sequences, (Lines{"1@2: 5 | 6 -> hot", "2@4: 7 -> wet hot", "3@5: 8 -> "}));
}

TEST_F(LongTable, SeveralColumnsOfNumbersAreNumbers) {
  const std::string text = "id,a,p,q\n1,5,1,0.5\n1,6,1,0.5\n2,7,1,4\n";
  const DataSet found = read(text, {.targets = {"p", "q"}});
  EXPECT_EQ(found.schema.target, Target::kNumbers);
  EXPECT_EQ(found.sequences, (Lines{"1@2: 5 | 6 -> 1 0.5", "2@4: 7 -> 1 4"}));
  EXPECT_EQ(schema("id,a,p,q\n1,5,1,0.5\n1,6,2,0.5\n", {.targets = {"p", "q"}}).target,
            Target::kNumbersPerStep);
}

TEST_F(LongTable, TheTaskDecides) {
  const std::string text = "id,a,y\n1,5,0\n1,6,0\n2,7,1\n3,7,1\n4,7,0\n";
  EXPECT_EQ(sequences(text, {.task = Target::kNumbers}).at(0), "1@2: 5 | 6 -> 0");
  EXPECT_EQ(schema(text, {.task = Target::kNumbersPerStep}).target, Target::kNumbersPerStep);
  const DataSet forecast = read(text, {.task = Target::kNone});
  EXPECT_EQ(forecast.schema.features, (Lines{"a", "y"}));
  EXPECT_EQ(forecast.sequences.at(0), "1@2: 5 0 | 6 0 -> ");
}

TEST_F(LongTable, ColumnsAreChosenByName) {
  const std::string text = "who,when,a,b,what\n1,0,5,6,x\n1,1,7,8,x\n2,0,9,10,y\n2,1,11,12,y\n";
  const DataSet found =
      read(text, {.targets = {"what"}, .features = {"b", "a"}, .id = "who", .time = "when"});
  EXPECT_EQ(found.sequences, (Lines{"1@2: 6 5 | 8 7 -> x", "2@4: 10 9 | 12 11 -> y"}));
  EXPECT_EQ(found.schema.features, (Lines{"b", "a"}));
  EXPECT_EQ(sequences(text, {.features = {"b"}, .id = "who"}).at(0), "1@2: 6 | 8 -> x");
}

TEST_F(LongTable, AColumnOfWordsIsWhatRowsAreAnsweredWith) {
  EXPECT_EQ(sequences("id,a,activity\n1,5,run\n1,6,run\n2,7,walk\n2,8,walk\n"),
            (Lines{"1@2: 5 | 6 -> run", "2@4: 7 | 8 -> walk"}));
  EXPECT_EQ(schema("id,a,remark\n1,5,why\n1,6,ever\n2,7,not\n").target, Target::kNone);
}

TEST_F(LongTable, CellsThatAreNoNumbersAreSymbols) {
  const DataSet found = read("id,state,label\n1,hot,a\n1,cold,a\n2,hot,b\n2,hot,b\n");
  EXPECT_TRUE(found.schema.symbols);
  EXPECT_EQ(found.schema.features, Lines{"state"});
  EXPECT_EQ(found.sequences, (Lines{"1@2: hot | cold -> a", "2@4: hot | hot -> b"}));
  EXPECT_EQ(sequences("series,word,tag\n1,the,D\n1,cat,N\n2,a,D\n2,dog,N\n"),
            (Lines{"1@2: the | cat -> D N", "2@4: a | dog -> D N"}));
}

TEST_F(LongTable, MissingNumbersAreKept) {
  EXPECT_EQ(sequences("id,a,b\n1,,?\n1,NaN,2\n2,NA,null\n2,3,4\n"),
            (Lines{"1@2: ? ? | ? 2 -> ", "2@4: ? ? | 3 4 -> "}));
}

TEST_F(LongTable, TimesMayBeEqualAndOfAnyForm) {
  EXPECT_EQ(sequences("id,time,a\n1,1600000001,1\n1,1600000001,2\n1,1.7e9,3\n2,5,4\n").size(), 2);
  EXPECT_EQ(sequences("time,a\n31/12/2020,1\n01/01/2021,2\n").size(), 1);
  EXPECT_EQ(sequences("time,a\n2020-12-31T23:00,1\n2021-01-01T00:00,2\n").size(), 1);
}

TEST_F(LongTable, ColumnsWithoutANameAreLeftOut) {
  EXPECT_EQ(schema(",id,a,\n0,1,5,\n1,1,6,\n2,2,7,\n").features, Lines{"a"});
}

TEST_F(LongTable, ReadsWithoutAHeaderWhereAsked) {
  const std::string text = "1\t0.5\t5\n1\t0.25\t6\n2\t7\t7\n";
  EXPECT_EQ(sequences(text, {.layout = Layout::kLong, .id = "1"}),
            (Lines{"1@1: 0.5 5 | 0.25 6 -> ", "2@3: 7 7 -> "}));
}

// Those of the first million sequences are known, however many follow.
TEST_F(LongTable, AnIdThatComesAgainLate) {
  std::string text = "id,u\n";
  for (int i = 0; i < (1 << 20) + 10; ++i) text += fmt::format("{},1\n", i);
  EXPECT_EQ(refusal(text + "5,1\n", {.layout = Layout::kLong, .id = "id"}),
            ":1048588:1: found the id \"5\" again, first seen on line 7, expected the rows of a "
            "sequence to be consecutive: sort the table by id");
}

// Any cells, in any equivalent notation.
TEST_F(LongTable, AnyTableReadsAsItWasWritten) {
  const bool holds = rc::check("a table reads as it was written", [&] {
    const char separator = *rc::gen::element(',', ';', '\t');
    const std::string end = *rc::gen::element<std::string>("\n", "\r\n");
    const auto quoted = [&](const std::string& text, bool must) {
      if (!must && !*rc::gen::arbitrary<bool>()) return text;
      std::string in_quotes = "\"";
      for (const char c : text) in_quotes += c == '"' ? "\"\"" : std::string(1, c);
      return in_quotes + "\"";
    };
    const auto row = [&](const Lines& cells, bool must) {
      Lines texts;
      for (const std::string& cell : cells) texts.push_back(quoted(cell, must));
      return fmt::to_string(fmt::join(texts, std::string(1, separator))) + end;
    };
    std::string text = *rc::gen::element<std::string>("", "\xEF\xBB\xBF", "# made by a test\n");
    text += row({"id", "step", "a", "b", "class"}, false);
    Lines expected;
    const int series = *rc::gen::inRange(1, 6);
    for (int i = 0; i < series; ++i) {
      // Characters that would end a field or a row are quoted.
      const auto letters = rc::gen::element('a', 'b', '"', ',', ';', '\t', '\n', ' ', '|');
      const std::string id = fmt::format("s{}{}e", i, *rc::gen::container<std::string>(letters));
      const std::string label = *rc::gen::element<std::string>("x", "y");
      const int steps = *rc::gen::inRange(2, 5);
      Lines numbers;
      const std::size_t line = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
      for (int step = 0; step < steps; ++step) {
        const float a = *rc::gen::arbitrary<float>(), b = *rc::gen::arbitrary<float>();
        text += quoted(id, true) + separator +
                row({std::to_string(step), fmt::to_string(a), fmt::to_string(b), label}, false);
        numbers.push_back(fmt::format("{} {}", a, b));
      }
      expected.push_back(
          fmt::format("{}@{}: {} -> {}", id, line, fmt::join(numbers, " | "), label));
    }
    RC_LOG(text);
    RC_ASSERT(sequences(text) == expected);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace rwa::formats
