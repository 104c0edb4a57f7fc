// tests/formats/headed_lines_test.cc: what .ts, ARFF and .tsf have in common.
#include <string>

#include <gtest/gtest.h>

#include "formats_testing.h"
#include "io/io_testing.h"
#include "memory_testing.h"

namespace rwa::formats {
namespace {

// Splitting stops at the number of fields that the header announces.
TEST(HeadedLines, ALineOfSeparatorsTakesLittleMemory) {
  constexpr std::size_t kLength = std::size_t{8} << 20;
  const auto expect = [&](std::string_view name, std::string_view header, char separator,
                          std::string_view message) {
    const io::TempFolder folder;
    const std::filesystem::path file = folder.path() / name;
    io::put(file, std::string(header) + "@data\n" + std::string(kLength, separator) + "\n");
    largest = 0;
    EXPECT_EQ(refusal({file}), file.string() + std::string(message));
    EXPECT_LE(largest, 3 * kLength) << name;  // the buffer of the source
  };
  expect("x.ts", "@univariate true\n", ':',
         ":3:2: found 8,388,609 parts separated by \":\", expected 1: 1 dimension (line 1: "
         "@univariate true) and no target; correct the header or the data");
  expect("x.ts", "@univariate true\n@seriesLength 9\n", ',',
         ":4:10: found more than 9 values, expected 9, as line 2 says (@seriesLength 9): correct "
         "that line or the data");
  expect("x.arff", "@attribute a real\n@attribute b real\n", ',',
         ":4:2: found 8,388,609 values separated by commas, expected 2, one per attribute");
  expect("x.tsf", "@attribute a string\n@attribute b string\n", ':',
         ":4:3: found 8,388,609 parts separated by \":\", expected 3: 2 attributes and the series");
}

}  // namespace
}  // namespace rwa::formats
