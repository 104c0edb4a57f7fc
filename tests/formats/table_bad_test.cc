// tests/formats/table_bad_test.cc: errors in a table name file, line, column, found and expected.
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
  EXPECT_EQ(refusal("id,a,b\n"), ":1: found no rows below the header, expected at least one");
  EXPECT_EQ(refusal("id,a,b\r\n\r\n"), ":2: found no rows below the header, expected at least one");
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
  EXPECT_EQ(refusal("a;b\n1,5;2\n2,5;3.5\n"),
            ":3:5: found \"3.5\", expected a number: use --decimal . if . is the decimal mark");
  EXPECT_EQ(refusal("a;b\n1.5;2\n2.5;3,5\n1.5;2\n"),
            ":3:5: found \"3,5\", expected a number: use --decimal , if , is the decimal mark");
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

// Line numbers count line breaks inside quotes.
TEST_F(BadTable, BelowLineBreaksInQuotes) {
  EXPECT_EQ(refusal("id,a,b\n\"x\n\ny\",1,2\n\"x\n\ny\",1,zwei\nz,5,6\n", {.id = "id"}),
            ":7:6: found \"zwei\", expected a number");
}

TEST_F(BadTable, Quotes) {
  EXPECT_EQ(refusal("a,b\n1,2\n3,\"4\n5,6\n"),
            ":3:3: found an unclosed quote, expected a closing quote: nothing after it is read");
  EXPECT_EQ(refusal("\"a,b\n1,2\n"),
            ":1:1: found an unclosed quote, expected a closing quote: nothing after it is read");
  EXPECT_EQ(refusal("a,b\n1,2\n\"3\"x,4\n"),
            ":3:4: found \"x,4\" after a closing quote, expected a delimiter");
}

TEST_F(BadTable, RowsThatAreTooLong) {
  const std::string half(std::size_t{5} << 20, 'x');
  EXPECT_EQ(refusal("a,b\n1,2\n" + half + half + ",4\n"),
            ":3:8388609: found a line of more than 8 MiB, expected at most that: a long series "
            "needs a row per step");
  EXPECT_EQ(refusal("a,b\n1,2\n3,\"" + half + "\n" + half + "\"\n"),
            ":3:3: found a row of more than 8 MiB, expected a closing quote before that: a long "
            "series needs a row per step");
}

TEST_F(BadTable, Bytes) {
  EXPECT_EQ(refusal(std::string_view("a,b\n1,2\n3,\0\n", 12)),
            ":3:3: found a zero byte (NUL), expected text, .npy, .npz or IDX");
  EXPECT_EQ(refusal("text,class\nab,x\na\xFF,y\n"),
            ":3:2: found the byte 0xff, expected UTF-8 text: convert the file, such as with iconv");
  EXPECT_EQ(refusal("a,\xFF\n1,2\n"),
            ":1:3: found the byte 0xff, expected UTF-8 text: convert the file, such as with iconv");
}

TEST_F(BadTable, NamesThatComeTwice) {
  EXPECT_EQ(refusal("a,b,a\n1,2,3\n"),
            ":1:5: found a second column \"a\", expected unique column names");
}

TEST_F(BadTable, LabelsThatContradictThemselves) {
  EXPECT_EQ(
      refusal("id,a,label\n1,5,x\n1,6,x\n1,7,y\n2,8,y\n", {.task = Target::kClass}),
      ":4:5: found \"y\", expected \"x\" as on line 2, where the sequence begins; for a target "
      "per row, use --task class-per-step or numbers-per-step");
  // The first MiB shows one target per sequence.
  std::string late = "id,a,label\n";
  for (int i = 0; i < 200'000; ++i) late += fmt::format("{},5,{}\n", i / 2, i / 2 % 2);
  EXPECT_EQ(
      refusal(late + "x,5,0\nx,5,1\n"),
      ":200003:5: found \"1\", expected \"0\" as on line 200002, where the sequence begins; for "
      "a target per row, use --task class-per-step or numbers-per-step");
}

TEST_F(BadTable, AnswersThatAreMissing) {
  EXPECT_EQ(refusal("id,a,label\n1,5,x\n2,6,\n3,7,x\n"),
            ":3:5: found an empty field, expected a label");
  EXPECT_EQ(refusal("id,a,label\n1,5,x\n2,6,?\n3,7,x\n"), ":3:5: found \"?\", expected a label");
  EXPECT_EQ(refusal("id,a,label\n1,5,0\n2,6,NaN\n3,7,0\n4,7,0\n"),
            ":3:5: found \"NaN\", expected a label");
  EXPECT_EQ(refusal("id,a,y\n1,5,0.5\n2,6,NA\n3,7,1\n"), ":3:5: found \"NA\", expected a number");
  EXPECT_EQ(
      refusal("id,a,p,q\n1,5,0,1\n2,6,0,2\n", {.task = Target::kLabels, .targets = {"p", "q"}}),
      ":3:7: found \"2\", expected 0 or 1");
  EXPECT_EQ(refusal("id,s\n1,a\n1,\n1,a\n"), ":3:3: found an empty field, expected a symbol");
}

TEST_F(BadTable, RowsOutOfOrder) {
  EXPECT_EQ(
      refusal("id,a\nx,1\nx,2\ny,3\ny,4\nx,5\n"),
      ":6:1: found the id \"x\" again, first seen on line 2, expected the rows of a sequence to be "
      "consecutive: sort the table by id");
  EXPECT_EQ(refusal("id,t,a\n1,1,1\n1,2,2\n1,1.5,3\n"),
            ":4:3: found \"1.5\", expected a time no earlier than \"2\" in the row above: sort the "
            "rows of each sequence by time");
  EXPECT_EQ(refusal("t,a\n1600000002,1\n1600000001,2\n"),
            ":3:1: found \"1600000001\", expected a time no earlier than \"1600000002\" in the row "
            "above: "
            "sort the table by time, or use --id if it has several sequences");
  EXPECT_EQ(refusal("t,a\n2020-01-02,1\n2020-01-01,2\n"),
            ":3:1: found \"2020-01-01\", expected a time no earlier than \"2020-01-02\" in the row "
            "above: sort the table by time, or use --id if it has several sequences");
  EXPECT_EQ(refusal("t,a\n1,1\n,2\n3,3\n"),
            ":3:1: found an empty field, expected a time as in other rows (numbers)");
  EXPECT_EQ(refusal("id,a\nx,1\nx,2\n,3\n"), ":4:1: found an empty field, expected an id");
}

TEST_F(BadTable, WithoutFeatures) {
  EXPECT_EQ(refusal("id,t\n1,0\n1,1\n"),
            ": found no feature column, expected numbers or symbols in one of: id, t");
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
            ": --task forecast takes no --target");
  EXPECT_EQ(
      refusal<ConfigError>("id,a,p,y\n1,5,0,1\n", {.task = Target::kClass, .targets = {"y", "p"}}),
      ": --task class takes one target, found 2");
  EXPECT_EQ(refusal<ConfigError>("id,a\n1,5\n1,6\n", {.task = Target::kClass}),
            ": --task class needs a target, found no target column: use --target NAME");
  EXPECT_EQ(
      refusal<ConfigError>("1\t2\t3\n1\t3\t4\n", {.task = Target::kClassPerStep}),
      ": --task class-per-step needs a row per step (--layout long), found a row per sequence");
  EXPECT_EQ(refusal<ConfigError>("id,a,p,q\n1,5,x,0\n1,6,x,0\n", {.targets = {"p", "q"}}),
            ": found text in the target \"p\", expected numbers: text is allowed only in a single "
            "target");
}

TEST_F(BadTable, PackedFilesThatAreCut) {
  const std::string packed = io::gzip("a,b\n1,2\n3,4\n");
  EXPECT_EQ(sequences(packed), Lines{"1@2: 1 2 | 3 4 -> "});
  EXPECT_EQ(refusal(packed.substr(0, packed.size() - 3)),
            fmt::format(": the gzip data is truncated: found the end of the file after {} bytes, "
                        "expected more",
                        packed.size() - 3));
}

}  // namespace
}  // namespace rwa::formats
