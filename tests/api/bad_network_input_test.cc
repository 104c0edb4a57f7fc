// tests/api/bad_network_input_test.cc: invalid symbols, decoder targets and gradients are rejected
// with a message that names the problem.
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/rwa.h"

namespace rwa {
namespace {

using io::expect_error;
using Parts = std::initializer_list<std::string_view>;

constexpr int kSteps = 4, kBatch = 3, kOutputs = 5;

// Expects every function that takes a batch and targets to throw. run() is tested separately.
void refuse(Model& model, const BatchView& batch, const TargetView& targets, Parts parts) {
  Session session(model);
  Trainer trainer(model);
  std::vector<float> gradient(model.parameter_count());
  expect_error<InputError>([&] { session.loss(batch, targets); }, parts);
  expect_error<InputError>([&] { session.gradient(batch, targets, {gradient}); }, parts);
  expect_error<InputError>([&] { trainer.step(batch, targets); }, parts);
}

class BadSymbols : public ::testing::Test {
 protected:
  void refuse_batch(const BatchView& batch, Parts parts) {
    std::vector<float> y(kBatch);
    expect_error<InputError>([&] { Session(model_).run(batch, y); }, parts);
    refuse(model_, batch, {.classes = classes_}, parts);
  }

  Model model_{{.input = Input::kSymbols, .inputs = 7, .units = 3}};
  std::vector<std::int32_t> symbols_ = std::vector<std::int32_t>(kSteps * kBatch, 6);
  std::vector<std::int32_t> classes_ = std::vector<std::int32_t>(kBatch);
  std::vector<float> x_ = std::vector<float>(kSteps * kBatch * 7);
};

TEST_F(BadSymbols, OutOfRange) {
  for (const std::int32_t bad : {-1, 7, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()}) {
    auto symbols = symbols_;
    symbols[2 * kBatch + 1] = bad;
    refuse_batch({.steps = kSteps, .batch = kBatch, .symbols = symbols},
                 {"symbol of sequence 1, step 2 is " + std::to_string(bad), "expected 0 to 6"});
  }
}

TEST_F(BadSymbols, OfAnotherSize) {
  refuse_batch({.steps = kSteps, .batch = kBatch, .symbols = std::span(symbols_).first(11)},
               {"symbols has 11", "expected 12", "[T,B] = [4, 3]"});
  refuse_batch({.steps = kSteps, .batch = kBatch}, {"symbols has 0", "expected 12"});
}

TEST_F(BadSymbols, NumbersInTheirPlace) {
  refuse_batch({.x = x_, .steps = kSteps, .batch = kBatch}, {"x has 84", "none", "takes symbols"});
  refuse_batch({.x = x_, .steps = kSteps, .batch = kBatch, .symbols = symbols_},
               {"x has 84", "none", "takes symbols"});
  Model numbers({.inputs = 7, .units = 3});
  refuse(numbers, {.steps = kSteps, .batch = kBatch, .symbols = symbols_}, {.classes = classes_},
         {"symbols has 12", "none", "takes numbers"});
}

TEST_F(BadSymbols, HaveNoGradient) {
  std::vector<float> weights(model_.parameter_count());
  const BatchView batch{.steps = kSteps, .batch = kBatch, .symbols = symbols_};
  expect_error<InputError>(
      [&] {
        Session(model_).gradient(batch, {.classes = classes_}, {.weights = weights, .x = x_});
      },
      {"gradient of x has 84", "none", "symbols"});
}

class BadDecoder : public ::testing::Test {
 protected:
  using Classes = std::vector<std::int32_t>;

  [[nodiscard]] BatchView batch() const { return {.x = x_, .steps = kSteps, .batch = kBatch}; }
  void refuse_targets(const TargetView& targets, Parts parts) {
    refuse(model_, batch(), targets, parts);
  }

  Model model_{{.inputs = 2, .units = 3, .outputs = kOutputs, .code = 2}};
  std::vector<float> x_ = std::vector<float>(kSteps * kBatch * 2, 0.5F);
  Classes classes_ = Classes(6 * kBatch, 4);
};

TEST_F(BadDecoder, Targets) {
  refuse_targets({.classes = classes_, .steps = 5}, {"classes has 18", "expected 15", "[steps,B]"});
  refuse_targets({.classes = classes_}, {"targets: steps is 0", "expected at least 1"});
  refuse_targets({}, {"targets: steps is 0", "expected at least 1"});
  refuse_targets({.classes = classes_, .steps = -6}, {"targets: steps is -6"});
  refuse_targets({.classes = classes_, .steps = std::numeric_limits<int>::max()},
                 {"targets: steps x batch is 2147483647 x 3", "too many"});
  Classes bad = classes_;
  bad[5 * kBatch + 2] = kOutputs;
  refuse_targets({.classes = bad, .steps = 6}, {"sequence 2, step 5 is 5", "expected 0 to 4"});
}

TEST_F(BadDecoder, LengthsOfTargets) {
  const auto refuse_lengths = [&](const Classes& lengths, Parts parts) {
    refuse_targets({.classes = classes_, .steps = 6, .lengths = lengths}, parts);
  };
  refuse_lengths({6, 6}, {"targets: lengths has 2", "expected 3"});
  refuse_lengths({6, 7, 6}, {"targets: the length of sequence 1 is 7", "0 to 6"});
  refuse_lengths({6, 6, -1}, {"targets: the length of sequence 2 is -1", "0 to 6"});
}

TEST_F(BadDecoder, TargetsPastTheEndAreNeverRead) {
  const Classes lengths = {6, 0, 2};
  const TargetView targets{.classes = classes_, .steps = 6, .lengths = lengths};
  Session session(model_);
  const double loss = session.loss(batch(), targets);
  for (int t = 0; t < 6; ++t) {
    for (std::size_t b = 0; b < kBatch; ++b) {
      if (t >= lengths[b]) classes_[static_cast<std::size_t>(t) * kBatch + b] = -123456789;
    }
  }
  EXPECT_EQ(session.loss(batch(), targets), loss);
  std::vector<float> gradient(model_.parameter_count());
  EXPECT_EQ(session.gradient(batch(), targets, {gradient}), loss);
}

TEST_F(BadDecoder, Outputs) {
  Session session(model_);
  for (const std::size_t size : {0U, 1U, 14U, 16U}) {
    std::vector<float> y(size);
    expect_error<InputError>([&] { session.run(batch(), y); },
                             {"y has " + std::to_string(size), "expected 15", "[steps,B,O]"});
  }
  std::vector<float> y(15);
  expect_error<InputError>([&] { session.loss(batch(), {.classes = classes_, .steps = 6}, y); },
                           {"y has 15", "expected 90", "[steps,B,O]"});
}

TEST_F(BadDecoder, StepsWithoutLayers) {
  Model model(
      {.inputs = 2, .units = 3, .layers = 0, .readout = Readout::kMean, .outputs = 5, .code = 2});
  refuse(model, batch(), {.classes = classes_, .steps = 6},
         {"steps is 4, expected 1", "no layers"});
}

TEST(BadTargets, StepsAndLengthsWithoutADecoder) {
  Model model({.units = 3});
  const std::vector<float> x(kSteps * kBatch);
  const std::vector<std::int32_t> classes(kBatch), lengths(kBatch);
  const BatchView batch{.x = x, .steps = kSteps, .batch = kBatch};
  refuse(model, batch, {.classes = classes, .steps = 1},
         {"targets: steps is 1", "expected 0", "decoder"});
  refuse(model, batch, {.classes = classes, .lengths = lengths},
         {"targets: lengths has 3", "none", "decoder"});
}

TEST(BadGradientOfH, IsRefused) {
  const std::vector<float> x(kSteps * kBatch);
  const std::vector<std::int32_t> classes(kBatch);
  const auto refuse_h = [&](const ModelConfig& config, int steps, std::size_t size, Parts parts) {
    const Model model(config);
    std::vector<float> weights(model.parameter_count()), h(size);
    const BatchView batch{.x = std::span(x).first(static_cast<std::size_t>(steps * kBatch)),
                          .steps = steps,
                          .batch = kBatch};
    const TargetView targets{.classes = classes, .steps = config.code > 0 ? 1 : 0};
    expect_error<InputError>(
        [&] { Session(model).gradient(batch, targets, {.weights = weights, .h = h}); }, parts);
  };
  refuse_h({.units = 3}, kSteps, 35, {"gradient of h has 35", "expected 36", "[T,B,H]"});
  refuse_h({.units = 3, .bidirectional = true}, kSteps, 72, {"gradient of h", "bidirectional"});
  refuse_h({.units = 3, .layers = 0, .readout = Readout::kMean, .code = 2}, 1, 9,
           {"gradient of h", "no layers"});
}

}  // namespace
}  // namespace rwa
