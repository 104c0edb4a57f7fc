// tests/model/network_gradient_test.cc: the whole network in double: its losses agree with their
// formulas, its gradients are the derivatives of its losses, and no output is too large for either.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "model/network_problem.h"
#include "support/derivative.h"

namespace rwa {
namespace {

using Values = Problem::Values;

constexpr double kBefore = 7;        // the value of every gradient before backward adds to it
constexpr double kTolerance = 1e-9;  // absolute, or relative for derivatives larger than 1

constexpr Loss kLosses[] = {Loss::kSoftmax, Loss::kSigmoid, Loss::kSquaredError, Loss::kPinball};
ModelConfig config_of(Cell cell, Readout readout, Loss loss) {
  return {.inputs = 3,
          .cell = cell,
          .units = 5,
          .readout = readout,
          .outputs = loss == Loss::kPinball ? 6 : 4,
          .loss = loss,
          .interval = 0.9};
}

template <class Check>
void for_each_network(Check&& check) {
  for (const Cell cell : all_cells()) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      for (const Loss loss : kLosses) {
        SCOPED_TRACE(::testing::Message() << to_string(cell) << ", readout " << to_string(readout)
                                          << ", loss " << to_string(loss));
        check(config_of(cell, readout, loss));
      }
    }
  }
}

void expect_derivatives(const Values& gradient, Problem& problem, Values& by, const char* what,
                        double step) {
  ASSERT_EQ(gradient.size(), by.size());
  for (std::size_t i = 0; i < by.size(); ++i) {
    const double expected = derivative([&] { return problem.loss(); }, by[i], step);
    EXPECT_NEAR(gradient[i] - kBefore, expected, kTolerance * std::max(1.0, std::abs(expected)))
        << what << " " << i;
  }
}

void expect_gradient(const ModelConfig& config, double step = 5e-4) {
  Problem problem(config);
  Values dparameters(problem.parameters.size(), kBefore);
  Values dx(problem.x.size(), kBefore);
  const double loss = problem.gradient(dparameters, dx);
  EXPECT_EQ(loss, problem.loss());
  EXPECT_GT(cases::largest_difference(dparameters, Values(dparameters.size(), kBefore)), 0.01);
  expect_derivatives(dparameters, problem, problem.parameters, "parameter", step);
  expect_derivatives(dx, problem, problem.x, "x", step);
}

TEST(NetworkGradient, IsTheDerivativeOfTheLoss) {
  for_each_network([](const ModelConfig& config) { expect_gradient(config); });
}

void expect_gradient_of_two_layers(Cell cell, Readout readout) {
  SCOPED_TRACE(::testing::Message() << to_string(cell) << ", " << to_string(readout));
  expect_gradient({.inputs = 2,
                   .cell = cell,
                   .units = 3,
                   .layers = 2,
                   .bidirectional = true,
                   .readout = readout,
                   .outputs = 3});
}

TEST(NetworkGradient, OfTwoLayersThatReadBothWays) {
  for (const Cell cell : all_cells()) {
    for (const Readout readout :
         {Readout::kLast, Readout::kEvery, Readout::kMean, Readout::kAttention}) {
      expect_gradient_of_two_layers(cell, readout);
    }
  }
}

TEST(NetworkGradient, OfFourLayers) {
  for (const bool both : {false, true}) {
    expect_gradient(
        {.cell = Cell::kGru, .units = 2, .layers = 4, .bidirectional = both, .outputs = 3});
  }
}

TEST(NetworkGradient, OfSymbols) {
  for (const int embedding : {0, 2}) {
    for (const bool both : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "embedding " << embedding << ", bidirectional " << both);
      expect_gradient({.input = Input::kSymbols,
                       .inputs = 4,
                       .embedding = embedding,
                       .units = 3,
                       .layers = 2,
                       .bidirectional = both,
                       .readout = Readout::kEvery,
                       .outputs = 3});
    }
  }
}

// Smaller differences, because the outputs of a stem are large, and a rectifier has a kink.
TEST(NetworkGradient, OfAStem) {
  constexpr double kStep = 1e-4;
  for (const bool both : {false, true}) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      expect_gradient({.inputs = 2,
                       .stem = {8, 1, 3},
                       .channels = 3,
                       .units = 3,
                       .bidirectional = both,
                       .readout = readout,
                       .outputs = 3},
                      kStep);
    }
  }
  expect_gradient({.input = Input::kSymbols,
                   .inputs = 4,
                   .embedding = 2,
                   .stem = {3, 2},
                   .channels = 3,
                   .units = 3,
                   .outputs = 3},
                  kStep);
}

TEST(NetworkGradient, OfADecoderFromFeatures) {
  for (const Cell cell : all_cells()) {
    SCOPED_TRACE(to_string(cell));
    expect_gradient({.inputs = 3,
                     .cell = cell,
                     .units = 3,
                     .layers = 0,
                     .readout = Readout::kMean,
                     .outputs = 4,
                     .code = 2});
  }
}

TEST(NetworkGradient, OfAnAutoencoder) {
  for (const Readout readout : {Readout::kLast, Readout::kMean, Readout::kAttention}) {
    SCOPED_TRACE(to_string(readout));
    expect_gradient({.input = Input::kSymbols,
                     .inputs = 4,
                     .embedding = 2,
                     .units = 3,
                     .layers = 2,
                     .bidirectional = true,
                     .readout = readout,
                     .outputs = 4,
                     .code = 2});
  }
}

// The mask stays the same, so that the loss has a derivative.
TEST(NetworkGradient, UnderDropoutIsThatOfTheSameLoss) {
  for (const int code : {0, 2}) {
    ModelConfig config{.inputs = 2,
                       .units = 3,
                       .layers = 3,
                       .bidirectional = true,
                       .dropout = 0.4,
                       .readout = Readout::kAttention,
                       .outputs = 3,
                       .code = code};
    expect_gradient(config);
    const double hidden = Problem(config).loss();
    config.dropout = 0;
    EXPECT_NE(Problem(config).loss(), hidden);
  }
}

// The last step of a sequence gets its gradient from the output layer alone.
TEST(NetworkGradient, OfTheLastLayersOutputs) {
  Problem problem({.inputs = 2, .units = 3, .layers = 2, .outputs = 4});
  std::fill(problem.lengths.begin(), problem.lengths.end(), 3);
  problem.x.assign(problem.x.size(), 0.3);
  problem.load_all();
  Array<double> mean(*problem.backend, 1);
  cases::Numbers<double> dparameters(*problem.backend, problem.parameters.size());
  cases::Numbers<double> dh(*problem.backend, problem.rows().index(Problem::kSteps, 0) * 3,
                            kBefore);
  problem.pass.gradient(problem.weights, problem.in(), problem.targets(), mean.data(),
                        {.parameters = dparameters.data(), .dh_total = dh.data()});
  Values gradient = dparameters.read();
  const auto weight = problem.named(problem.parameters, "output.weight");
  const auto dbias = problem.named(gradient, "output.bias");  // the sum over sequences of dy
  const Values total = dh.read();
  for (std::size_t unit = 0; unit < 3; ++unit) {
    double expected = 0;
    double found = 0;
    for (std::size_t o = 0; o < 4; ++o) expected += weight[o * 3 + unit] * dbias[o];
    for (int b = 0; b < Problem::kBatch; ++b) {
      found += total[problem.rows().index(2, b) * 3 + unit];
      EXPECT_NE(total[problem.rows().index(0, b) * 3 + unit], kBefore);
      EXPECT_EQ(total[problem.rows().index(3, b) * 3 + unit], kBefore) << "past the end";
    }
    EXPECT_NEAR(found, expected, 1e-14);
  }
}

// The textbook formulas, which overflow for large outputs.
double naive_loss(const LossSpec& loss, std::span<const double> y, int target,
                  std::span<const double> targets) {
  double sum = 0;
  if (loss.kind == Loss::kSoftmax) {
    for (const double v : y) sum += std::exp(v);
    return -std::log(std::exp(y[static_cast<std::size_t>(target)]) / sum);
  }
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (loss.kind == Loss::kSigmoid) {
      const double p = 1 / (1 + std::exp(-y[j]));
      sum -= targets[j] * std::log(p) + (1 - targets[j]) * std::log(1 - p);
    } else if (loss.kind == Loss::kSquaredError) {
      sum += std::pow(y[j] - targets[j], 2);
    } else {
      const double quantiles[] = {(1 - loss.interval) / 2, 0.5, (1 + loss.interval) / 2};
      const double q = quantiles[j % 3];
      sum += std::max(q * (targets[j] - y[j]), (q - 1) * (targets[j] - y[j]));
    }
  }
  return sum / static_cast<double>(y.size());
}

// Over the rows that count.
double naive_mean(Problem& problem) {
  const Values y = problem.outputs();
  const Rows rows = problem.output_rows();
  const std::size_t width = problem.width();
  double sum = 0;
  int count = 0;
  for (int t = 0; t < rows.steps; ++t) {
    for (int b = 0; b < rows.batch; ++b) {
      if (!rows.has(t, b)) continue;
      const std::size_t row = rows.index(t, b);
      sum +=
          naive_loss(problem.spec.loss, std::span(y).subspan(row * width, width),
                     problem.classes[row], std::span(problem.values).subspan(row * width, width));
      ++count;
    }
  }
  return sum / count;
}

TEST(NetworkLoss, AgreesWithTheTextbook) {
  for_each_network([](const ModelConfig& config) {
    Problem problem(config);
    const double expected = naive_mean(problem);
    EXPECT_GT(expected, 0);
    EXPECT_NEAR(problem.loss(), expected, 1e-13 * expected);
  });
}

// One row of four very large outputs, with a wrong class and with wrong and right labels.
template <class Real>
void expect_extremes(Backend<Real>& backend) {
  const std::vector<Real> y = {1e4, -1e4, 1e4, -1e4};
  const std::vector<Real> labels = {0, 1, 1, 0};
  const std::int32_t wrong = 1;
  const Rows rows{1, 1, {}};
  const auto feed = backend.make_feed();
  feed->load({labels.data(), rows}, 4, {&wrong, labels.data(), rows}, 4);
  cases::Numbers<Real> outputs(backend, y);
  Array<Real, double> mean(backend, 1);
  struct Expected {
    Loss loss;
    double value;
    std::vector<double> gradient;
  };
  const Expected all[] = {{Loss::kSoftmax, 2e4 + std::log(2.0), {0.5, -1, 0.5, 0}},
                          {Loss::kSigmoid, 2e4 / 4, {0.25, -0.25, 0, 0}},
                          {Loss::kSquaredError,
                           (1e8 + 10001.0 * 10001 + 9999.0 * 9999 + 1e8) / 4,
                           {1e4 / 2, -10001.0 / 2, 9999.0 / 2, -1e4 / 2}},
                          {Loss::kPinball,
                           (0.9 * 1e4 + 0.5 * 10001 + 0.1 * 9999 + 0.1 * 1e4) / 4,
                           {0.9 / 4, -0.5 / 4, 0.1 / 4, -0.1 / 4}}};
  for (const Expected& expected : all) {
    SCOPED_TRACE(to_string(expected.loss));
    cases::Numbers<Real> dy(backend, y.size());
    backend.loss({expected.loss}, rows, 4, outputs.data(), feed->targets(), mean.data(), dy.data());
    double loss = 0;
    mean.read({&loss, 1});
    EXPECT_NEAR(loss, expected.value, 1e-12 * expected.value);
    const auto gradient = dy.read();
    for (std::size_t j = 0; j < y.size(); ++j) {
      // The slopes of pinball have no exact float.
      EXPECT_NEAR(static_cast<double>(gradient[j]), static_cast<double>(Real(expected.gradient[j])),
                  1e-12)
          << "output " << j;
    }
  }
}

TEST(NetworkLoss, ExtremeOutputsInDouble) { expect_extremes(*make_reference_backend()); }

TEST(NetworkLoss, ExtremeOutputsInFloat) { expect_extremes(*make_cpu_backend(1)); }

}  // namespace
}  // namespace rwa
