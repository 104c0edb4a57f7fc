// tests/api/ranks_test.cc: ranks that train together have, bit for bit, the weights and losses of
// one process that trains on the whole batch.
#include <string>

#include <gtest/gtest.h>

#include "api/rank_training.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/thread_ranks.h"

namespace rwa {
namespace {

using cases::Data;
using cases::Outcome;
using cases::Plan;
using cases::run_ranks;

Outcome train_with(int threads, const Plan& plan, Link* link) {
  return cases::train(plan, {.threads = threads}, link);
}

TEST(Ranks, TrainWithTheBitsOfOneProcess) {
  for (const Plan& plan : cases::all_plans()) {
    const Outcome one = train_with(1, plan, nullptr);
    for (const int size : {1, 2, 3, 4, 8}) {
      SCOPED_TRACE(cases::name(plan, size));
      run_ranks(size, [&](Link& link) {
        train_with(size == 2 ? 2 : 1, plan, &link).expect_same_bits(one);
      });
    }
  }
}

// With more than 8 ranks the order of the sums differs, but is the same on all ranks.
TEST(Ranks, MoreThanShardsStayTogether) {
  const Plan plan{cases::networks_of_many_parts().front()};
  const Outcome one = train_with(1, plan, nullptr);
  std::vector<Outcome> found(11);
  run_ranks(11, [&](Link& link) {
    found[static_cast<std::size_t>(link.rank())] = train_with(1, plan, &link);
  });
  for (const Outcome& other : found) other.expect_same_bits(found.front());
  EXPECT_LT(cases::largest_difference(found.front().weights, one.weights), 1e-4);
  EXPECT_NEAR(found.front().losses.back(), one.losses.back(), 1e-5);
}

TEST(Ranks, AllDivergeTogetherAndChangeNothing) {
  for (const int truncate : {0, 6}) {
    run_ranks(3, [&](Link& link) { cases::expect_divergence(truncate, {}, link); });
  }
}

TEST(Ranks, RefuseWhatIsNotTheirPart) {
  const ModelConfig config = cases::uneven(Cell::kRwa, Readout::kLast);
  const auto train_on = [&](int first, int second) {
    run_ranks(2, [&](Link& link) {
      Model model(config);
      Trainer trainer(model, {.link = &link});
      const Data data = cases::make_data(config, 5, link.rank() == 0 ? first : second, 1);
      trainer.step(data.view(), data.targets());
    });
  };
  EXPECT_NO_THROW(train_on(4, 4));
  EXPECT_THROW(train_on(5, 3), InputError);
}

TEST(Ranks, RefuseToStartFromDifferentWeights) {
  EXPECT_THROW(run_ranks(2,
                         [&](Link& link) {
                           ModelConfig config = cases::uneven(Cell::kRwa, Readout::kLast);
                           config.seed = static_cast<std::uint64_t>(link.rank());
                           Model model(config);
                           Trainer trainer(model, {.link = &link});
                         }),
               InputError);
}

}  // namespace
}  // namespace rwa
