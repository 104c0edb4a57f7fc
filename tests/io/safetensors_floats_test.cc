// tests/io/safetensors_floats_test.cc: files of other programs with F16, BF16 or F64.
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/safetensors.h"
#include "io_testing.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

// A file with one tensor "w" of `count` values.
std::string file_of(std::string_view dtype, std::size_t count, std::string_view data) {
  const auto header = fmt::format(R"({{"w":{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})",
                                  dtype, count, data.size());
  const std::uint64_t length = header.size();
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text.append(header).append(data);
}

TensorFile parse(const std::string& text) {
  return parse_safetensors(as_bytes(text), "w.safetensors", Accept::kAnyFloat);
}

std::vector<float> values_of(std::string_view dtype, std::size_t count, std::string_view data) {
  return parse(file_of(dtype, count, data)).tensors.at(0).values;
}

void expect_refusal(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_error<ModelFileError>([&] { parse(text); }, {"w.safetensors", "expected"});
  expect_error<ModelFileError>([&] { parse(text); }, parts);
}

// Includes the largest, the smallest and the smallest normal number, and -0.
TEST(SafetensorsFloats, BecomeF32) {
  using namespace std::string_literals;
  EXPECT_EQ(values_of("F16", 6, "\x00\x3c\x00\xc0\xff\x7b\x01\x00\x00\x04\x00\x80"s),
            (std::vector<float>{1, -2, 65504, 0x1p-24F, 0x1p-14F, 0}));
  EXPECT_EQ(values_of("BF16", 3, "\x80\x3f\x00\xc0\x01\x00"s),
            (std::vector<float>{1, -2, 0x1p-133F}));
  EXPECT_EQ(values_of("F64", 2, "\0\0\0\0\0\0\xf0\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbf"s),
            (std::vector<float>{1, -0.1F}));
  EXPECT_EQ(values_of("F32", 1, "\0\0\x80\x3f"s), std::vector<float>{1});
}

// More than one piece of the conversion, all different.
TEST(SafetensorsFloats, StandInTheirOrder) {
  std::string data;
  std::vector<float> expected;
  for (int i = 0; i < 50'000; ++i) {
    const double number = i;
    data.append(reinterpret_cast<const char*>(&number), sizeof(number));
    expected.push_back(static_cast<float>(i));
  }
  EXPECT_EQ(values_of("F64", expected.size(), data), expected);
}

TEST(SafetensorsFloats, AreOfTheirOwnSize) {
  const std::string data(8, '\0');
  expect_refusal(file_of("F16", 2, data), {"has 8 bytes", "expected 2 for each value"});
  expect_refusal(file_of("F64", 2, data), {"has 8 bytes", "expected 8 for each value"});
  expect_refusal(file_of("BF16", 1, data.substr(5)), {"has 3 bytes", "expected 2 for each value"});
}

TEST(SafetensorsFloats, AreFinite) {
  using namespace std::string_literals;
  for (const std::string_view data : {"\x01\x7c", "\xff\xff"}) {
    expect_refusal(file_of("F16", 1, data), {"nan at index 0", "expected finite values"});
  }
  expect_refusal(file_of("F16", 1, "\x00\xfc"s), {"-inf at index 0"});
  expect_refusal(file_of("BF16", 1, "\x80\x7f"s), {"inf at index 0"});
  // About 1e300, too large for a float.
  expect_refusal(file_of("F64", 1, "\x01\x01\x01\x01\x01\x01\x01\x7e"), {"inf at index 0"});
}

TEST(SafetensorsFloats, AreAskedFor) {
  expect_refusal(file_of("I64", 1, std::string(8, '\0')),
                 {"has dtype \"I64\"", "expected \"F32\", \"F16\", \"BF16\" or \"F64\""});
  const std::string text = file_of("F16", 1, std::string(2, '\0'));
  expect_error<ModelFileError>([&] { parse_safetensors(as_bytes(text), "w.safetensors"); },
                               {"has dtype \"F16\"", "expected \"F32\""});
}

}  // namespace
}  // namespace rwa::io
