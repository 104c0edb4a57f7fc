// tests/datasets/files_sums_test.cc: means and scales of subsets and their union, and baselines.
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "datasets/files_sums.h"

namespace rwa::datasets {
namespace {
using formats::Target;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

RC_GTEST_PROP(Moments, OfPartsAreThoseOfAll, ()) {
  const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000));
  const auto cuts =
      *rc::gen::container<std::vector<bool>>(values.size(), rc::gen::arbitrary<bool>());
  Moments parts, growing;
  std::vector<float> part;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    part.push_back(static_cast<float>(values[i]));
    sum += values[i];
    if (!cuts[i] && i + 1 < values.size()) continue;
    growing.add(part, 1);
    Moments alone;
    alone.add(part, 1);
    parts.add(alone);
    part.clear();
  }
  const auto count = static_cast<double>(values.size());
  const double mean = values.empty() ? 0 : sum / count;
  for (const int value : values) squares += (value - mean) * (value - mean);
  const double scale = squares > 0 ? std::sqrt(squares / count) : 1;
  for (const Moments* moments : {&parts, &growing}) {
    const Normal normal = moments->normal(1);
    RC_ASSERT(std::abs(normal.mean[0] - mean) < 1e-9);
    RC_ASSERT(std::abs(normal.scale[0] - scale) < 1e-9 * scale);
  }
}

TEST(Moments, LoseNothingOfLargeNumbers) {
  Moments moments;
  for (int i = 0; i < 10'000; ++i) {
    moments.add(std::vector<float>{16'777'200.0F + static_cast<float>(i % 2)}, 1);
  }
  EXPECT_DOUBLE_EQ(moments.normal(1).mean[0], 16'777'200.5);
  EXPECT_NEAR(moments.normal(1).scale[0], 0.5, 1e-9);
}

TEST(Moments, LeaveOutWhatIsMissing) {
  Moments moments;
  moments.add(std::vector<float>{1, kMissing, kMissing, kMissing, 3, kMissing}, 2);
  EXPECT_EQ(moments.normal(2), (Normal{.mean = {2, 0}, .scale = {1, 1}}));
}

TEST(Moments, OfWhatNeverChangesHaveTheScaleOne) {
  Moments moments;
  for (int i = 0; i < 1000; ++i) moments.add(std::vector<float>(7, 0.1F), 1);
  EXPECT_EQ(moments.normal(1), (Normal{.mean = {double{0.1F}}, .scale = {1}}));
  EXPECT_EQ(moments.naive_error(1), 0);
}

Sums sums_of(std::initializer_list<std::int32_t> labels, std::int64_t samples) {
  Sums sums;
  sums.samples = samples;
  for (const std::int32_t label : labels) sums.labels.add(label);
  return sums;
}

TEST(NaiveOfFiles, OfAClassIsItsShare) {
  Encoding encoding{.schema = {.features = {"a"}, .target = Target::kClass},
                    .labels = {"x", "y", "z"}};
  const Naive naive = naive_of(encoding, sums_of({0, 0, 1, 2}, 4));
  EXPECT_DOUBLE_EQ(naive.loss, 1.5);
  EXPECT_EQ(naive.accuracy, 0.5);
  encoding.schema.target = Target::kClassPerStep;
  EXPECT_DOUBLE_EQ(naive_of(encoding, sums_of({1, 1, 0, 0}, 1)).loss, 1);
}

TEST(NaiveOfFiles, OfLabelsIsTheMeanOfThem) {
  const Encoding encoding{.schema = {.features = {"a"}, .target = Target::kLabels},
                          .labels = {"x", "y"}};
  const Naive naive = naive_of(encoding, sums_of({0, 0, 1, 1, 1, 1}, 4));
  EXPECT_DOUBLE_EQ(naive.loss, 0.5);  // 1 bit for the first, 0 for the second
  EXPECT_DOUBLE_EQ(*naive.accuracy, 0.75);
}

TEST(NaiveOfFiles, OfNumbersIsTheirVariance) {
  const Encoding encoding{.schema = {.features = {"a", "b"}}};
  Sums sums;
  sums.features.add(std::vector<float>{1, 5, 2, 5}, 2);
  EXPECT_EQ(naive_of(encoding, sums).loss, 0.5);  // one of two columns varies
  EXPECT_FALSE(naive_of(encoding, sums).accuracy);
}

TEST(NaiveOfFiles, OfTheNextSymbolIsItsShare) {
  const Encoding encoding{.schema = {.symbols = true}, .alphabet = {"A", "B"}};
  Sums sums;
  sums.symbols.add(0, 3);
  sums.symbols.add(1, 1);
  EXPECT_NEAR(naive_of(encoding, sums).loss, 0.8112781, 1e-7);
  EXPECT_EQ(naive_of(encoding, sums).accuracy, 0.75);
}

}  // namespace
}  // namespace rwa::datasets
