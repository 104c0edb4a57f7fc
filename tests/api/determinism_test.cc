// tests/api/determinism_test.cc: the public interface gives the same bits for any number of threads
// and any memory, accumulates gradients, and takes Adam steps as written out by hand.
#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "api/networks.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/cases.h"

namespace rwa {
namespace {

using cases::all_networks;
using cases::all_uneven;
using cases::copy;
using cases::Data;
using cases::Draw;
using cases::kUnevenBatch;
using cases::kUnevenSteps;
using cases::make_data;
using cases::name;
using cases::network_data;
using cases::product;
using cases::uneven;

// All results of training and of one gradient.
struct Outcome {
  std::vector<double> losses, norms;
  std::vector<float> weights, gradient, x_gradient, y;

  void expect_same_bits(const Outcome& other) const {
    EXPECT_TRUE(cases::same_bits(losses, other.losses));
    EXPECT_TRUE(cases::same_bits(norms, other.norms));
    EXPECT_TRUE(cases::same_bits(weights, other.weights));
    EXPECT_TRUE(cases::same_bits(gradient, other.gradient));
    EXPECT_TRUE(cases::same_bits(x_gradient, other.x_gradient));
    EXPECT_TRUE(cases::same_bits(y, other.y));
  }
};

Outcome train(const ModelConfig& config, const SessionOptions& options) {
  constexpr int kSteps = 20;
  Model model(config);
  Trainer trainer(model, {.learning_rate = 0.01, .clip_norm = 0.5, .session = options});
  Outcome out;
  for (int step = 0; step < kSteps; ++step) {
    const Data data = network_data(config, kUnevenSteps, kUnevenBatch, static_cast<unsigned>(step));
    const StepResult result = trainer.step(data.view(), data.targets());
    out.losses.push_back(result.loss);
    out.norms.push_back(result.gradient_norm);
  }
  EXPECT_EQ(trainer.steps(), kSteps);
  out.weights = copy(model.weights());
  const Data data = network_data(config, kUnevenSteps, kUnevenBatch, kSteps);
  out.gradient.resize(model.parameter_count());
  out.x_gradient.resize(data.x.size());
  out.y.resize(data.values.size());
  Session session(model, options);
  out.losses.push_back(
      session.gradient(data.view(), data.targets(), {out.gradient, out.x_gradient}));
  out.losses.push_back(session.loss(data.view(), data.targets()));
  session.run(data.view(), out.y);
  return out;
}

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBits) {
  for (const ModelConfig& config : all_networks()) {
    const Outcome one = train(config, {.threads = 1});
    for (const int threads : {2, 3, 8}) {
      SCOPED_TRACE(name(config) + ", " + std::to_string(threads) + " threads");
      train(config, {.threads = threads}).expect_same_bits(one);
    }
  }
}

TEST(Determinism, LittleMemoryGivesTheSameBits) {
  for (const ModelConfig& config : all_networks()) {
    SCOPED_TRACE(name(config));
    const Outcome full = train(config, {.threads = 2, .memory = Memory::kFull});
    train(config, {.threads = 2, .memory = Memory::kChunked}).expect_same_bits(full);
  }
}

// After moving weights and state to another model and trainer, later steps have the same bits.
TEST(Determinism, TrainingGoesOnFromItsState) {
  for (const ModelConfig& config : all_networks()) {
    SCOPED_TRACE(name(config));
    const auto step = [&](Trainer& trainer, unsigned number) {
      const Data data = network_data(config, 7, 5, number);
      return trainer.step(data.view(), data.targets()).loss;
    };
    Model model(config);
    Trainer trainer(model);
    for (unsigned i = 0; i < 3; ++i) step(trainer, i);
    Model other(config);
    other.set_weights(model.weights());
    Trainer later(other);
    later.set_state(trainer.state());
    EXPECT_EQ(later.steps(), 3);
    for (unsigned i = 3; i < 6; ++i) EXPECT_EQ(step(later, i), step(trainer, i));
    EXPECT_TRUE(cases::same_bits(other.weights(), model.weights()));
    EXPECT_TRUE(cases::same_bits(later.state().mean, trainer.state().mean));
    EXPECT_TRUE(cases::same_bits(later.state().variance, trainer.state().variance));
  }
}

TEST(Determinism, LossAlsoGivesTheOutputs) {
  for (const ModelConfig& config : all_uneven()) {
    SCOPED_TRACE(name(config));
    const Model model(config);
    const Data data = make_data(config, 7, 5, 1);
    std::vector<float> run(data.values.size()), scored(run);
    Session session(model);
    session.run(data.view(), run);
    EXPECT_EQ(session.loss(data.view(), data.targets(), scored),
              session.loss(data.view(), data.targets()));
    EXPECT_TRUE(cases::same_bits(scored, run));
  }
}

TEST(Determinism, TheSeedDecidesTheWeights) {
  ModelConfig config = uneven(Cell::kRwa, Readout::kLast);
  const Model model(config);
  EXPECT_TRUE(cases::same_bits(model.weights(), Model(config).weights()));
  config.seed = 2;
  EXPECT_FALSE(cases::same_bits(model.weights(), Model(config).weights()));
}

// A session carries nothing from one batch to the next.
TEST(Determinism, AUsedSessionGivesTheBitsOfANewOne) {
  for (const ModelConfig& config : all_networks()) {
    SCOPED_TRACE(name(config));
    const Model model(config);
    const Data data = network_data(config, 7, 5, 1);
    const Data larger = network_data(config, kUnevenSteps, kUnevenBatch, 2);
    std::vector<float> unused(model.parameter_count()), fresh(unused), reused(unused);
    Session session(model);
    session.gradient(larger.view(), larger.targets(), {unused});
    const double loss = session.gradient(data.view(), data.targets(), {reused});
    EXPECT_EQ(loss, Session(model).gradient(data.view(), data.targets(), {fresh}));
    EXPECT_TRUE(cases::same_bits(fresh, reused));
  }
}

TEST(Gradient, IsAddedToWhatIsThere) {
  for (const ModelConfig& config : all_networks()) {
    SCOPED_TRACE(name(config));
    const Model model(config);
    const Data data = network_data(config, kUnevenSteps, kUnevenBatch, 3);
    Session session(model);
    std::vector<float> once(model.parameter_count()), once_x(data.x.size());
    session.gradient(data.view(), data.targets(), {once, once_x});
    std::vector<float> sum(once.size(), 1.0F), sum_x(once_x.size(), -1.0F);
    session.gradient(data.view(), data.targets(), {sum, sum_x});
    session.gradient(data.view(), data.targets(), {sum, sum_x});
    // The gradient of an embedding is added step by step and rounded each time.
    const double tolerance = config.embedding > 0 || config.code > 0 ? 1e-5 : 1e-6;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      ASSERT_NEAR(sum[i], 1 + 2 * once[i], tolerance) << i;
    }
    for (std::size_t i = 0; i < sum_x.size(); ++i) {
      ASSERT_NEAR(sum_x[i], -1 + 2 * once_x[i], 1e-6) << i;
    }
  }
}

// The gradient of the weights does not depend on whether that of x is computed.
TEST(Gradient, OfTheWeightsAlone) {
  const ModelConfig config = uneven(Cell::kRwa, Readout::kEvery);
  const Model model(config);
  const Data data = make_data(config, kUnevenSteps, kUnevenBatch, 4);
  std::vector<float> with(model.parameter_count()), without(with), x(data.x.size());
  Session session(model);
  session.gradient(data.view(), data.targets(), {with, x});
  session.gradient(data.view(), data.targets(), {without});
  EXPECT_TRUE(cases::same_bits(with, without));
}

double length(const std::vector<float>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

// Adam in double precision as in its paper, on the gradients of the trained model.
class AdamByHand {
 public:
  AdamByHand(const TrainerOptions& options, std::span<const float> weights)
      : options_(options),
        weights_(weights.begin(), weights.end()),
        mean_(weights.size()),
        variance_(weights.size()) {}

  void step(const std::vector<float>& gradient) {
    ++steps_;
    const double norm = length(gradient);
    const double clip = options_.clip_norm;
    const double scale = clip > 0 && norm > clip ? clip / norm : 1;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double g = scale * gradient[i];
      mean_[i] = options_.beta1 * mean_[i] + (1 - options_.beta1) * g;
      variance_[i] = options_.beta2 * variance_[i] + (1 - options_.beta2) * g * g;
      const double mean = mean_[i] / (1 - std::pow(options_.beta1, steps_));
      const double variance = variance_[i] / (1 - std::pow(options_.beta2, steps_));
      weights_[i] -= options_.learning_rate * mean / (std::sqrt(variance) + options_.epsilon);
    }
  }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  TrainerOptions options_;
  std::vector<double> weights_, mean_, variance_;
  int steps_ = 0;
};

// Returns the weights after some steps; expects them to match those computed by hand.
std::vector<float> expect_adam(const TrainerOptions& options) {
  const ModelConfig config = uneven(Cell::kRwa, Readout::kLast);
  Model model(config);
  Trainer trainer(model, options);
  AdamByHand by_hand(options, model.weights());
  for (unsigned step = 0; step < 8; ++step) {
    const Data data = make_data(config, 10, 6, step);
    std::vector<float> gradient(model.parameter_count());
    const double loss = Session(model).gradient(data.view(), data.targets(), {gradient});
    const StepResult result = trainer.step(data.view(), data.targets());
    EXPECT_EQ(result.loss, loss);
    EXPECT_NEAR(result.gradient_norm, length(gradient), 1e-9);
    by_hand.step(gradient);
    EXPECT_LE(cases::largest_difference(copy(model.weights()), by_hand.weights()), 1e-6)
        << "step " << step;
  }
  return copy(model.weights());
}

TEST(Adam, IsAsWrittenByHand) {
  expect_adam({});
  expect_adam({.learning_rate = 0.02, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3, .session = {}});
}

// With a large epsilon a step is proportional to the gradient; otherwise Adam cancels its scale.
TEST(Adam, ClippingShortensTheGradient) {
  const TrainerOptions options{.learning_rate = 0.1, .epsilon = 1, .session = {}};
  TrainerOptions clipped = options;
  clipped.clip_norm = 0.01;
  TrainerOptions not_reached = options;
  not_reached.clip_norm = 1e6;
  const auto without = expect_adam(options);
  const auto with = expect_adam(clipped);
  EXPECT_GT(cases::largest_difference(with, without), 1e-3);
  EXPECT_TRUE(cases::same_bits(expect_adam(not_reached), without));
}

// A short version of the paper's adding problem: the sum of the two marked values of a sequence.
Data adding(int steps, int batch, Draw& draw) {
  Data data{.steps = steps,
            .batch = batch,
            .x = std::vector<float>(product(steps, batch, 2)),
            .symbols = {},
            .lengths = {},
            .classes = {},
            .values = std::vector<float>(product(batch, 1)),
            .target_steps = 0,
            .target_lengths = {}};
  for (std::size_t i = 0; i < data.x.size(); i += 2) data.x[i] = draw.uniform(0, 1);
  for (int b = 0; b < batch; ++b) {
    const int half = steps / 2;
    for (const int t : {draw.integer(0, half - 1), draw.integer(half, steps - 1)}) {
      const std::size_t at = (product(t, batch) + static_cast<std::size_t>(b)) * 2;
      data.x[at + 1] = 1;
      data.values[static_cast<std::size_t>(b)] += data.x[at];
    }
  }
  return data;
}

TEST(Training, LearnsToAdd) {
  for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
    Model model(
        {.inputs = 2, .cell = cell, .units = 20, .outputs = 1, .loss = Loss::kSquaredError});
    Trainer trainer(model, {.learning_rate = 0.01, .session = {}});
    Draw draw(5);
    const Data test = adding(10, 100, draw);
    const double before = Session(model).loss(test.view(), test.targets());
    for (int step = 0; step < 400; ++step) {
      const Data data = adding(10, 32, draw);
      trainer.step(data.view(), data.targets());
    }
    const double after = Session(model).loss(test.view(), test.targets());
    // Always predicting 1 gives 1/6.
    EXPECT_LT(after, 0.03) << to_string(cell) << ", before: " << before;
  }
}

void expect_divergence_leaves_everything(const ModelConfig& config, const Data& bad) {
  Model model(config);
  Trainer trainer(model);
  const Data good = make_data(config, 5, 4, 6);
  trainer.step(good.view(), good.targets());
  const auto before = copy(model.weights());
  try {
    trainer.step(bad.view(), bad.targets());
    FAIL() << "no error";
  } catch (const DivergenceError& error) {
    EXPECT_NE(std::string(error.what()).find("step 2"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(cases::same_bits(before, copy(model.weights())));
  EXPECT_EQ(trainer.steps(), 1);

  // The failed step has left no trace in the optimiser either.
  Model other(config);
  Trainer undisturbed(other);
  undisturbed.step(good.view(), good.targets());
  EXPECT_EQ(trainer.step(good.view(), good.targets()).loss,
            undisturbed.step(good.view(), good.targets()).loss);
  EXPECT_TRUE(cases::same_bits(model.weights(), other.weights()));
}

TEST(Training, DivergenceIsReportedAndChangesNothing) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (ModelConfig config : all_uneven()) {
      SCOPED_TRACE(name(config) + ", " + std::to_string(value));
      Data bad = make_data(config, 5, 4, 7);
      bad.lengths = {5, 5, 5, 5};
      bad.x[1] = value;
      expect_divergence_leaves_everything(config, bad);
      config.loss = Loss::kSquaredError;
      bad.x[1] = 0;
      bad.values[0] = value;
      expect_divergence_leaves_everything(config, bad);
    }
  }
}

TEST(Training, AGradientThatAdamCannotSquareIsRefused) {
  // A target this large gives a finite loss and finite gradients, whose squares are infinite.
  const std::vector<float> x(5 * 4, 1.0f);
  const std::vector<float> target(4, 1e25f);
  Model model({.units = 7, .loss = Loss::kSquaredError});
  const std::vector<float> before = copy(model.weights());
  Trainer trainer(model);
  EXPECT_THROW(trainer.step({.x = x, .steps = 5, .batch = 4}, {.values = target}), DivergenceError);
  EXPECT_TRUE(cases::same_bits(before, copy(model.weights())));
  EXPECT_EQ(trainer.steps(), 0);
}

std::vector<double> losses_of(Model& model, std::size_t steps) {
  std::vector<double> losses(steps);
  Trainer trainer(model);
  const Data data = make_data(model.config(), 12, 6, 1);
  for (double& loss : losses) loss = trainer.step(data.view(), data.targets()).loss;
  return losses;
}

// Dropout depends on the seed and the step, and on nothing else.
TEST(Training, HidesOtherOutputsAtEveryStep) {
  ModelConfig config{.inputs = 3, .units = 9, .layers = 2, .dropout = 0.5, .outputs = 5};
  Model model(config), again(config);
  const std::vector<float> initial = copy(model.weights());
  const auto losses = losses_of(model, 3);
  EXPECT_TRUE(cases::same_bits(losses_of(again, 3), losses));
  Model other_seed([&] {
    ModelConfig other = config;
    other.seed = 2;
    return other;
  }());
  other_seed.set_weights(initial);
  EXPECT_NE(losses_of(other_seed, 1).front(), losses.front());
  config.dropout = 0;
  Model whole(config);
  EXPECT_NE(losses_of(whole, 1).front(), losses.front());

  // There is no dropout outside training, and each training step drops other outputs.
  const Data data = make_data(config, 12, 6, 1);
  Model fresh(again.config());
  EXPECT_EQ(Session(fresh).loss(data.view(), data.targets()),
            Session(Model(config)).loss(data.view(), data.targets()));
  Trainer trainer(fresh, {.learning_rate = 0, .session = {}});
  const double first = trainer.step(data.view(), data.targets()).loss;
  EXPECT_NE(trainer.step(data.view(), data.targets()).loss, first);
}

// The half-lives of rwa-decay are the second of the three blocks of its bias.
TEST(Training, LeavesHalfLivesAloneThatAreNotLearned) {
  for (const bool learned : {false, true}) {
    Model model({.inputs = 3,
                 .cell = Cell::kRwaDecay,
                 .units = 9,
                 .layers = 2,
                 .lasting = 0,
                 .learned_decay = learned,
                 .outputs = 5});
    const auto half_lives = [&](const Parameter& bias) { return copy(bias.values.subspan(9, 9)); };
    const auto is_bias = [](const Parameter& p) {
      return p.name.starts_with("layers") && p.name.ends_with("bias");
    };
    std::vector<std::vector<float>> before, after;
    for (const Parameter& p : model.parameters()) {
      if (is_bias(p)) before.push_back(half_lives(p));
    }
    const std::vector<float> weights = copy(model.weights());
    losses_of(model, 5);
    for (const Parameter& p : model.parameters()) {
      if (is_bias(p)) after.push_back(half_lives(p));
    }
    ASSERT_EQ(before.size(), 2U);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      EXPECT_EQ(cases::same_bits(after[layer], before[layer]), !learned) << "layer " << layer;
    }
    EXPECT_GT(cases::largest_difference(copy(model.weights()), weights), 1e-3);
  }
}

// Also for the thread sanitizer: sessions share only the weights and never write them.
TEST(Sessions, TwoAtOnceGiveWhatOneAfterTheOtherDoes) {
  const ModelConfig config = uneven(Cell::kRwa, Readout::kEvery);
  const Model model(config);
  const auto work = [&](std::uint64_t seed, std::vector<float>& gradient) {
    Session session(model, {.threads = 2});
    const Data data = make_data(config, kUnevenSteps, kUnevenBatch, seed);
    for (int i = 0; i < 3; ++i) session.gradient(data.view(), data.targets(), {gradient});
  };
  std::vector<float> expected[2], found[2];
  for (auto* all : {expected, found}) {
    for (int i = 0; i < 2; ++i) all[i].resize(model.parameter_count());
  }
  for (unsigned i = 0; i < 2; ++i) work(i, expected[i]);
  {
    std::jthread first([&] { work(0, found[0]); });
    std::jthread second([&] { work(1, found[1]); });
  }
  EXPECT_TRUE(cases::same_bits(found[0], expected[0]));
  EXPECT_TRUE(cases::same_bits(found[1], expected[1]));
}

}  // namespace
}  // namespace rwa
