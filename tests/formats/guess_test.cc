// tests/formats/guess_test.cc: what is guessed from the beginning of a file.
#include "formats/guess.h"

#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"

namespace rwa::formats {
namespace {

Target guess(std::initializer_list<std::string_view> answers) {
  TargetGuess guess;
  for (const std::string_view answer : answers) guess.see(answer);
  return guess.target();
}

TEST(TargetGuess, NamesAreClasses) {
  EXPECT_EQ(guess({"up", "down"}), Target::kClass);
  EXPECT_EQ(guess({"0.5", "down"}), Target::kClass);
}

TEST(TargetGuess, FewWholeNumbersThatComeAgainAreClasses) {
  EXPECT_EQ(guess({"1", "2", "1", "2"}), Target::kClass);
  EXPECT_EQ(guess({"1", "2", "1"}), Target::kNumbers);
  EXPECT_EQ(guess({"-1", "1.0", "-1", "1"}), Target::kClass);
  EXPECT_EQ(guess({"1", "2.5", "1", "2.5"}), Target::kNumbers);
  EXPECT_EQ(guess({"1", "1e400", "1", "1e400"}), Target::kNumbers);
  for (const int classes : {20, 21}) {
    TargetGuess many;
    for (int i = 0; i < 1000; ++i) many.see(std::to_string(i % classes));
    EXPECT_EQ(many.target(), classes == 20 ? Target::kClass : Target::kNumbers);
  }
}

TEST(TargetGuess, WhatIsMissingSaysNothing) {
  EXPECT_EQ(guess({}), Target::kNone);
  EXPECT_EQ(guess({"", "?", "NA"}), Target::kNone);
  EXPECT_EQ(guess({"0.5", "?"}), Target::kNumbers);
}

class Beginning : public ::testing::Test {
 protected:
  std::string beginning_of(std::string_view text) {
    io::put(folder_.path() / "x", text);
    Source source(folder_.path() / "x");
    return std::string(beginning(source));
  }

  static constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  io::TempFolder folder_;
};

TEST_F(Beginning, OfASmallFileIsTheWhole) {
  EXPECT_EQ(beginning_of(""), "");
  EXPECT_EQ(beginning_of("a\nb"), "a\nb");
  EXPECT_EQ(beginning_of("\xEF\xBB\xBF"
                         "a\n"),
            "a\n");
}

TEST_F(Beginning, HasWholeLines) {
  const std::string line(1000, 'a');
  std::string text;
  while (text.size() < 2 * kMebibyte) text += line + "\n";
  const std::string found = beginning_of(text);
  EXPECT_EQ(found.size(), kMebibyte / 1001 * 1001);
  EXPECT_TRUE(text.starts_with(found));
}

TEST_F(Beginning, HasALineHoweverLong) {
  const std::string line(3 * kMebibyte, 'a');
  EXPECT_TRUE(beginning_of(line + "\nb\n") == line + "\n");
  EXPECT_TRUE(beginning_of(line) == line);
}

TEST(NextLine, TakesLinesOff) {
  std::string_view lines = "a\r\n\nb", line;
  ASSERT_TRUE(next_line(lines, line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(next_line(lines, line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(next_line(lines, line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(next_line(lines, line));
}

}  // namespace
}  // namespace rwa::formats
