// tests/formats/table_match_test.cc: tables matched to the columns of a model.
#include <gtest/gtest.h>

#include "table_testing.h"

namespace rwa::formats {
namespace {

class MatchedTable : public Tables {
 protected:
  // The schema that a model remembers from its training data.
  Options as(std::string_view text, const Options& options = {}) {
    return {.as = read(text, options).schema};
  }
};

constexpr std::string_view kLong = "id,t,a,b,label\n1,0,5,6,x\n1,1,7,8,x\n2,0,9,10,y\n";
constexpr std::string_view kWide = "1\t0.5\t2\n2\t1\t3\n1\t4\t5\n2\t7\t8\n";

TEST_F(MatchedTable, ColumnsAreFoundByTheirNames) {
  const Options model = as(kLong);
  EXPECT_EQ(sequences("b;label;noise;a;t;id\n6;x;0;5;0;1\n8;x;1;7;1;1\n", model),
            Lines{"1@2: 5 6 | 7 8 -> x"});
  EXPECT_EQ(schema("b;label;noise;a;t;id\n6;x;0;5;0;1\n", model), *model.as);
}

TEST_F(MatchedTable, AnswersIdsAndTimesMayBeMissing) {
  EXPECT_EQ(sequences("id,a,b\n1,5,6\n1,7,8\n2,1,2\n", as(kLong)),
            (Lines{"1@2: 5 6 | 7 8 -> ", "2@4: 1 2 -> "}));
  EXPECT_EQ(sequences("a,b\n5,6\n7,8\n", as(kLong)), Lines{"1@2: 5 6 | 7 8 -> "});
  EXPECT_EQ(sequences("id,a,b,label\n1,5,6,?\n1,7,8,?\n2,1,2,x\n3,1,2,\n", as(kLong)),
            (Lines{"1@2: 5 6 | 7 8 -> ", "2@4: 1 2 -> x", "3@5: 1 2 -> "}));
}

TEST_F(MatchedTable, ARowThatIsASequenceHasNoAnswersToItsSteps) {
  const Options model{
      .as = Schema{.features = {"a"}, .target = Target::kNumbersPerStep, .targets = {"y", "z"}}};
  EXPECT_EQ(sequences("u,v,y,z\n1,2,3,4\n", model), Lines{"1@2: 1 | 2 -> "});
}

TEST_F(MatchedTable, AFeatureIsOneWhateverItIsCalled) {
  const Options model = as("t,y,a\n3,1,5\n2,2,6\n1,2,7\n", {.features = {"t", "y"}});
  EXPECT_EQ(sequences("t,y\n3,1\n2,2\n", model), Lines{"1@2: 3 1 | 2 2 -> "});
}

TEST_F(MatchedTable, AnswersCanBeLeftOut) {
  Options model = as(kLong);
  model.task = Target::kNone;
  EXPECT_EQ(sequences(kLong, model).at(1), "2@4: 9 10 -> ");
}

TEST_F(MatchedTable, MissingFeaturesAreNamed) {
  EXPECT_EQ(refusal("id,c,label\n1,5,x\n", as(kLong)),
            ": lacks the columns a, b, which the model needs; the model does not know c");
  EXPECT_EQ(refusal("id,t,b\n1,0,5\n", as(kLong)), ": lacks the column a, which the model needs");
  EXPECT_EQ(refusal("id,language\n1,x\n", as("name,language\nAbe,x\nBob,y\n")),
            ": lacks the column name, which the model needs");
}

TEST_F(MatchedTable, TheKindOfAnswersIsTheModels) {
  EXPECT_EQ(refusal("id,a,b,label\n1,5,6,x\n1,7,8,y\n", as(kLong)),
            ":3:7: found \"y\", expected \"x\" as on line 2, where the sequence begins");
  EXPECT_EQ(sequences("id,a,y\n1,5,0\n1,6,1\n", as("id,a,y\n1,5,0.5\n1,6,0.25\n")),
            Lines{"1@2: 5 | 6 -> 0 1"});
  EXPECT_EQ(refusal("id,a,y\n1,5,x\n1,6,x\n", as("id,a,y\n1,5,0.5\n1,6,0.25\n")),
            ":2:5: found \"x\", expected a number");
}

TEST_F(MatchedTable, WithoutAHeaderTheOrderIsTrusted) {
  EXPECT_EQ(sequences("5,6\n7,8\n", as(kLong)), Lines{"1@1: 5 6 | 7 8 -> "});
  EXPECT_EQ(sequences("9,0,5,6,x\n9,1,7,8,x\n", as(kLong)), Lines{"9@1: 5 6 | 7 8 -> x"});
  EXPECT_EQ(refusal("5,6,7\n8,9,10\n", as(kLong)),
            ": found 3 columns and no header, expected the 2 features of the model: a, b");
}

TEST_F(MatchedTable, WideTablesMayHaveAnyNumberOfSteps) {
  EXPECT_EQ(sequences("1,0.5,2,3,4\n2,1,2,3,4\n", as(kWide)),
            (Lines{"1@1: 0.5 | 2 | 3 | 4 -> 1", "2@2: 1 | 2 | 3 | 4 -> 2"}));
  EXPECT_EQ(sequences("0.25,0.5\n1,2\n", as(kWide)),
            (Lines{"1@1: 0.25 | 0.5 -> ", "2@2: 1 | 2 -> "}));
  EXPECT_EQ(sequences("class,t1,t2\n1,5,6\n", as(kWide)), Lines{"1@2: 5 | 6 -> 1"});
}

TEST_F(MatchedTable, AModelMayBeMadeOfAnotherFormat) {
  const Options ts{.as = Schema{.format = Format::kTs,
                                .features = {"x"},
                                .target = Target::kClass,
                                .targets = {"class"}}};
  EXPECT_EQ(sequences("5,6,7\n8,9,10\n", ts), (Lines{"1@1: 5 | 6 | 7 -> ", "2@2: 8 | 9 | 10 -> "}));
  EXPECT_EQ(sequences("id,x,label\n1,5,a\n1,6,a\n", ts), Lines{"1@2: 5 | 6 -> a"});
  const Options fasta{
      .as = Schema{.format = Format::kFasta, .symbols = true, .target = Target::kClass}};
  EXPECT_EQ(sequences("name,sequence,class\nS10,ACG,+\nS11,TTG,-\n", fasta),
            (Lines{"1@2: A | C | G -> +", "2@3: T | T | G -> -"}));
}

// Letters may look like numbers.
TEST_F(MatchedTable, ATextIsATextForAModelOfTexts) {
  const Options model = as("text,class\nab,x\ncd,y\n");
  EXPECT_EQ(sequences("text\n0110\n12\n", model),
            (Lines{"1@2: 0 | 1 | 1 | 0 -> ", "2@3: 1 | 2 -> "}));
}

}  // namespace
}  // namespace rwa::formats
