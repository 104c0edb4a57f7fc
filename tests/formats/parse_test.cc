// tests/formats/parse_test.cc: the same bits as std::from_chars, and other common notations.
#include "formats/parse.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rwa::formats {
namespace {

constexpr float kUntouched = 42;

float read(std::string_view text) {
  float value = kUntouched;
  EXPECT_EQ(parse_number(text, value), Number::kRead) << text;
  return value;
}

TEST(Numbers, AsPeopleWriteThem) {
  EXPECT_EQ(read("1"), 1.0F);
  EXPECT_EQ(read("+1"), 1.0F);
  EXPECT_EQ(read("-1.5"), -1.5F);
  EXPECT_EQ(read("1."), 1.0F);
  EXPECT_EQ(read(".5"), 0.5F);
  EXPECT_EQ(read("-.5"), -0.5F);
  EXPECT_EQ(read("  0.25\t"), 0.25F);
  EXPECT_EQ(read("007"), 7.0F);
  EXPECT_EQ(read("1e3"), 1000.0F);
  EXPECT_EQ(read("1E+03"), 1000.0F);
  EXPECT_EQ(read("1.5e-3"), 0.0015F);
  EXPECT_EQ(read(" 1.0000000e+00"), 1.0F);
  EXPECT_EQ(read("123456789012345678901234567890"), 123456789012345678901234567890.0F);
  EXPECT_EQ(read("0." + std::string(30, '0') + "1"), 1e-31F);
  EXPECT_EQ(read("1" + std::string(100, '0') + "e-100"), 1.0F);
  EXPECT_EQ(read("0e99999999999999999999"), 0.0F);
  EXPECT_TRUE(std::signbit(read("-0")));
  EXPECT_FALSE(std::signbit(read("0")));
}

TEST(Numbers, AtTheEndsOfTheRange) {
  EXPECT_EQ(read("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(read("-3.4028235e38"), std::numeric_limits<float>::lowest());
  EXPECT_EQ(read("1.1754944e-38"), std::numeric_limits<float>::min());
  EXPECT_EQ(read("1e-45"), std::numeric_limits<float>::denorm_min());
  for (const char* tiny : {"7e-46", "1e-60", "1e-400", "1e-99999999999999999999", "0.1e-999"}) {
    EXPECT_EQ(read(tiny), 0.0F);
    EXPECT_TRUE(std::signbit(read(std::string("-") + tiny)));
  }
  EXPECT_EQ(read("0." + std::string(500, '0') + "1"), 0.0F);
  for (const std::string& huge :
       {std::string("3.4028236e38"), std::string("1e39"), std::string("-1e39"),
        std::string("1e400"), std::string("1e99999999999999999999"), std::string("inf"),
        std::string("-Infinity"), "1" + std::string(500, '0'), "0.01e" + std::string("402"),
        std::string("9999999999999999999e22")}) {
    float value = kUntouched;
    EXPECT_EQ(parse_number(huge, value), Number::kTooLarge) << huge;
    EXPECT_EQ(value, kUntouched);
    EXPECT_EQ(expected_of(Number::kTooLarge), "a number of at most 3.4e38");
  }
}

TEST(Numbers, ThatAreMissing) {
  for (const char* text : {"", " ", "\t ", "?", " ? ", "NA", "na", "NaN", "nan", "-nan", "NULL", "n/a", "#N/A", "None"}) {
    float value = 0;
    EXPECT_EQ(parse_number(text, value), Number::kMissing) << text;
    EXPECT_TRUE(std::isnan(value)) << text;
  }
}

TEST(Numbers, ThatAreNone) {
  for (const char* text : {"abc",  "1a",  "a1", "1 2", "1,5",   "-",        "+",    ".",   "-.",
                           "e5",   ".e5", "1e", "1e+", "1e+-5", "1e5.",     "--1",  "+-1", "1..2",
                           "0x10", "1f",  "??", "nanx",  "infinite", "1e5x", "١"}) {
    float value = kUntouched;
    EXPECT_EQ(parse_number(text, value), Number::kNone) << text;
    EXPECT_EQ(value, kUntouched) << text;
    EXPECT_EQ(expected_of(Number::kNone), "a number");
  }
}

// The reference. It accepts no + sign and leaves out-of-range values unchanged.
void expect_as_from_chars(const std::string& text) {
  float exact = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exact);
  RC_LOG(text);
  RC_ASSERT(read.ptr == text.data() + text.size());
  float value = 0;
  const Number number = parse_number(text, value);
  if (read.ec == std::errc()) {
    RC_ASSERT(number == Number::kRead);
    RC_ASSERT(std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(exact));
  } else {
    RC_ASSERT(number == Number::kTooLarge || value == 0.0F);
  }
}

std::string digits(int most) {
  std::string text;
  for (int left = *rc::gen::inRange(1, most + 1); left > 0; --left) {
    text += static_cast<char>('0' + *rc::gen::inRange(0, 10));
  }
  return text;
}

RC_GTEST_PROP(Numbers, AreTheNearestFloats, ()) {
  std::string text = *rc::gen::element<std::string>("", "-") + digits(22);
  if (*rc::gen::inRange(0, 4) > 0) text += "." + digits(22);
  if (*rc::gen::arbitrary<bool>()) {
    text += fmt::format("e{}{}", *rc::gen::element("", "-", "+"), *rc::gen::inRange(0, 50));
  }
  expect_as_from_chars(text);
}

// Where rounding twice would go wrong: a few digits from the middle between two floats. Few numbers
// are that close, so try many.
RC_GTEST_PROP(Numbers, NearTheMiddleOfTwoFloatsAreTheNearest, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const auto within = [&](auto least, auto most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  for (int i = 0; i < 1000; ++i) {
    const bool usual = within(0, 1) == 1;  // or any float
    const auto bits =
        usual ? within(std::bit_cast<std::uint32_t>(1e-6F), std::bit_cast<std::uint32_t>(1e9F))
              : within(std::uint32_t{0}, std::uint32_t{0x7F7FFFFE});
    const double low = std::bit_cast<float>(bits), high = std::bit_cast<float>(bits + 1);
    const auto middle = std::bit_cast<std::uint64_t>(low + (high - low) / 2);
    const auto near =
        std::bit_cast<double>(middle + within(std::uint64_t{0}, std::uint64_t{6}) - 3);
    expect_as_from_chars(within(0, 1) == 1 ? fmt::format("{:.{}g}", near, within(14, 20))
                                           : fmt::format("{:.{}e}", near, within(14, 20)));
  }
}

}  // namespace
}  // namespace rwa::formats
