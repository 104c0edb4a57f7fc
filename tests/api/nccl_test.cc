// tests/api/nccl_test.cc: ranks that train on GPUs, as far as one GPU can show: one rank adds with
// NCCL, two ranks that share the GPU add on the host. Skipped without a GPU.
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/rank_training.h"
#include "backend/array.h"
#include "comm/ranks.h"
#include "rwa/rwa.h"
#include "support/cuda.h"
#include "support/thread_ranks.h"

namespace rwa {
namespace {

using cases::Outcome;
using cases::Plan;
using cases::run_ranks;

const SessionOptions kOnGpu{.device = "cuda"};

using RanksOnCuda = cases::OnCuda;

class Nccl : public cases::OnCuda {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    if (!IsSkipped() && make()->name_among_ranks().empty()) {
      GTEST_SKIP() << "there is no NCCL in this build, or none on this machine";
    }
  }
};

TEST_F(Nccl, TrainsOneRankWithTheBitsOfNone) {
  for (const Plan& plan : cases::all_plans()) {
    SCOPED_TRACE(cases::name(plan, 1));
    const Outcome none = cases::train(plan, kOnGpu, nullptr);
    run_ranks(1, [&](Link& link) { cases::train(plan, kOnGpu, &link).expect_same_bits(none); });
  }
}

TEST_F(Nccl, DivergesAndChangesNothing) {
  for (const int truncate : {0, 6}) {
    run_ranks(1, [&](Link& link) { cases::expect_divergence(truncate, kOnGpu, link); });
  }
}

// Values and a loss on the GPU.
struct Sums {
  explicit Sums(Backend<float>& backend, std::size_t count)
      : expected(count), numbers(backend, count), loss(backend, 1) {
    std::iota(expected.begin(), expected.end(), 0.25F);
    numbers.write(expected);
    loss.write({&kLoss, 1});
  }
  void expect_unchanged() const {
    std::vector<float> found(expected.size());
    double found_loss = 0;
    numbers.read(found);
    loss.read({&found_loss, 1});
    EXPECT_TRUE(cases::same_bits(found, expected));
    EXPECT_EQ(found_loss, kLoss);
  }

  static constexpr double kLoss = 1.0 / 3;
  std::vector<float> expected;
  Array<float> numbers;
  Array<float, double> loss;
};

TEST_F(Nccl, SumOfOneRankIsWhatItHas) {
  run_ranks(1, [](Link& link) {
    Ranks ranks(&link);
    const auto backend = make();
    const auto sum = backend->make_rank_sum(ranks);
    ASSERT_NE(sum, nullptr);
    Sums one(*backend, 1'000'003);
    Sums other(*backend, 1);
    for (Sums* sums : {&one, &other}) {
      sum->add(sums->expected.size(), sums->numbers.data(), sums->loss.data());
    }
    for (int i = 0; i < 2; ++i) sum->wait();
    one.expect_unchanged();
    other.expect_unchanged();
  });
}

TEST_F(Nccl, GoesWithSumsUnderWay) {
  for (const bool in_an_error : {false, true}) {
    const auto leave = [&](Link& link) {
      Ranks ranks(&link);
      const auto backend = make();
      Sums sums(*backend, 1000);
      const auto sum = backend->make_rank_sum(ranks);
      sum->add(sums.expected.size(), sums.numbers.data(), sums.loss.data());
      if (in_an_error) throw InputError("another file");
    };
    if (in_an_error) {
      EXPECT_THROW(run_ranks(1, leave), InputError);
    } else {
      EXPECT_NO_THROW(run_ranks(1, leave));
    }
  }
}

// The reason why two ranks that share a GPU add on the host.
TEST_F(Nccl, RefusesTwoRanksOfOneGpu) {
  EXPECT_THROW(run_ranks(2,
                         [](Link& link) {
                           Ranks ranks(&link);
                           const auto backend = make_cuda_backend(0, 1);
                           (void)backend->make_rank_sum(ranks);
                         }),
               ResourceError);
}

// Sums on the GPU depend on the order of the sequences. With this epsilon a step is proportional to
// the gradient, so that small differences stay small.
TEST_F(RanksOnCuda, ThatShareAGpuTrainAsOneProcess) {
  std::vector<Plan> plans = cases::all_plans();
  for (const Cell cell : {Cell::kRwaForget, Cell::kRwaDecay, Cell::kGru}) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      plans.push_back({cases::uneven(cell, readout)});
    }
  }
  for (Plan& plan : plans) {
    SCOPED_TRACE(cases::name(plan, 2));
    plan.epsilon = 1;
    const Outcome one = cases::train(plan, kOnGpu, nullptr);
    std::vector<Outcome> found(2);
    run_ranks(2, [&](Link& link) {
      found[static_cast<std::size_t>(link.rank())] = cases::train(plan, kOnGpu, &link);
    });
    found[0].expect_near(one, 1e-5);
    found[1].expect_same_bits(found[0]);
  }
}

}  // namespace
}  // namespace rwa
