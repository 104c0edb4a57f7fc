// tests/api/rank_training.h: runs some training steps, alone or as one of several ranks, and
// returns the results.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/networks.h"
#include "api/rank_batches.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/cases.h"

namespace rwa::cases {

struct Outcome {
  std::vector<double> losses, norms;
  std::vector<float> weights, mean;

  void expect_same_bits(const Outcome& other) const {
    EXPECT_TRUE(same_bits(losses, other.losses));
    EXPECT_TRUE(same_bits(norms, other.norms));
    EXPECT_TRUE(same_bits(weights, other.weights));
    EXPECT_TRUE(same_bits(mean, other.mean));
  }
  void expect_near(const Outcome& other, double bound) const {
    EXPECT_LT(largest_difference(losses, other.losses), bound);
    EXPECT_LT(largest_difference(norms, other.norms), bound);
    EXPECT_LT(largest_difference(weights, other.weights), bound);
    EXPECT_LT(largest_difference(mean, other.mean), bound);
  }
};

struct Plan {
  ModelConfig config;
  int truncate = 0;
  double epsilon = 1e-8;
  std::vector<int> batches = {37, 8, 5, 1};  // some leave ranks without rows
};

// Submits each batch before collecting the result of the previous one.
inline Outcome train(const Plan& plan, const SessionOptions& session, Link* link) {
  std::vector<Data> parts;
  for (std::size_t step = 0; step < plan.batches.size(); ++step) {
    const Data whole = network_data(plan.config, 21, plan.batches[step], step);
    parts.push_back(link == nullptr ? whole : part_of(whole, *link));
  }
  Model model(plan.config);
  Trainer trainer(model, {.learning_rate = 0.01,
                          .epsilon = plan.epsilon,
                          .clip_norm = 0.5,
                          .truncate = plan.truncate,
                          .session = session,
                          .link = link});
  Outcome out;
  const auto collect = [&] {
    const StepResult result = trainer.collect();
    out.losses.push_back(result.loss);
    out.norms.push_back(result.gradient_norm);
  };
  for (const Data& part : parts) {
    trainer.submit(part.view(), part.targets());
    if (&part != &parts.front()) collect();
  }
  collect();
  out.weights = copy(model.weights());
  out.mean = trainer.state().mean;
  return out;
}

// An infinite input on the last rank makes the loss non-finite. All ranks must reject this step and
// the one submitted after it, and continue as if neither had happened.
inline void expect_divergence(int truncate, const SessionOptions& session, Link& link) {
  const ModelConfig config = uneven(Cell::kRwa, Readout::kEvery);
  Data good = part_of(make_data(config, 21, 8, 1), link);
  good.lengths.assign(good.lengths.size(), 21);
  Data bad = good;
  if (link.rank() == link.size() - 1) bad.x[0] = std::numeric_limits<float>::infinity();

  Model model(config);
  const std::vector<float> before = copy(model.weights());
  Trainer trainer(model, {.truncate = truncate, .session = session, .link = &link});
  trainer.submit(bad.view(), bad.targets());
  trainer.submit(good.view(), good.targets());
  EXPECT_THROW(trainer.collect(), DivergenceError);
  EXPECT_TRUE(same_bits(before, copy(model.weights())));
  EXPECT_TRUE(std::isfinite(trainer.step(good.view(), good.targets()).loss));
  EXPECT_FALSE(same_bits(before, copy(model.weights())));
}

// Plans for all networks, some with truncation.
inline std::vector<Plan> all_plans() {
  std::vector<Plan> plans;
  for (const ModelConfig& config : all_networks()) plans.push_back({config});
  for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
    plans.push_back({uneven(Cell::kRwa, readout), 6});
  }
  return plans;
}

inline std::string name(const Plan& plan, int ranks) {
  return name(plan.config) + (plan.truncate > 0 ? ", in parts" : "") + ", " +
         std::to_string(ranks) + " ranks";
}

}  // namespace rwa::cases
