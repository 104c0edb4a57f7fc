// tests/api/bad_input_test.cc: every invalid argument of the public interface throws the right type
// of error with a message that names the problem. Padding may contain anything.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/cells.h"
#include "rwa/rwa.h"

namespace rwa {
namespace {

using io::expect_error;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kDoubleNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BadConfig, SizesThatAreNotPositive) {
  for (const int value : {0, -1, std::numeric_limits<int>::min()}) {
    const auto text = " is " + std::to_string(value);
    expect_error<ConfigError>([&] { Model({.inputs = value}); }, {"inputs" + text, "expected"});
    expect_error<ConfigError>([&] { Model({.units = value}); }, {"units" + text, "expected"});
    expect_error<ConfigError>([&] { Model({.outputs = value}); }, {"outputs" + text, "expected"});
  }
}

TEST(BadConfig, SizesBeyondAnyUse) {
  const int most = std::numeric_limits<int>::max();
  expect_error<ConfigError>([&] { Model({.inputs = most}); }, {"inputs is 2147483647"});
  expect_error<ConfigError>([&] { Model({.units = most}); }, {"units is 2147483647"});
  expect_error<ConfigError>([&] { Model({.outputs = most}); }, {"outputs is 2147483647"});
}

TEST(BadConfig, ValuesOfNoEnumeration) {
  expect_error<ConfigError>([] { Model({.cell = static_cast<Cell>(7)}); }, {"cell", "7"});
  expect_error<ConfigError>([] { Model({.input = static_cast<Input>(2)}); }, {"input", "2"});
  expect_error<ConfigError>([] { Model({.activation = static_cast<Activation>(7)}); },
                            {"activation", "7"});
  expect_error<ConfigError>([] { Model({.readout = static_cast<Readout>(7)}); }, {"readout", "7"});
  expect_error<ConfigError>([] { Model({.loss = static_cast<Loss>(-1)}); }, {"loss", "-1"});
}

TEST(BadConfig, UnknownNames) {
  expect_error<ConfigError>([] { parse_cell("gated"); }, {"cell", "'gated'", "rwa", "lstm"});
  expect_error<ConfigError>([] { parse_activation("relu"); }, {"'relu'", "tanh", "identity"});
  expect_error<ConfigError>([] { parse_input("text"); }, {"input", "'text'", "numbers", "symbols"});
  expect_error<ConfigError>([] { parse_readout(""); },
                            {"readout", "last", "every", "mean", "attention"});
  expect_error<ConfigError>([] { parse_loss("Soft"); },
                            {"'Soft'", "softmax", "sigmoid", "squared-error"});
}

TEST(BadConfig, NamesInAnyCaseAndWithUnderscores) {
  EXPECT_EQ(parse_cell("LSTM"), Cell::kLstm);
  EXPECT_EQ(parse_cell("RWA_forget"), Cell::kRwaForget);
  EXPECT_EQ(parse_readout("Last"), Readout::kLast);
  EXPECT_EQ(parse_loss("squared_error"), Loss::kSquaredError);
  expect_error<ConfigError>([] { parse_loss("squared error"); }, {"'squared error'"});
}

TEST(BadConfig, NamesComeBack) {
  for (const auto v : all_cells()) EXPECT_EQ(parse_cell(to_string(v)), v);
  for (const auto v : {Activation::kTanh, Activation::kIdentity}) {
    EXPECT_EQ(parse_activation(to_string(v)), v);
  }
  for (const auto v : {Input::kNumbers, Input::kSymbols}) EXPECT_EQ(parse_input(to_string(v)), v);
  for (const auto v : {Readout::kLast, Readout::kEvery, Readout::kMean, Readout::kAttention}) {
    EXPECT_EQ(parse_readout(to_string(v)), v);
  }
  for (const auto v : {Loss::kSoftmax, Loss::kSigmoid, Loss::kSquaredError}) {
    EXPECT_EQ(parse_loss(to_string(v)), v);
  }
}

TEST(BadConfig, NumbersOutOfRange) {
  for (const int value : {-1, std::numeric_limits<int>::max()}) {
    const auto text = " is " + std::to_string(value);
    expect_error<ConfigError>([&] { Model({.input = Input::kSymbols, .embedding = value}); },
                              {"embedding" + text});
    expect_error<ConfigError>([&] { Model({.layers = value}); }, {"layers" + text, "expected"});
    expect_error<ConfigError>([&] { Model({.code = value}); }, {"code" + text, "expected"});
  }
  for (const double value : {-0.1, 1.0, kDoubleNaN, kInfinity}) {
    expect_error<ConfigError>([&] { Model({.layers = 2, .dropout = value}); },
                              {"dropout is", "expected"});
  }
  for (const double value : {-0.1, 1.1, kDoubleNaN}) {
    expect_error<ConfigError>([&] { Model({.lasting = value}); }, {"lasting is", "expected"});
  }
  expect_error<ConfigError>([&] { Model({.span = 0}); }, {"span is 0", "expected"});
}

TEST(BadConfig, PartsThatDoNotGoTogether) {
  expect_error<ConfigError>([] { Model({.embedding = 4}); }, {"embedding is 4", "numbers"});
  expect_error<ConfigError>([] { Model({.layers = 0}); }, {"layers is 0", "decoder"});
  expect_error<ConfigError>([] { Model({.dropout = 0.5}); }, {"dropout is 0.5", "layers"});
  expect_error<ConfigError>([] { Model({.readout = Readout::kEvery, .code = 3}); },
                            {"readout is every", "decoder"});
  expect_error<ConfigError>([] { Model({.loss = Loss::kSigmoid, .code = 3}); },
                            {"loss is sigmoid", "decoder"});
  expect_error<ConfigError>([] { (void)describe({.layers = 0}); }, {"layers is 0", "decoder"});
}

TEST(BadConfig, Threads) {
  Model model({.units = 3});
  for (const int threads : {0, -1, std::numeric_limits<int>::max()}) {
    const auto text = "threads is " + std::to_string(threads);
    expect_error<ConfigError>([&] { Session(model, {.threads = threads}); }, {text});
    expect_error<ConfigError>([&] { Trainer(model, {.session = {.threads = threads}}); }, {text});
  }
}

TEST(BadConfig, Memory) {
  Model model({.units = 3});
  const auto memory = static_cast<Memory>(7);
  expect_error<ConfigError>([&] { Session(model, {.memory = memory}); }, {"memory", "7"});
  expect_error<ConfigError>([&] { Trainer(model, {.session = {.memory = memory}}); },
                            {"memory", "7"});
}

TEST(BadConfig, Device) {
  Model model({.units = 3});
  for (const char* name : {"", "gpu", "CPU", "cpu:0", "cuda:", "cuda:x", "cuda:-1", "cuda:01"}) {
    const auto text = std::string("device is '") + name + "'";
    expect_error<ConfigError>([&] { Session(model, {.device = name}); }, {text, "expected cpu"});
    expect_error<ConfigError>([&] { Trainer(model, {.session = {.device = name}}); }, {text});
    expect_error<ConfigError>([&] { (void)find_device(name); }, {text, "cpu"});
  }
  EXPECT_EQ(devices().front().name, "cpu");
}

TEST(BadConfig, Share) {
  Model model({.units = 3});
  for (const int share : {0, -1, 65}) {
    const auto text = "share is " + std::to_string(share);
    expect_error<ConfigError>([&] { Session(model, {.share = share}); }, {text, "1 to 64"});
  }
}

TEST(BadConfig, TrainerOptions) {
  Model model({.units = 3});
  const auto refuse = [&](double TrainerOptions::*option, double value, std::string_view message) {
    TrainerOptions options;
    options.*option = value;
    expect_error<ConfigError>([&] { Trainer(model, options); }, {message, "expected"});
  };
  refuse(&TrainerOptions::learning_rate, -0.5, "learning_rate is -0.5");
  refuse(&TrainerOptions::learning_rate, kDoubleNaN, "learning_rate is nan");
  refuse(&TrainerOptions::learning_rate, kInfinity, "learning_rate is inf");
  refuse(&TrainerOptions::beta1, -0.1, "beta1 is -0.1");
  refuse(&TrainerOptions::beta1, 1, "beta1 is 1");
  refuse(&TrainerOptions::beta1, kDoubleNaN, "beta1 is nan");
  refuse(&TrainerOptions::beta2, -1, "beta2 is -1");
  refuse(&TrainerOptions::beta2, 1.5, "beta2 is 1.5");
  refuse(&TrainerOptions::beta2, kDoubleNaN, "beta2 is nan");
  refuse(&TrainerOptions::learning_rate, 1e300, "learning_rate is 1e+300");
  refuse(&TrainerOptions::epsilon, -1e-8, "epsilon is -1e-08");
  refuse(&TrainerOptions::epsilon, 0, "epsilon is 0");
  refuse(&TrainerOptions::epsilon, kDoubleNaN, "epsilon is nan");
  refuse(&TrainerOptions::clip_norm, -1, "clip_norm is -1");
  refuse(&TrainerOptions::clip_norm, kDoubleNaN, "clip_norm is nan");
}

TEST(BadConfig, TrainerState) {
  Model model({.units = 3});
  Trainer trainer(model);
  const auto refuse = [&](auto change, std::initializer_list<std::string_view> message) {
    TrainerState state = trainer.state();
    change(state);
    expect_error<InputError>([&] { trainer.set_state(state); }, message);
  };
  refuse([](auto& state) { state.mean.pop_back(); }, {"mean has", "expected"});
  refuse([](auto& state) { state.variance.push_back(0); }, {"variance has", "expected"});
  refuse([](auto& state) { state.steps = -1; }, {"steps is -1", "expected"});
  refuse([](auto& state) { state.mean[2] = kNaN; }, {"mean nan", "at index 2"});
  refuse([](auto& state) { state.variance[1] = -1; }, {"variance -1", "at index 1"});
}

// A model of D = 2, H = 3, O = 4 and buffers that fit a batch of T = 5, B = 6.
class BadBatch : public ::testing::Test {
 protected:
  static constexpr int kSteps = 5;
  static constexpr int kBatch = 6;
  static constexpr int kOutputs = 4;

  static Model make(Readout readout, Loss loss) {
    return Model({.inputs = 2, .units = 3, .readout = readout, .outputs = kOutputs, .loss = loss});
  }
  [[nodiscard]] BatchView batch() const { return {x_, kSteps, kBatch, {}}; }

  // Expects every function that takes a batch to throw.
  void refuse_batch(const BatchView& bad, std::initializer_list<std::string_view> parts) {
    Model model = make(Readout::kLast, Loss::kSoftmax);
    Session session(model);
    Trainer trainer(model);
    const TargetView targets{.classes = classes_};
    std::vector<float> gradient(model.parameter_count());
    expect_error<InputError>([&] { session.run(bad, y_); }, parts);
    expect_error<InputError>([&] { session.loss(bad, targets); }, parts);
    expect_error<InputError>([&] { session.gradient(bad, targets, {gradient}); }, parts);
    expect_error<InputError>([&] { trainer.step(bad, targets); }, parts);
  }

  // Expects every function that takes targets to throw.
  void refuse_targets(Model model, const BatchView& view, const TargetView& bad,
                      std::initializer_list<std::string_view> parts) {
    Session session(model);
    Trainer trainer(model);
    std::vector<float> gradient(model.parameter_count());
    expect_error<InputError>([&] { session.loss(view, bad); }, parts);
    expect_error<InputError>([&] { session.gradient(view, bad, {gradient}); }, parts);
    expect_error<InputError>([&] { trainer.step(view, bad); }, parts);
  }

  std::vector<float> x_ = std::vector<float>(kSteps * kBatch * 2, 0.5F);
  std::vector<float> y_ = std::vector<float>(kBatch * kOutputs);
  std::vector<std::int32_t> classes_ = std::vector<std::int32_t>(kBatch, 1);
};

TEST_F(BadBatch, CountsOutOfRange) {
  refuse_batch({x_, -1, kBatch, {}}, {"steps is -1"});
  refuse_batch({{}, kSteps, 0, {}}, {"batch is 0"});
  refuse_batch({x_, kSteps, -3, {}}, {"batch is -3"});
  refuse_batch({x_, 1 << 16, 1 << 16, {}}, {"65536", "too many"});
  const int most = std::numeric_limits<int>::max();
  refuse_batch({x_, most, most, {}}, {"2147483647", "too many"});
}

TEST_F(BadBatch, FeaturesOfAnotherSize) {
  const std::span<const float> x = x_;
  refuse_batch({x.first(59), kSteps, kBatch, {}}, {"x has 59", "expected 60", "[5, 6, 2]"});
  refuse_batch({x, kSteps + 1, kBatch, {}}, {"x has 60", "expected 72"});
  refuse_batch({{}, kSteps, kBatch, {}}, {"x has 0", "expected 60"});
  refuse_batch({x, 0, kBatch, {}}, {"steps is 0", "at least 1"});
}

TEST_F(BadBatch, Lengths) {
  using Lengths = std::vector<std::int32_t>;
  const auto refuse = [&](const Lengths& lengths, std::initializer_list<std::string_view> parts) {
    refuse_batch({x_, kSteps, kBatch, lengths}, parts);
  };
  refuse({1, 2, 3}, {"lengths has 3", "expected 6"});
  refuse({1, 2, 3, 4, 5, 5, 5}, {"lengths has 7", "expected 6"});
  refuse({5, 5, -1, 5, 5, 5}, {"sequence 2", "is -1", "0 to 5"});
  refuse({5, 5, 5, 5, 5, 6}, {"sequence 5", "is 6", "0 to 5"});
}

TEST_F(BadBatch, Outputs) {
  for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
    const Model model = make(readout, Loss::kSoftmax);
    Session session(model);
    std::vector<float> y((readout == Readout::kLast ? 24 : 120) + 1);
    const auto expected = "expected " + std::to_string(y.size() - 1);
    const auto shape = readout == Readout::kLast ? "[B,O]" : "[T,B,O]";
    expect_error<InputError>([&] { session.run(batch(), y); }, {"y has", expected, shape});
    expect_error<InputError>([&] { session.run(batch(), {}); }, {"y has 0", expected, shape});
    const std::vector<std::int32_t> classes(y.size() / kOutputs);
    expect_error<InputError>([&] { session.loss(batch(), {.classes = classes}, y); },
                             {"y has", expected, shape});
  }
}

TEST_F(BadBatch, GradientsOfAnotherSize) {
  const Model model = make(Readout::kLast, Loss::kSoftmax);
  Session session(model);
  const TargetView targets{.classes = classes_};
  std::vector<float> weights(model.parameter_count());
  std::vector<float> x(x_.size() - 1);
  const auto expected = "expected " + std::to_string(weights.size());
  const auto short_weights = std::span(weights).first(weights.size() - 1);
  expect_error<InputError>([&] { session.gradient(batch(), targets, {short_weights}); },
                           {"gradient", expected});
  expect_error<InputError>([&] { session.gradient(batch(), targets, {{}}); },
                           {"gradient has 0", expected});
  expect_error<InputError>(
      [&] {
        session.gradient(batch(), targets, {weights, x});
      },
      {"gradient of x has 59", "expected 60"});
}

TEST_F(BadBatch, ClassesOfAnotherSize) {
  const std::vector<std::int32_t> five(5);
  const std::vector<float> values(kBatch * kOutputs);
  refuse_targets(make(Readout::kLast, Loss::kSoftmax), batch(), {.classes = five},
                 {"classes has 5", "expected 6", "[B]"});
  refuse_targets(make(Readout::kEvery, Loss::kSoftmax), batch(), {.classes = classes_},
                 {"classes has 6", "expected 30", "[T,B]"});
  refuse_targets(make(Readout::kLast, Loss::kSoftmax), batch(), {.values = values},
                 {"classes has 0", "expected 6"});
}

TEST_F(BadBatch, ValuesOfAnotherSize) {
  const std::vector<float> values(kBatch * kOutputs);
  for (const Loss loss : {Loss::kSigmoid, Loss::kSquaredError}) {
    refuse_targets(make(Readout::kLast, loss), batch(), {.values = std::span(values).first(6)},
                   {"values has 6", "expected 24", "[B,O]"});
    refuse_targets(make(Readout::kEvery, loss), batch(), {.values = values},
                   {"values has 24", "expected 120", "[T,B,O]"});
    refuse_targets(make(Readout::kLast, loss), batch(), {.classes = classes_},
                   {"values has 0", "expected 24"});
  }
}

TEST_F(BadBatch, ClassesOutOfRange) {
  for (const std::int32_t bad : {-1, kOutputs, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()}) {
    const auto found = "is " + std::to_string(bad);
    auto classes = classes_;
    classes[4] = bad;
    refuse_targets(make(Readout::kLast, Loss::kSoftmax), batch(), {.classes = classes},
                   {"sequence 4", found, "expected 0 to 3"});
    std::vector<std::int32_t> every(kSteps * kBatch);
    every[3 * kBatch + 2] = bad;
    refuse_targets(make(Readout::kEvery, Loss::kSoftmax), batch(), {.classes = every},
                   {"sequence 2", "step 3", found, "expected 0 to 3"});
  }
}

TEST_F(BadBatch, ClassesPastTheEndAreNeverRead) {
  const Model model = make(Readout::kEvery, Loss::kSoftmax);
  Session session(model);
  const std::vector<std::int32_t> lengths = {0, 1, 2, 3, 4, 5};
  const BatchView ragged{x_, kSteps, kBatch, lengths};
  std::vector<std::int32_t> classes(kSteps * kBatch, 2);
  const double loss = session.loss(ragged, {.classes = classes});
  for (int t = 0; t < kSteps; ++t) {
    for (int b = 0; b < kBatch; ++b) {
      if (t >= b) classes[static_cast<std::size_t>(t * kBatch + b)] = -123456789;
    }
  }
  EXPECT_EQ(session.loss(ragged, {.classes = classes}), loss);
  std::vector<float> gradient(model.parameter_count());
  EXPECT_EQ(session.gradient(ragged, {.classes = classes}, {gradient}), loss);
}

TEST_F(BadBatch, OutputsPastTheEndAreLeftAlone) {
  const Model model = make(Readout::kEvery, Loss::kSoftmax);
  const std::vector<std::int32_t> lengths = {0, 1, 2, 3, 4, 5};
  std::vector<float> y(kSteps * kBatch * kOutputs, 123.0F);
  Session(model).run({x_, kSteps, kBatch, lengths}, y);
  for (int t = 0; t < kSteps; ++t) {
    for (int b = 0; b < kBatch; ++b) {
      const float found = y[static_cast<std::size_t>((t * kBatch + b) * kOutputs)];
      EXPECT_EQ(found == 123.0F, t >= b) << "step " << t << " sequence " << b;
    }
  }
}

// These are not errors: an empty batch gives the initial output of every sequence, and a loss of 0.
TEST_F(BadBatch, NoStepsAtAll) {
  const Model last = make(Readout::kLast, Loss::kSoftmax);
  Session(last).run({{}, 0, kBatch, {}}, y_);
  EXPECT_NE(y_[0], 0.0F);
  const Model every = make(Readout::kEvery, Loss::kSoftmax);
  std::vector<float> gradient(every.parameter_count());
  EXPECT_EQ(Session(every).gradient({{}, 0, kBatch, {}}, {}, {gradient}), 0.0);
  EXPECT_EQ(gradient, std::vector<float>(gradient.size()));
}

TEST(BadWeights, SizeAndValues) {
  Model model({.units = 3});
  const std::vector<float> before(model.weights().begin(), model.weights().end());
  std::vector<float> weights = before;
  const auto expected = "expected " + std::to_string(weights.size());
  expect_error<InputError>([&] { model.set_weights({}); }, {"weights has 0", expected});
  weights.push_back(0);
  expect_error<InputError>([&] { model.set_weights(weights); }, {"weights has", expected});
  weights.pop_back();
  for (const float bad : {kNaN, std::numeric_limits<float>::infinity()}) {
    weights[7] = bad;
    expect_error<InputError>([&] { model.set_weights(weights); },
                             {"weights", "value 7", std::to_string(bad), "finite"});
  }
  EXPECT_EQ(before, std::vector<float>(model.weights().begin(), model.weights().end()));
}

TEST(BadWeights, Parameters) {
  Model model({.inputs = 2, .units = 3});
  const std::vector<float> before(model.weights().begin(), model.weights().end());
  const std::vector<float> start = {1, kNaN, 3};
  expect_error<InputError>([&] { model.set_parameter("layers.1.bias", start); },
                           {"'layers.1.bias'"});
  expect_error<InputError>([&] { model.set_parameter("", start); }, {"''"});
  expect_error<InputError>([&] { model.set_parameter("layers.0.weight_x", start); },
                           {"layers.0.weight_x", "has 3", "expected 18", "[9, 2]"});
  expect_error<InputError>([&] { model.set_parameter("layers.0.start", start); },
                           {"layers.0.start", "value 1", "nan", "finite"});
  EXPECT_EQ(before, std::vector<float>(model.weights().begin(), model.weights().end()));
}

TEST(BadStream, Sizes) {
  const Model model({.inputs = 2, .units = 3, .outputs = 4});
  Stream stream(model);
  std::vector<float> two(2), three(3), four(4);
  expect_error<InputError>([&] { stream.step(three, four); }, {"x has 3", "expected 2", "[D]"});
  expect_error<InputError>([&] { stream.step(std::span<const float>(), four); },
                           {"x has 0", "expected 2"});
  expect_error<InputError>([&] { stream.step(two, three); }, {"y has 3", "expected 4", "[O]"});
  expect_error<InputError>([&] { stream.set_state(four); }, {"state has 4", "expected 15"});
}

// A call that throws leaves the session usable.
TEST_F(BadBatch, ASessionSurvivesARefusal) {
  const Model model = make(Readout::kLast, Loss::kSoftmax);
  std::vector<float> expected(y_.size());
  Session(model).run(batch(), expected);
  Session session(model);
  expect_error<InputError>([&] { session.run({{}, kSteps, kBatch, {}}, y_); }, {"x has 0"});
  session.run(batch(), y_);
  EXPECT_EQ(y_, expected);
}

// Valid sizes whose products do not fit into 32 bits.
TEST(LargeInput, ManySequencesOfOneStep) {
  constexpr int kBatch = 250'000;
  const Model model({.units = 1, .outputs = 1});
  std::vector<float> x(kBatch, 0.5f);
  x.back() = 0.25f;
  std::vector<float> y(kBatch);
  Session(model).run({.x = x, .steps = 1, .batch = kBatch}, y);
  std::vector<float> alone(1);
  Session(model).run({.x = std::span(x).last(1), .steps = 1, .batch = 1}, alone);
  EXPECT_EQ(y.back(), alone[0]);
  EXPECT_EQ(y.front(), y[kBatch / 2]);
}

TEST(LargeInput, ManyFeatures) {
  constexpr int kInputs = 160'000;
  const Model model({.inputs = kInputs, .cell = Cell::kLstm, .units = 1, .outputs = 2});
  const std::vector<float> x(kInputs, 1e-3f);
  const std::vector<std::int32_t> classes = {1};
  std::vector<float> gradient(model.parameter_count());
  Session(model).gradient({.x = x, .steps = 1, .batch = 1}, {.classes = classes},
                          {.weights = gradient});
  // All features are equal, and so are their gradients.
  EXPECT_NE(gradient[0], 0.0f);
  EXPECT_EQ(gradient[0], gradient[kInputs - 1]);
}

}  // namespace
}  // namespace rwa
