// tests/formats/match_test.cc: guesses whether targets are classes or numbers.
#include "formats/match.h"

#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rwa::formats
