// tests/export/convolution_test.cc: the order of a convolution's weights.
#include "export/convolution.h"

#include <gtest/gtest.h>

namespace rwa::exports {
namespace {

TEST(Convolution, HasTheLatestStepLast) {
  // Two channels, three steps of two features: a hundred per channel, ten per step ago.
  const std::vector<float> ours = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  const std::vector<float> theirs = {20, 10, 0, 21, 11, 1, 120, 110, 100, 121, 111, 101};
  EXPECT_EQ(convolution_weight(ours, 2, 3), theirs);
}

TEST(Convolution, OfOneStepStaysAsItIs) {
  const std::vector<float> weight = {1, 2, 3, 4};
  EXPECT_EQ(convolution_weight(weight, 2, 1), weight);
}

}  // namespace
}  // namespace rwa::exports
