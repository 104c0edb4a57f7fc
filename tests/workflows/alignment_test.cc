// tests/workflows/alignment_test.cc: tests that sequences that are shifted against one another are
// told from those whose steps correspond.
#include "workflows/alignment.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/random.h"
#include "datasets/files_testing.h"

namespace rwa::workflows {
namespace {

constexpr int kSteps = 100;

// What a sequence of class 0 or 1 is at a place from 0 to 1.
using Shape = double (*)(int which, double place);

constexpr double kNoise = 0.05;

// Each moved by up to `moved` of its length, with noise.
Alignment alignment_of(Shape shape, double moved, double noise = kNoise, int sequences = 40) {
  datasets::MemoryFiles told{.schema = datasets::one_feature(formats::Target::kClass), .files = {}};
  for (int i = 0; i < sequences; ++i) {
    const Random random(5, Purpose::kTestSamples, static_cast<std::uint32_t>(i));
    const double by = moved * (2 * random.uniform(0) - 1);
    auto& made = told.files["train"].emplace_back();
    made.labels = {i % 2 == 0 ? "even" : "odd"};
    for (int t = 0; t < kSteps; ++t) {
      const double place = static_cast<double>(t) / kSteps + by;
      const double chance = random.normal(static_cast<std::uint64_t>(t) + 1);
      made.x.push_back(static_cast<float>(shape(i % 2, place) + noise * chance));
    }
  }
  return find_alignment(*told.open({.train = {"train"}}));
}

double bump(double place, double middle) {
  const double distance = (place - middle) / 0.03;
  return std::exp(-0.5 * distance * distance);
}

// Classes differ in how many bumps there are; where they are is chance.
double one_or_two(int which, double place) { return bump(place, 0.4) + which * bump(place, 0.6); }

// Classes differ in where the bump is.
double early_or_late(int which, double place) { return bump(place, which == 0 ? 0.5 : 0.53); }

double constant(int which, double /*place*/) { return which; }

TEST(Alignment, IsLooseIfSequencesAreShifted) {
  EXPECT_EQ(alignment_of(one_or_two, 0.04), Alignment::kLoose);
}

TEST(Alignment, IsExactIfShiftsHideTheClasses) {
  EXPECT_EQ(alignment_of(early_or_late, 0), Alignment::kExact);
}

TEST(Alignment, IsUnclearIfShiftsChangeNothing) {
  EXPECT_EQ(alignment_of(constant, 0.04, 0), Alignment::kUnclear);
  EXPECT_EQ(alignment_of(one_or_two, 0.04, kNoise, 2), Alignment::kUnclear)
      << "no other of the same class";
}

}  // namespace
}  // namespace rwa::workflows
