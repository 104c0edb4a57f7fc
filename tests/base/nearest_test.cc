#include "base/nearest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rwa {
namespace {

using Strings = std::vector<std::string>;

const Strings kExperiments{"grammar",    "length-100",  "length-1000", "copy-100",      "copy-1000",
                           "adding-100", "adding-1000", "mnist",       "mnist-permuted"};

TEST(Nearest, FindsWhatWasMistyped) {
  EXPECT_EQ(nearest("addding-100", kExperiments), (Strings{"adding-100", "adding-1000"}));
  EXPECT_EQ(nearest("gramar", kExperiments), Strings{"grammar"});
  EXPECT_EQ(nearest("mnsit", kExperiments), Strings{"mnist"});
  EXPECT_EQ(nearest("MNIST", kExperiments).front(), "mnist");
}

TEST(Nearest, FindsWhatWasCutShort) {
  EXPECT_EQ(nearest("adding", kExperiments), (Strings{"adding-100", "adding-1000"}));
  EXPECT_EQ(nearest("mn", kExperiments), (Strings{"mnist", "mnist-permuted"}));
}

TEST(Nearest, FindsWhatIsKnownElsewhereByAnotherName) {
  const Strings options{"--learning-rate", "--units",      "--batch",
                        "--layers",        "--label-from", "--target"};
  EXPECT_EQ(nearest("--lr", options), Strings{"--learning-rate"});
  EXPECT_EQ(nearest("--hidden_size", options), Strings{"--units"});
  EXPECT_EQ(nearest("--batch-size", options).front(), "--batch");
  EXPECT_EQ(nearest("--num-layers", options), Strings{"--layers"});
  EXPECT_EQ(nearest("--label", options), (Strings{"--target", "--label-from"}));
  EXPECT_EQ(nearest("lr", Strings{"learning_rate"}), Strings{"learning_rate"});
  EXPECT_TRUE(nearest("--model", options).empty());  // there is no --cell
}

TEST(Nearest, ASwapIsOneSlip) {
  const Strings known{"abxx", "ba"};
  EXPECT_EQ(nearest("ab", known).front(), "ba");  // one swap rather than two extra letters
}

TEST(Nearest, FindsNothingWhereNothingIsNear) {
  EXPECT_TRUE(nearest("", kExperiments).empty());
  EXPECT_TRUE(nearest("translation", kExperiments).empty());
  EXPECT_TRUE(nearest("g", kExperiments).empty());
  EXPECT_TRUE(nearest("rwa", Strings{}).empty());
  EXPECT_TRUE(nearest(std::string(1'000'000, 'a'), kExperiments).empty());
}

TEST(Nearest, GivesAtMostThree) {
  const Strings known{"seed5", "seed4", "seed3", "seed2"};
  EXPECT_EQ(nearest("seed1", known), (Strings{"seed5", "seed4", "seed3"}));
}

TEST(Suggestion, EndsAMessage) {
  EXPECT_EQ(suggestion("gramar", kExperiments), ", did you mean grammar?");
  EXPECT_EQ(suggestion("adding", kExperiments), ", did you mean adding-100 or adding-1000?");
  const Strings known{"seed5", "seed4", "seed3"};
  EXPECT_EQ(suggestion("seed1", known), ", did you mean seed5, seed4 or seed3?");
  EXPECT_EQ(suggestion("gru", Strings{"rwa", "lstm"}), ", expected one of: rwa, lstm");
}

}  // namespace
}  // namespace rwa
