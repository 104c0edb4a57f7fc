// tests/formats/table_bad_test.cc: what is wrong in a table is named: file, line, column, found,
// expected.
#include <gtest/gtest.h>

#include "io/gzip_testing.h"
#include "table_testing.h"

namespace rwa::formats {
namespace {

using BadTable = Tables;

TEST_F(BadTable, WithoutRows) {
  EXPECT_EQ(refusal(""), ":1: found no rows, expected at least one");
  EXPECT_EQ(refusal("\xEF\xBB\xBF"), ":1: found no rows, expected at least one");
  EXPECT_EQ(refusal("\n\n# nothing\n"), ":3: found no rows, expected at least one");
  EXPECT_EQ(refusal("id,a,b\n"), ":1: found no row below the header, expected at least one");
  EXPECT_EQ(refusal("id,a,b\r\n\r\n"), ":2: found no row below the header, expected at least one");
}

TEST_F(BadTable, RaggedRows) {
  EXPECT_EQ(refusal("a,b,c,d\n1,2,3,4\n1,2,3\n1,2,3,4\n"), ":3: found 3 fields, expected 4");
  EXPECT_EQ(refusal("a,b\n1,2\n1,2,3\n1,2\n"), ":3: found 3 fields, expected 2");
  EXPECT_EQ(refusal("a,b\n1,2,3\n1,2,3\n1,2,3\n"), ":2: found 3 fields, expected 2");
  EXPECT_EQ(refusal("a,b\n1,2\n1,2,3\n1,2,3\n1,2,3\n"), ":3: found 3 fields, expected 2");
  EXPECT_EQ(refusal("1 2 3\n1 2 3\n1 2\n"), ":3: found 2 fields, expected 3");
  EXPECT_EQ(refusal("1,2,3\n1,2,3\n1\n"), ":3: found 1 field, expected 3");
  EXPECT_EQ(refusal("1,2\n1,2,3\n4,5,6\n"), ":1: found 2 fields, expected 3");
  EXPECT_EQ(refusal("a,b\n\"1\n\",2\n\"1\n\",2,3\n", {.layout = Layout::kLong}),
            ":4: found 3 fields, expected 2");
}

TEST_F(BadTable, EmptyLines) {
  EXPECT_EQ(refusal("a,b\n1,2\n\n3,4\n"), ":3: found an empty line, expected 2 fields");
  EXPECT_EQ(refusal("a\n1\n  \n\n3\n"), ":4: found an empty line, expected 1 field");
}

TEST_F(BadTable, WhatIsNotANumber) {
  EXPECT_EQ(refusal("a,b\n1,2\n3, abc \n5,6\n"), ":3:3: found \"abc\", expected a number");
  EXPECT_EQ(refusal("ä,ö\n1,2\nüü,4\n5,6\n"), ":3:1: found \"üü\", expected a number");
  EXPECT_EQ(refusal("id,a\nüü,2\nüü,x\nüü,3\nv,5\n"), ":3:4: found \"x\", expected a number");
  EXPECT_EQ(refusal("a;b\n1,5;2\n2,5;3\n"), ":2:1: found \"1,5\", expected a number");
  EXPECT_EQ(refusal("1\t2\t3\n2\t5\tx\n1\t5\t6\n2\t5\t6\n"),
            ":2:5: found \"x\", expected a number");
  EXPECT_EQ(refusal("a,b\n1,2\n\"3\",\"\"\"4\"\n5,6\n"),
            ":3:6: found \"\\\"4\", expected a number");
}

TEST_F(BadTable, NumbersThatAreTooLarge) {
  EXPECT_EQ(refusal("a,b\n1,2\n3,1e400\n"),
            ":3:3: found \"1e400\", expected a number of at most 3.4e38");
  EXPECT_EQ(refusal("a,b\n1,2\n3,-inf\n"),
            ":3:3: found \"-inf\", expected a number of at most 3.4e38");
}

// A line of a row in quotes is the one that it is in.
TEST_F(BadTable, BelowLineBreaksInQuotes) {
  EXPECT_EQ(refusal("id,a,b\n\"x\n\ny\",1,2\n\"x\n\ny\",1,zwei\nz,5,6\n", {.id = "id"}),
            ":7:6: found \"zwei\", expected a number");
}

TEST_F(BadTable, Quotes) {
  EXPECT_EQ(refusal("a,b\n1,2\n3,\"4\n5,6\n"),
            ":3:3: found a quote that does not end, expected another quote");
  EXPECT_EQ(refusal("\"a,b\n1,2\n"),
            ":1:1: found a quote that does not end, expected another quote");
  EXPECT_EQ(refusal("a,b\n1,2\n\"3\"x,4\n"),
            ":3:4: found \"x,4\" after a closing quote, expected a separator");
}

TEST_F(BadTable, Bytes) {
  EXPECT_EQ(refusal(std::string_view("a,b\n1,2\n3,\0\n", 12)),
            ":3:3: found a zero byte, expected text");
  EXPECT_EQ(refusal("text,class\nab,x\na\xFF,y\n"),
            ":3:1: found the byte 0xff, expected text in UTF-8");
  EXPECT_EQ(refusal("a,\xFF\n1,2\n"), ":1:3: found the byte 0xff, expected text in UTF-8");
}

TEST_F(BadTable, NamesThatComeTwice) {
  EXPECT_EQ(refusal("a,b,a\n1,2,3\n"),
            ":1:5: found another column \"a\", expected names that differ");
}

TEST_F(BadTable, LabelsThatContradictThemselves) {
  EXPECT_EQ(refusal("id,a,label\n1,5,x\n1,6,x\n1,7,y\n2,8,y\n", {.task = Target::kClass}),
            ":4:5: found \"y\", expected \"x\" as in line 2, where the sequence begins");
  // The first MiB says that there is one for each sequence.
  std::string late = "id,a,label\n";
  for (int i = 0; i < 200'000; ++i) late += fmt::format("{},5,{}\n", i / 2, i / 2 % 2);
  EXPECT_EQ(refusal(late + "x,5,0\nx,5,1\n"),
            ":200003:5: found \"1\", expected \"0\" as in line 200002, where the sequence begins");
}

TEST_F(BadTable, AnswersThatAreMissing) {
  EXPECT_EQ(refusal("id,a,label\n1,5,x\n2,6,\n3,7,x\n"), ":3:5: found nothing, expected a label");
  EXPECT_EQ(refusal("id,a,label\n1,5,x\n2,6,?\n3,7,x\n"), ":3:5: found \"?\", expected a label");
  EXPECT_EQ(refusal("id,a,label\n1,5,0\n2,6,NaN\n3,7,0\n4,7,0\n"),
            ":3:5: found \"NaN\", expected a label");
  EXPECT_EQ(refusal("id,a,y\n1,5,0.5\n2,6,NA\n3,7,1\n"), ":3:5: found \"NA\", expected a number");
  EXPECT_EQ(
      refusal("id,a,p,q\n1,5,0,1\n2,6,0,2\n", {.task = Target::kLabels, .targets = {"p", "q"}}),
      ":3:7: found \"2\", expected 0 or 1");
  EXPECT_EQ(refusal("id,s\n1,a\n1,\n1,a\n"), ":3:3: found nothing, expected a symbol");
}

TEST_F(BadTable, RowsOutOfOrder) {
  EXPECT_EQ(
      refusal("id,a\nx,1\nx,2\ny,3\ny,4\nx,5\n"),
      ":6:1: found \"x\" again, which began in line 2, expected the rows of a sequence to stand "
      "together");
  EXPECT_EQ(refusal("id,t,a\n1,1,1\n1,2,2\n1,1.5,3\n"),
            ":4:3: found \"1.5\", expected a time not before 2, that of the row above");
  EXPECT_EQ(
      refusal("t,a\n1600000002,1\n1600000001,2\n"),
      ":3:1: found \"1600000001\", expected a time not before 1600000002, that of the row above");
  EXPECT_EQ(refusal("t,a\n2020-01-02,1\n2020-01-01,2\n"),
            ":3:1: found \"2020-01-01\", expected a time not before \"2020-01-02\", that of the "
            "row above");
  EXPECT_EQ(refusal("t,a\n1,1\n,2\n3,3\n"), ":3:1: found nothing, expected a time as a number");
  EXPECT_EQ(refusal("id,a\nx,1\nx,2\n,3\n"), ":4:1: found nothing, expected an id");
}

TEST_F(BadTable, WithoutFeatures) {
  EXPECT_EQ(refusal("id,t\n1,0\n1,1\n"),
            ": found no column of numbers or symbols, expected one among: id, t");
}

TEST_F(BadTable, OptionsThatDoNotFit) {
  const std::string text = "id,temperature,y\n1,5,0\n1,6,1\n";
  EXPECT_EQ(refusal<ConfigError>(text, {.targets = {"temperatur"}}),
            ": has no column \"temperatur\", did you mean temperature?");
  EXPECT_EQ(refusal<ConfigError>(text, {.features = {"\x1B[31m"}}),
            ": has no column \"\\x1b[31m\", expected one of: id, temperature, y");
  EXPECT_EQ(refusal<ConfigError>(text, {.id = "series"}),
            ": has no column \"series\", expected one of: id, temperature, y");
  EXPECT_EQ(refusal<ConfigError>(text, {.time = "tyme"}),
            ": has no column \"tyme\", expected one of: id, temperature, y");
  EXPECT_EQ(refusal<ConfigError>(text, {.task = Target::kNone, .targets = {"y"}}),
            ": the task forecast has no target, found one");
  EXPECT_EQ(
      refusal<ConfigError>("id,a,p,y\n1,5,0,1\n", {.task = Target::kClass, .targets = {"y", "p"}}),
      ": the task class has one target, found 2");
  EXPECT_EQ(
      refusal<ConfigError>("id,a\n1,5\n1,6\n", {.task = Target::kClass}),
      ": the task class needs a target, found no column called target, label, class or y: name "
      "the one to take");
  EXPECT_EQ(
      refusal<ConfigError>("1\t2\t3\n1\t3\t4\n", {.task = Target::kClassPerStep}),
      ": the task class-per-step needs a table with a row for each step, found one with a row "
      "for each sequence");
  EXPECT_EQ(refusal<ConfigError>("id,a,p,q\n1,5,x,0\n1,6,x,0\n", {.targets = {"p", "q"}}),
            ": the target \"p\" is not a column of numbers, expected such where there are several "
            "targets");
}

TEST_F(BadTable, PackedFilesThatAreCut) {
  const std::string packed = io::gzip("a,b\n1,2\n3,4\n");
  EXPECT_EQ(sequences(packed), Lines{"1@2: 1 2 | 3 4 -> "});
  EXPECT_EQ(refusal(packed.substr(0, packed.size() - 3)),
            fmt::format(": the gzip data are cut short: found the end of the file after {} bytes, "
                        "expected more",
                        packed.size() - 3));
}

}  // namespace
}  // namespace rwa::formats
