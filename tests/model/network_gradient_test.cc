// tests/model/network_gradient_test.cc: the whole network in double: its losses are what their
// formulas say, its gradients the derivatives of its losses, and no output is too large for either.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "model/network.h"
#include "support/cases.h"
#include "support/derivative.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using Values = std::vector<double>;

constexpr double kBefore = 7;        // stands in every gradient before backward adds to it
constexpr double kTolerance = 1e-9;  // of a derivative, or relative where it is larger than 1

constexpr Loss kLosses[] = {Loss::kSoftmax, Loss::kSigmoid, Loss::kSquaredError};
constexpr Readout kReadouts[] = {Readout::kLast, Readout::kEvery};
constexpr Cell kCells[] = {Cell::kRwa, Cell::kRwaForget, Cell::kRwaDecay, Cell::kLstm, Cell::kGru};

ModelConfig config_of(Cell cell, Readout readout, Loss loss) {
  return {.cell = cell, .inputs = 3, .units = 5, .outputs = 4, .readout = readout, .loss = loss};
}

// A network with its weights, a ragged batch and targets, all random.
class Problem {
 public:
  explicit Problem(const ModelConfig& config)
      : spec_(config),
        backend_(make_reference_backend()),
        weights_(spec_, *backend_),
        pass_(spec_, *backend_),
        feed_(backend_->make_feed()),
        mean_(*backend_, 1) {
    RandomData random(31);
    lengths_ = random.lengths(kBatch, kSteps);
    parameters_ = random.normal<double>(spec_.parameters(), 0.7);
    const std::size_t rows = static_cast<std::size_t>(kSteps) * kBatch;
    x_ = random.normal<double>(rows * static_cast<std::size_t>(config.inputs));
    classes_ = random.classes(rows, config.outputs);
    targets_ = random.uniform<double>(rows * outputs());
    hide_padding();
  }

  [[nodiscard]] Values& parameters() { return parameters_; }
  [[nodiscard]] Values& x() { return x_; }

  [[nodiscard]] double loss() {
    load_all();
    pass_.loss(weights_, feed_->in(), feed_->targets(), mean_.data());
    return read_mean();
  }
  double gradient(Values& dparameters, Values& dx) {
    load_all();
    cases::Numbers<double> of_parameters(*backend_, dparameters);
    cases::Numbers<double> of_x(*backend_, dx);
    pass_.gradient(weights_, feed_->in(), feed_->targets(), mean_.data(), Memory::kFull,
                   of_parameters.data(), of_x.data());
    dparameters = of_parameters.read();
    dx = of_x.read();
    return read_mean();
  }

  // The mean of formula(outputs, class, targets) over the rows that count.
  template <class Formula>
  [[nodiscard]] double mean_of_rows(Formula&& formula) {
    load_all();
    const Rows rows = spec_.output_rows(sequences().rows);
    cases::Numbers<double> out(*backend_,
                               static_cast<std::size_t>(rows.steps * rows.batch) * outputs());
    pass_.forward(weights_, feed_->in(), out.data());
    const Values y = out.read();
    double sum = 0;
    int count = 0;
    for (int row = 0; row < rows.steps * rows.batch; ++row) {
      if (!rows.has(row / rows.batch, row % rows.batch)) continue;
      const auto at = static_cast<std::size_t>(row);
      sum += formula(std::span(y).subspan(at * outputs(), outputs()), classes_[at],
                     std::span(targets_).subspan(at * outputs(), outputs()));
      ++count;
    }
    return sum / count;
  }

 private:
  static constexpr int kSteps = 6;
  static constexpr int kBatch = 5;

  [[nodiscard]] std::size_t outputs() const {
    return static_cast<std::size_t>(spec_.output.outputs);
  }
  [[nodiscard]] Sequences<double> sequences() const {
    return {x_.data(), {kSteps, kBatch, lengths_}};
  }

  void load_all() {
    weights_.set(parameters_);
    load<double>(*feed_, spec_, sequences(), {classes_.data(), targets_.data()});
  }
  [[nodiscard]] double read_mean() const {
    double mean = 0;
    mean_.read({&mean, 1});
    return mean;
  }

  // What must not be read cannot be missed when it is. With one output per sequence all targets
  // count.
  void hide_padding() {
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const auto hide = [&](Values& values, int row, std::size_t width) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(row) * static_cast<int>(width),
                  width, nan);
    };
    for (int row = 0; row < kSteps * kBatch; ++row) {
      if (sequences().rows.has(row / kBatch, row % kBatch)) continue;
      hide(x_, row, static_cast<std::size_t>(spec_.recurrent.inputs));
      if (spec_.readout == Readout::kLast) continue;
      hide(targets_, row, outputs());
      classes_[static_cast<std::size_t>(row)] = std::numeric_limits<std::int32_t>::min();
    }
  }

  NetworkSpec spec_;
  std::unique_ptr<Backend<double>> backend_;
  NetworkWeights<double> weights_;
  NetworkPass<double> pass_;
  std::unique_ptr<Feed<double>> feed_;
  Array<double> mean_;
  std::vector<std::int32_t> lengths_;
  Values parameters_;
  Values x_;
  std::vector<std::int32_t> classes_;
  Values targets_;
};

template <class Check>
void for_each_network(Check&& check) {
  for (const Cell cell : kCells) {
    for (const Readout readout : kReadouts) {
      for (const Loss loss : kLosses) {
        SCOPED_TRACE(::testing::Message() << to_string(cell) << ", readout " << to_string(readout)
                                          << ", loss " << to_string(loss));
        check(config_of(cell, readout, loss));
      }
    }
  }
}

void expect_derivatives(const Values& gradient, Problem& problem, Values& by, const char* what) {
  ASSERT_EQ(gradient.size(), by.size());
  for (std::size_t i = 0; i < by.size(); ++i) {
    const double expected = derivative([&] { return problem.loss(); }, by[i]);
    EXPECT_NEAR(gradient[i] - kBefore, expected, kTolerance * std::max(1.0, std::abs(expected)))
        << what << " " << i;
  }
}

TEST(NetworkGradient, IsTheDerivativeOfTheLoss) {
  for_each_network([](const ModelConfig& config) {
    Problem problem(config);
    Values dparameters(problem.parameters().size(), kBefore);
    Values dx(problem.x().size(), kBefore);
    const double loss = problem.gradient(dparameters, dx);
    EXPECT_EQ(loss, problem.loss());
    expect_derivatives(dparameters, problem, problem.parameters(), "parameter");
    expect_derivatives(dx, problem, problem.x(), "x");
  });
}

// The textbook formulas, which overflow for large outputs.
double naive_loss(Loss loss, std::span<const double> y, int target,
                  std::span<const double> targets) {
  double sum = 0;
  if (loss == Loss::kSoftmax) {
    for (const double v : y) sum += std::exp(v);
    return -std::log(std::exp(y[static_cast<std::size_t>(target)]) / sum);
  }
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (loss == Loss::kSigmoid) {
      const double p = 1 / (1 + std::exp(-y[j]));
      sum -= targets[j] * std::log(p) + (1 - targets[j]) * std::log(1 - p);
    } else {
      sum += std::pow(y[j] - targets[j], 2);
    }
  }
  return sum / static_cast<double>(y.size());
}

TEST(NetworkLoss, AgreesWithTheTextbook) {
  for_each_network([](const ModelConfig& config) {
    Problem problem(config);
    const double expected = problem.mean_of_rows([&](auto y, int target, auto targets) {
      return naive_loss(config.loss, y, target, targets);
    });
    EXPECT_GT(expected, 0);
    EXPECT_NEAR(problem.loss(), expected, 1e-13 * expected);
  });
}

// One row of four outputs, as large as may be; the wrong class and the wrong labels as well as the
// right ones.
template <class Real>
void expect_extremes(Backend<Real>& backend) {
  const std::vector<Real> y = {1e4, -1e4, 1e4, -1e4};
  const std::vector<Real> labels = {0, 1, 1, 0};
  const std::int32_t wrong = 1;
  const Rows rows{1, 1, {}};
  const auto feed = backend.make_feed();
  feed->load({labels.data(), rows}, 4, {&wrong, labels.data()}, rows, 4);
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
                           {1e4 / 2, -10001.0 / 2, 9999.0 / 2, -1e4 / 2}}};
  for (const Expected& expected : all) {
    SCOPED_TRACE(to_string(expected.loss));
    cases::Numbers<Real> dy(backend, y.size());
    backend.loss(expected.loss, rows, 4, outputs.data(), feed->targets(), mean.data(), dy.data());
    double loss = 0;
    mean.read({&loss, 1});
    EXPECT_NEAR(loss, expected.value, 1e-12 * expected.value);
    const auto gradient = dy.read();
    for (std::size_t j = 0; j < y.size(); ++j) {
      EXPECT_NEAR(static_cast<double>(gradient[j]), expected.gradient[j], 1e-12) << "output " << j;
    }
  }
}

TEST(NetworkLoss, ExtremeOutputsInDouble) { expect_extremes(*make_reference_backend()); }

TEST(NetworkLoss, ExtremeOutputsInFloat) { expect_extremes(*make_cpu_backend(1)); }

}  // namespace
}  // namespace rwa
