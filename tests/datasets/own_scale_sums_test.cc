#include "datasets/own_scale_sums.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_data.h"

namespace rwa::datasets {
namespace {

using Sequences = std::vector<std::vector<float>>;

// Sequences of one feature with deviations from 1 to `factor`, evenly on a logarithmic scale.
Sequences apart(double factor, int count = 50) {
  Sequences sequences;
  for (int i = 0; i < count; ++i) {
    const auto size = static_cast<float>(std::pow(factor, i / (count - 1.0)));
    sequences.push_back({5 + size, 5 - size, 5 + size, 5 - size});
  }
  return sequences;
}

OwnScaleSums sums_of(const Sequences& sequences) {
  OwnScaleSums sums;
  for (const auto& sequence : sequences) sums.add(sequence, 1);
  return sums;
}

// The inputs of the training sequences have mean 0 and deviation 1, the numbers too.
void expect_standardised(const Sequences& sequences, const OwnScale& own) {
  std::vector<double> sum(3), squares(3);
  double count = 0;
  for (const auto& sequence : sequences) {
    const std::vector<float> rows = own.rows(sequence);
    count += 1;
    for (std::size_t i = 1; i < 3; ++i) {
      sum[i] += rows[i];
      squares[i] += double{rows[i]} * rows[i];
    }
  }
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(sum[i] / count, 0, 1e-5) << i;
    EXPECT_NEAR(squares[i] / count, 1, 1e-5) << i;
  }
}

Sequences with_means(Sequences sequences) {
  const std::vector<float> means = RandomData(3).normal<float>(sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (float& value : sequences[i]) value += 100 * means[i];
  }
  return sequences;
}

TEST(OwnScaleSums, StandardiseMeansAndDeviations) {
  const Sequences sequences = with_means(apart(1e4));
  expect_standardised(sequences, sums_of(sequences).scale(1));
}

TEST(OwnScaleSums, ConstantSequencesCountWithTheLeastDeviation) {
  Sequences sequences = with_means(apart(10));
  for (const float value : {3.0F, 0.0F, -1.0F}) sequences.push_back({value, value});
  sequences.push_back({1e-9F, 0});  // noise
  const OwnScale own = sums_of(sequences).scale(1);
  EXPECT_GT(own.least[0], 5e-4);
  EXPECT_LT(own.least[0], 2e-3);
  expect_standardised(sequences, own);
}

TEST(OwnScaleSums, AllConstantIsFine) {
  const Sequences sequences = {{1, 1}, {2}, {4, 4, 4}};
  const OwnScale own = sums_of(sequences).scale(1);
  EXPECT_GT(own.least[0], 0);
  for (const auto& sequence : sequences) {
    const std::vector<float> rows = own.rows(sequence);
    EXPECT_EQ(rows[0], 0);
    EXPECT_EQ(rows[2], 0);
  }
  EXPECT_EQ(sums_of(sequences).spread(), std::nullopt);
}

TEST(OwnScaleSums, AUnionHasThoseOfAllSequences) {
  const Sequences sequences = with_means(apart(1e5));
  OwnScaleSums halves = sums_of({sequences.begin(), sequences.begin() + 20});
  halves.add(sums_of({sequences.begin() + 20, sequences.end()}));
  const OwnScale all = sums_of(sequences).scale(1), united = halves.scale(1);
  EXPECT_DOUBLE_EQ(united.least[0], all.least[0]);
  EXPECT_NEAR(united.means.mean[0], all.means.mean[0], 1e-9);
  EXPECT_NEAR(united.deviations.scale[0], all.deviations.scale[0], 1e-12);
  EXPECT_EQ(halves.spread(), sums_of(sequences).spread());
}

TEST(OwnScaleSums, SpreadIsTheRatioOfPercentiles) {
  EXPECT_NEAR(*sums_of(apart(1e4)).spread(), std::pow(1e4, 0.8), 0.2 * std::pow(1e4, 0.8));
  EXPECT_NEAR(*sums_of(apart(1)).spread(), 1, 1e-6);
  Sequences one_far = apart(2);
  one_far.push_back({1e9F, -1e9F});
  for (int i = 0; i < 40; ++i) one_far.push_back({7, 7});
  EXPECT_LT(*sums_of(one_far).spread(), 3);
  EXPECT_EQ(sums_of(apart(1e4, 9)).spread(), std::nullopt);
}

}  // namespace
}  // namespace rwa::datasets
