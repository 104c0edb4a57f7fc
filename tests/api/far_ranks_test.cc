// tests/api/far_ranks_test.cc: ranks that train together on devices with their own memory have the
// bits of one process on the CPU, whether the host or the devices add the gradients.
#include <string>

#include <gtest/gtest.h>

#include "api/rank_training.h"
#include "support/far_as_cuda.h"
#include "support/thread_ranks.h"

namespace rwa {
namespace {

void expect_bits_of_one_process() {
  for (const cases::Plan& plan : cases::all_plans()) {
    const cases::Outcome one = cases::train(plan, {}, nullptr);
    for (const int size : {1, 2, 3}) {
      SCOPED_TRACE(cases::name(plan, size));
      cases::run_ranks(size, [&](Link& link) {
        cases::train(plan, {.device = "cuda"}, &link).expect_same_bits(one);
      });
    }
  }
}

TEST(FarRanks, AreAddedByTheHost) { expect_bits_of_one_process(); }

TEST(FarRanks, AddAmongThemselves) {
  far::sums_ranks = true;
  expect_bits_of_one_process();
  far::sums_ranks = false;
}

TEST(FarRanks, AllDivergeTogetherAndChangeNothing) {
  for (const bool sums : {false, true}) {
    far::sums_ranks = sums;
    for (const int truncate : {0, 6}) {
      cases::run_ranks(
          2, [&](Link& link) { cases::expect_divergence(truncate, {.device = "cuda"}, link); });
    }
  }
  far::sums_ranks = false;
}

// The host must add: otherwise one rank would wait for a sum that the other never starts.
TEST(FarRanks, BesideOneThatCannotAdd) {
  far::sums_ranks = true;
  const cases::Plan plan = cases::all_plans().front();
  const cases::Outcome one = cases::train(plan, {}, nullptr);
  cases::run_ranks(2, [&](Link& link) {
    const std::string device = link.rank() == 0 ? "cuda" : "cpu";
    cases::train(plan, {.device = device}, &link).expect_same_bits(one);
  });
  far::sums_ranks = false;
}

}  // namespace
}  // namespace rwa
