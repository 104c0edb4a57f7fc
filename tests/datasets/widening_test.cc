// tests/datasets/widening_test.cc: steps that are seen with those before them, and with their place.
#include "datasets/widening.h"

#include <vector>

#include <gtest/gtest.h>

#include "datasets/encoding.h"

namespace rwa::datasets {
namespace {

using Row = std::vector<float>;

Row row_of(const Widening& widening, const formats::Sequence& sequence, std::size_t width, int t,
           int place) {
  Row row(widening.inputs(width), -1.0F);
  widening.write_row(sequence, width, t, place, row.data());
  return row;
}

TEST(Widening, ShowsTheStepThenThoseBeforeIt) {
  const Widening widening{.context = 3};
  formats::Sequence numbers;
  numbers.steps = 3;
  numbers.x = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(row_of(widening, numbers, 2, 2, 2), (Row{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(row_of(widening, numbers, 2, 0, 0), (Row{1, 2, 0, 0, 0, 0}));
  formats::Sequence symbols;
  symbols.steps = 2;
  symbols.symbols = {2, 0};
  EXPECT_EQ(row_of(widening, symbols, 3, 1, 1), (Row{1, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(Widening, APlaceIsAHillThatIsHighestWhereItIsNearest) {
  const Widening widening{.positions = 4, .span = 80};
  formats::Sequence symbols;
  symbols.steps = 80;
  symbols.symbols.assign(80, 0);
  const Row row = row_of(widening, symbols, 1, 30, 30);
  ASSERT_EQ(row.size(), 5);
  EXPECT_FLOAT_EQ(row[2], 1);  // the second of four, from 20 to 40, has its middle here
  EXPECT_GT(row[1], row[4]);
  EXPECT_FLOAT_EQ(row[1], row[3]);
}

TEST(Widening, MakesNumbersOfSymbols) {
  Encoding encoding;
  encoding.schema.symbols = true;
  encoding.alphabet = {"A", "C", "G", "T"};
  encoding.schema.target = formats::Target::kClass;
  encoding.labels = {"no", "yes"};
  EXPECT_EQ(encoding.shape().input, Input::kSymbols);
  encoding.widening = {.context = 7, .positions = 16, .span = 81};
  EXPECT_EQ(encoding.shape().input, Input::kNumbers);
  EXPECT_EQ(encoding.shape().inputs, 7 * 4 + 16);
  EXPECT_EQ(parse_encoding(to_json(encoding), "test"), encoding);
}

}  // namespace
}  // namespace rwa::datasets
