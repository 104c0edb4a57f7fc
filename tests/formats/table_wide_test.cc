// tests/formats/table_wide_test.cc: tables with a row per sequence.
#include <gtest/gtest.h>

#include "table_testing.h"

namespace rwa::formats {
namespace {

using WideTable = Tables;

TEST_F(WideTable, TheFirstColumnOfUcrIsTheClass) {
  const DataSet found = read("1\t0.5\t1.5\t2\n2\t1\t2\t3\n1\t4\t5\t6\n2\t7\t8\t9\n");
  EXPECT_EQ(found.sequences, (Lines{"1@1: 0.5 | 1.5 | 2 -> 1", "2@2: 1 | 2 | 3 -> 2",
                                    "3@3: 4 | 5 | 6 -> 1", "4@4: 7 | 8 | 9 -> 2"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kTable,
                                  .layout = Layout::kWide,
                                  .features = {"x"},
                                  .target = Target::kClass,
                                  .targets = {"1"}}));
}

TEST_F(WideTable, TheOldFilesOfUcrHaveBlanksAndFractions) {
  EXPECT_EQ(sequences("   1.0000000e+00  -4.5e-01   2.5\n  -1.0000000e+00   1.25   3\n"
                      "   1.0000000e+00   7   8\n  -1.0000000e+00   9   10\n"),
            (Lines{"1@1: -0.45 | 2.5 -> 1", "2@2: 1.25 | 3 -> -1", "3@3: 7 | 8 -> 1",
                   "4@4: 9 | 10 -> -1"}));
}

TEST_F(WideTable, TheClassMayBeAWordAndStandLast) {
  EXPECT_EQ(sequences("up,1,2\ndown,3,4\nup,5,6\ndown,7,8\n").at(1), "2@2: 3 | 4 -> down");
  EXPECT_EQ(sequences("1.5,1,up\n3,4,down\n5,6,up\n7,8,down\n").at(1), "2@2: 3 | 4 -> down");
  EXPECT_EQ(schema("1.5,1\n3,4\n5,6\n7,8\n").target, Target::kNone);
}

TEST_F(WideTable, WhatIsMissingAtTheEndWasNeverThere) {
  EXPECT_EQ(sequences("1\t1\t?\t3\n2\t1\t\t\n1\t\tNaN\tNaN\n2\t1\t2\tNaN\n"),
            (Lines{"1@1: 1 | ? | 3 -> 1", "2@2: 1 -> 2", "3@3:  -> 1", "4@4: 1 | 2 -> 2"}));
}

TEST_F(WideTable, NumberedColumnsAreSteps) {
  const DataSet found =
      read("id,age,label,t0,t1,t2,t3\na,30,x,1,2,3,4\nb,40,y,5,6,7,8\n", {.layout = Layout::kWide});
  EXPECT_EQ(found.sequences, (Lines{"a@2: 1 | 2 | 3 | 4 -> x", "b@3: 5 | 6 | 7 | 8 -> y"}));
  EXPECT_EQ(found.schema.id, "id");
  EXPECT_EQ(schema("8,9,10,class\n1,2,3,x\n4,5,6,y\n").layout, Layout::kWide);
  EXPECT_EQ(schema("v08,v09,v10\n1,2,3\n4,5,6\n").layout, Layout::kWide);
  EXPECT_EQ(schema("v08,v10,v09\n1,2,3\n4,5,6\n").layout, Layout::kLong);
  EXPECT_EQ(schema("v1,w2,v3\n1,2,3\n4,5,6\n").layout, Layout::kLong);
  EXPECT_EQ(schema("v1,v2\n1,2\n4,5\n").layout, Layout::kLong);
}

TEST_F(WideTable, ManyColumnsOfNumbersAreSteps) {
  Lines names, numbers;
  for (int i = 0; i < 20; ++i) {
    names.push_back(fmt::format("n{}", i * i));
    numbers.push_back(std::to_string(i));
  }
  const auto table = [&] {
    return fmt::format("{}\n{}\n", fmt::join(names, ","), fmt::join(numbers, ","));
  };
  EXPECT_EQ(schema(table()).layout, Layout::kWide);
  names.pop_back();
  numbers.pop_back();
  EXPECT_EQ(schema(table()).layout, Layout::kLong);
}

TEST_F(WideTable, ATextIsASequenceOfLetters) {
  const DataSet found = read(
      "name,language\nAbe,Japanese\nÜn,Turkish\nAbé,French\nAo,Japanese\n"
      "Kurt,Turkish\nLouis,French\n");
  EXPECT_EQ(found.sequences.at(0), "1@2: A | b | e -> Japanese");
  EXPECT_EQ(found.sequences.at(1), "2@3: Ü | n -> Turkish");
  EXPECT_EQ(found.sequences.at(2), "3@4: A | b | é -> French");
  EXPECT_EQ(found.schema, (Schema{.format = Format::kTable,
                                  .layout = Layout::kWide,
                                  .symbols = true,
                                  .features = {"name"},
                                  .target = Target::kClass,
                                  .targets = {"language"}}));
}

TEST_F(WideTable, ATextIsFoundAmongOthers) {
  EXPECT_EQ(sequences("class,name,sequence\n+,S10,ACGT\n-,AMPC,TTGA\n").at(1),
            "2@3: T | T | G | A -> -");
  EXPECT_EQ(sequences("id,sequence,activity\n1,ACGT,0.5\n2,TTGA,0.75\n").at(1),
            "2@3: T | T | G | A -> 0.75");
  EXPECT_EQ(schema("label,review\ngood,what a film\nbad,what a waste\n").features, Lines{"review"});
  EXPECT_EQ(sequences("good\twhat\nbad\tnot\ngood\tyes\nbad\tno\n").at(1), "2@2: n | o | t -> bad");
}

TEST_F(WideTable, LettersOfATextMayBeTakenTogether) {
  EXPECT_EQ(sequences("sequence,class\nACGT,a\nGG,b\n", {.kmer = 3}),
            (Lines{"1@2: ACG | CGT -> a", "2@3: GG -> b"}));
}

TEST_F(WideTable, ATextMayHoldSeparatorsLinesAndBlanks) {
  EXPECT_EQ(sequences("text,class\n\"a,\nb\",x\n\" \"\"\",y\n"),
            (Lines{"1@2: a | , | \n | b -> x", "2@4:   | \" -> y"}));
}

TEST_F(WideTable, SeveralLabelsAndNumbersAreAnswersToo) {
  EXPECT_EQ(sequences("text,labels\nab,x|y\ncd,\nef,y\n"),
            (Lines{"1@2: a | b -> x y", "2@3: c | d -> ", "3@4: e | f -> y"}));
  EXPECT_EQ(sequences("text,p,q\nab,1.5,2\ncd,3,4\n", {.targets = {"q", "p"}}),
            (Lines{"1@2: a | b -> 2 1.5", "2@3: c | d -> 4 3"}));
}

TEST_F(WideTable, TheLayoutCanBeAskedFor) {
  EXPECT_EQ(sequences("a,b,c\n1,2,3\n4,5,6\n", {.layout = Layout::kWide}),
            (Lines{"1@2: 1 | 2 | 3 -> ", "2@3: 4 | 5 | 6 -> "}));
  EXPECT_EQ(sequences("t0,t1,t2\n1,2,3\n4,5,6\n", {.layout = Layout::kLong}),
            Lines{"1@2: 1 2 3 | 4 5 6 -> "});
  EXPECT_EQ(sequences("t0,t1,t2\n1,2,3\n4,5,6\n", {.features = {"t2"}}), Lines{"1@2: 3 | 6 -> "});
  EXPECT_EQ(refusal<ConfigError>("a,b\n1,2\n", {.layout = Layout::kNct}),
            ": found --layout nct for a table, expected long or wide");
  EXPECT_EQ(refusal<ConfigError>("a,b\n1,2\n", {.layout = Layout::kWide, .features = {"a"}}),
            ": found --features for a wide table, whose columns are the steps of one feature: use "
            "--layout long");
}

TEST_F(WideTable, WhatIsWrongFurtherOnComesInItsTurn) {
  io::put(file_, "1\t2\t3\n1\t5\tx\n");
  const auto reader =
      open_table(std::make_unique<Source>(file_), {}, std::make_shared<Vocabulary>());
  Sequence sequence;
  EXPECT_TRUE(reader->next(sequence));
  io::expect_error<InputError>([&] { reader->next(sequence); }, {":2:5: found \"x\""});
}

// Longer than the sample used for guessing.
TEST_F(WideTable, RowsMayBeLong) {
  constexpr std::size_t kSteps = 300'000;
  std::string text = "label";
  for (std::size_t i = 0; i < kSteps; ++i) text += fmt::format(",{}", i);
  for (const char* label : {"x", "y"}) {
    text.append("\n").append(label);
    for (std::size_t i = 0; i < kSteps; ++i) text += ",1";
  }
  const Lines found = sequences(text);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[1].size(), std::string_view("2@3:  -> y").size() + 4 * kSteps - 3);
}

}  // namespace
}  // namespace rwa::formats
