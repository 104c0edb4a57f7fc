// tests/formats/table_rows_test.cc: the dialect of a table does not change its content.
#include <gtest/gtest.h>

#include "table_testing.h"

namespace rwa::formats {
namespace {

using Dialects = Tables;

TEST_F(Dialects, TheSeparatorIsRecognised) {
  const Lines expected{"x@2: 1 -2.5 | 3 4 -> a", "y@4: 5 6 -> b"};
  EXPECT_EQ(sequences("id,p,q,label\nx,1,-2.5,a\nx,3,4,a\ny,5,6,b\n"), expected);
  EXPECT_EQ(sequences("id;p;q;label\nx;1;-2.5;a\nx;3;4;a\ny;5;6;b\n"), expected);
  EXPECT_EQ(sequences("id\tp\tq\tlabel\nx\t1\t-2.5\ta\nx\t3\t4\ta\ny\t5\t6\tb\n"), expected);
  EXPECT_EQ(sequences("id p q label\nx 1  -2.5 a\n x 3 4 a\ny\t5 6\tb \n"), expected);
}

TEST_F(Dialects, OthersStandInTexts) {
  EXPECT_EQ(sequences("text,label\n\"a;b\",x\n\"c;d\",y\n").at(0), "1@2: a | ; | b -> x");
  EXPECT_EQ(sequences("text\tlabel\na,b\tx\nc,d\ty\n").at(0), "1@2: a | , | b -> x");
  EXPECT_EQ(sequences("time,a\n2020-01-01 10:00:00,1\n2020-01-01 10:01:00,2\n"),
            Lines{"1@2: 1 | 2 -> "});
  EXPECT_EQ(sequences("text\na b\ncd\nefg h i\n").at(0), "1@2: a |   | b -> ");
}

TEST_F(Dialects, MarksAndEndsOfLinesDoNotMatter) {
  const Lines expected{"1@2: 1 2 | 3 4 -> "};
  EXPECT_EQ(sequences("a,b\n1,2\n3,4"), expected);
  EXPECT_EQ(sequences("a,b\r\n1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(sequences("\xEF\xBB\xBF"
                      "a,b\n1,2\n3,4\n"),
            expected);
  EXPECT_EQ(sequences("a,b\n1,2\n3,4\n\n\r\n  \n"), expected);
  EXPECT_EQ(schema("\xEF\xBB\xBF\"a\",b\n1,2\n3,4\n").features, (Lines{"a", "b"}));
}

TEST_F(Dialects, CommentsStandBeforeTheHeader) {
  EXPECT_EQ(sequences("# made by hand\n#\n\n#a,b,c\na,b\n1,2\n3,4\n"), Lines{"1@6: 1 2 | 3 4 -> "});
  EXPECT_EQ(refusal("a,b\n1,2\n#3,4\n5,6\n7,8\n"), ":3:1: found \"#3\", expected a number");
}

TEST_F(Dialects, QuotesAreTakenOff) {
  EXPECT_EQ(sequences("\"id\",\"a \"\"b\"\"\"\n\"x,1\",\"2\"\n\"x,1\", \"3\" \n\"y\"\"\",4\n"),
            (Lines{"x,1@2: 2 | 3 -> ", "y\"@4: 4 -> "}));
  EXPECT_EQ(schema("\"id\",\"a \"\"b\"\"\"\nx,2\nx,3\n").features, Lines{"a \"b\""});
  EXPECT_EQ(sequences("id,inch\n5\" pipe,1\n5\" pipe,2\n"), Lines{"5\" pipe@2: 1 | 2 -> "});
  EXPECT_EQ(sequences("\"a b\" c\n1 \"2\"\n\"3\" 4\n"), Lines{"1@2: 1 2 | 3 4 -> "});
}

TEST_F(Dialects, AHeaderIsRecognised) {
  EXPECT_EQ(schema("a,b\n1,2\n").features, (Lines{"a", "b"}));
  EXPECT_EQ(schema("1,b\n1,2\n").features, (Lines{"1", "b"}));  // fewer numbers than below
  EXPECT_EQ(schema("label,0,1,2\nx,4,5,6\ny,7,8,9\n").targets, Lines{"label"});
  EXPECT_EQ(schema("word,kind\nred,a\nblue,b\ngreen,a\npink,b\n").targets, Lines{"kind"});
  EXPECT_EQ(schema("red,a\nblue,b\ngreen,a\npink,b\n").targets, Lines{"2"});  // a repeats
  EXPECT_EQ(schema("1,2\n3,4\n").features, Lines{"x"});
}

}  // namespace
}  // namespace rwa::formats
