// tests/api/truncate_test.cc: truncated backpropagation through time, on the CPU and on a device
// with its own memory. The reference by hand is the network in double precision, step by step: the
// derivatives of each part's loss with the state before it held fixed, and one Adam step per part.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "api/networks.h"
#include "backend/device.h"
#include "io/io_testing.h"
#include "model/network.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/derivative.h"
#include "support/far_as_cuda.h"

namespace rwa {
namespace {

using cases::copy;
using cases::Data;
using cases::make_data;
using cases::product;
using cases::same_bits;
using io::expect_error;
using Values = std::vector<double>;

// With this epsilon a step is proportional to the gradient, so that errors in it show.
constexpr TrainerOptions kByHand{.learning_rate = 0.1, .epsilon = 1, .session = {}};

// Networks that can run step by step.
std::vector<ModelConfig> networks() {
  std::vector<ModelConfig> all;
  for (const Cell cell : all_cells()) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      all.push_back({.inputs = 2, .cell = cell, .units = 3, .readout = readout, .outputs = 3});
    }
  }
  all.push_back({.input = Input::kSymbols,
                 .inputs = 4,
                 .embedding = 2,
                 .units = 3,
                 .layers = 2,
                 .readout = Readout::kEvery,
                 .outputs = 2,
                 .loss = Loss::kSquaredError});
  all.push_back({.input = Input::kSymbols,
                 .inputs = 4,
                 .cell = Cell::kRwaDecay,
                 .units = 3,
                 .layers = 2,
                 .learned_decay = false,
                 .outputs = 2,
                 .loss = Loss::kSigmoid});
  for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
    all.push_back(
        {.inputs = 2, .stem = {3, 6}, .channels = 2, .units = 3, .readout = readout, .outputs = 3});
  }
  return all;
}

std::vector<ModelConfig> with_dropout() {
  std::vector<ModelConfig> all = networks();
  for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
    all.push_back(
        {.inputs = 3, .units = 9, .layers = 3, .dropout = 0.3, .readout = readout, .outputs = 5});
  }
  return all;
}

class ByHand {
 public:
  ByHand(const ModelConfig& config, std::span<const float> weights)
      : spec_(config),
        backend_(make_reference_backend()),
        weights_(spec_, *backend_),
        pass_(spec_, *backend_),
        parameters_(weights.begin(), weights.end()),
        mean_(weights.size()),
        variance_(weights.size()) {}

  // Trains on all parts of a batch.
  StepResult step(const Data& data, int truncate) {
    const int longest = *std::max_element(data.lengths.begin(), data.lengths.end());
    states_.clear();
    StepResult sum;
    double answers = 0;
    for (int begin = 0; begin < longest; begin += truncate) {
      const int end = std::min(begin + truncate, longest);
      std::vector<Values> after;
      const Outcome outcome = run(data, begin, end, &after);
      if (outcome.answers > 0) {
        Values gradient;
        for (double& parameter : parameters_) {
          gradient.push_back(
              derivative([&] { return run(data, begin, end, nullptr).mean(); }, parameter));
        }
        sum.loss += outcome.sum;
        sum.gradient_norm += outcome.answers * adam(gradient);
        answers += outcome.answers;
      }
      states_ = std::move(after);
    }
    return {sum.loss / answers, sum.gradient_norm / answers};
  }
  [[nodiscard]] const Values& parameters() const { return parameters_; }
  [[nodiscard]] int steps() const { return steps_; }

 private:
  struct Outcome {
    double sum = 0;  // of the losses
    double answers = 0;
    [[nodiscard]] double mean() const { return sum / answers; }
  };

  // Starts from states_ or from the initial state; stores the final states in `after`.
  Outcome run(const Data& data, int begin, int end, std::vector<Values>* after) {
    weights_.set(parameters_);
    const bool every = spec_.readout == Readout::kEvery;
    Outcome out;
    for (int b = 0; b < data.batch; ++b) {
      const int length = data.lengths[static_cast<std::size_t>(b)];
      Values state(spec_.state_size());
      pass_.start(weights_, 1, state.data());
      if (begin == 0 && length == 0 && !every) add(data, b, start_output(), out);
      if (begin > 0) state = states_[static_cast<std::size_t>(b)];
      for (int t = begin; t < std::min(end, length); ++t) {
        const std::size_t row = product(t, data.batch) + static_cast<std::size_t>(b);
        const Values y = one_step(data, row, state);
        if (every) add(data, static_cast<int>(row), y, out);
        if (!every && t + 1 == length) add(data, b, y, out);
      }
      if (after != nullptr) after->push_back(state);
    }
    return out;
  }

  Values one_step(const Data& data, std::size_t row, Values& state) {
    const auto D = static_cast<std::size_t>(spec_.inputs());
    Values x, y(static_cast<std::size_t>(spec_.outputs()));
    if (!spec_.takes_symbols()) {
      x.assign(data.x.begin() + static_cast<std::ptrdiff_t>(row * D),
               data.x.begin() + static_cast<std::ptrdiff_t>((row + 1) * D));
    }
    const std::int32_t* symbol = spec_.takes_symbols() ? &data.symbols[row] : nullptr;
    pass_.step(weights_, {x.data(), {.steps = 1, .batch = 1}, symbol}, state.data(), y.data());
    return y;
  }
  // The output for a sequence without steps.
  Values start_output() {
    Values y(static_cast<std::size_t>(spec_.outputs()));
    pass_.forward(weights_, {.rows = {.steps = 0, .batch = 1}}, y.data());
    return y;
  }

  void add(const Data& data, int row, const Values& y, Outcome& out) const {
    ++out.answers;
    const auto at = static_cast<std::size_t>(row);
    double sum = 0;
    if (spec_.loss.kind == Loss::kSoftmax) {
      for (const double v : y) sum += std::exp(v);
      out.sum += std::log(sum) - y[static_cast<std::size_t>(data.classes[at])];
      return;
    }
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double wanted = data.values[at * y.size() + j];
      sum += spec_.loss.kind == Loss::kSigmoid ? std::log1p(std::exp(y[j])) - wanted * y[j]
                                               : (y[j] - wanted) * (y[j] - wanted);
    }
    out.sum += sum / static_cast<double>(y.size());
  }

  // Returns the norm of the gradient.
  double adam(Values& gradient) {
    ++steps_;
    for (const ParameterRange& range : spec_.frozen()) {
      std::fill_n(gradient.begin() + static_cast<std::ptrdiff_t>(range.offset), range.size, 0.0);
    }
    double square = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double g = gradient[i];
      square += g * g;
      mean_[i] = kByHand.beta1 * mean_[i] + (1 - kByHand.beta1) * g;
      variance_[i] = kByHand.beta2 * variance_[i] + (1 - kByHand.beta2) * g * g;
      const double mean = mean_[i] / (1 - std::pow(kByHand.beta1, steps_));
      const double variance = variance_[i] / (1 - std::pow(kByHand.beta2, steps_));
      parameters_[i] -= kByHand.learning_rate * mean / (std::sqrt(variance) + kByHand.epsilon);
    }
    return std::sqrt(square);
  }

  NetworkSpec spec_;
  std::unique_ptr<Backend<double>> backend_;
  NetworkWeights<double> weights_;
  NetworkPass<double> pass_;
  Values parameters_, mean_, variance_;
  std::vector<Values> states_;  // of each sequence, before the current part
  int steps_ = 0;
};

// Losses other than softmax get targets in 0…1.
Data batch_of(const ModelConfig& config, int steps, int batch, std::uint64_t seed) {
  Data data = make_data(config, steps, batch, seed);
  for (float& v : data.values) v = std::abs(v);
  return data;
}

// Biases of 0 are where a rectifier has no derivative, if it has only zeros before it.
void move_off_kinks(Model& model) {
  for (std::size_t i = 0; i < model.config().stem.size(); ++i) {
    const auto channels = static_cast<std::size_t>(model.config().channels);
    std::vector<float> bias(channels);
    for (std::size_t c = 0; c < channels; ++c) bias[c] = c % 2 == 0 ? 0.3F : -0.2F;
    model.set_parameter("stem." + std::to_string(i) + ".bias", bias);
  }
}

void expect_as_by_hand(const ModelConfig& config, int truncate,
                       const std::vector<std::vector<std::int32_t>>& lengths) {
  SCOPED_TRACE(cases::name(config) + ", parts of " + std::to_string(truncate));
  Model model(config);
  move_off_kinks(model);
  TrainerOptions options = kByHand;
  options.truncate = truncate;
  Trainer trainer(model, options);
  ByHand by_hand(config, model.weights());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const int steps = *std::max_element(lengths[i].begin(), lengths[i].end()) + static_cast<int>(i);
    Data data = batch_of(config, steps, static_cast<int>(lengths[i].size()), i);
    data.lengths = lengths[i];
    const StepResult found = trainer.step(data.view(), data.targets());
    const StepResult expected = by_hand.step(data, truncate);
    EXPECT_NEAR(found.loss, expected.loss, 1e-5);
    EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-5);
    EXPECT_EQ(trainer.steps(), by_hand.steps());
    EXPECT_LE(cases::largest_difference(copy(model.weights()), by_hand.parameters()), 2e-6);
  }
}

TEST(Truncate, IsAsByHand) {
  for (const ModelConfig& config : networks()) {
    expect_as_by_hand(config, 4, {{12, 0, 1, 4, 5, 9}, {3, 8}, {2, 1}, {7}});
    expect_as_by_hand(config, 1, {{3, 2}});
  }
}

// If the last step is read out, parts in which no sequence ends have no targets, at the start or in
// between.
TEST(Truncate, PartsWithoutAnAnswerOnlyCarryTheState) {
  for (const ModelConfig& config : networks()) {
    expect_as_by_hand(config, 2, {{9, 9, 2}, {6, 6}});
  }
}

StepResult train(Trainer& trainer, const Data& data) {
  return trainer.step(data.view(), data.targets());
}

TEST(Truncate, ShortBatchesHaveTheBitsOfWholeOnes) {
  for (const ModelConfig& config : with_dropout()) {
    SCOPED_TRACE(cases::name(config));
    Model model(config), other(config);
    Trainer whole(model), cut(other, {.truncate = 9, .session = {}});
    for (unsigned step = 0; step < 6; ++step) {
      Data data = batch_of(config, 6 + static_cast<int>(step), 5, step);
      for (auto& length : data.lengths) length = std::min(length, 9);
      if (step % 2 == 0 && data.steps <= 9) data.lengths.clear();
      const StepResult expected = train(whole, data);
      const StepResult found = train(cut, data);
      EXPECT_EQ(found.loss, expected.loss);
      EXPECT_EQ(found.gradient_norm, expected.gradient_norm);
    }
    EXPECT_EQ(cut.steps(), 6);
    EXPECT_TRUE(same_bits(other.weights(), model.weights()));
  }
}

// All results of truncated training, with two batches pending at a time.
struct Trained {
  Trained(const ModelConfig& config, const SessionOptions& session) : model(config) {
    Trainer trainer(model,
                    {.learning_rate = 0.01, .clip_norm = 0.5, .truncate = 4, .session = session});
    Data data[Trainer::kMostSubmitted];
    constexpr unsigned kBatches = 12;
    for (unsigned step = 0; step <= kBatches; ++step) {
      if (step < kBatches) {
        Data& next = data[step % Trainer::kMostSubmitted];
        // Longer and shorter than a part, and with varying numbers of sequences.
        const int steps = 2 + static_cast<int>(7 * step % 13);
        next = batch_of(config, steps, step % 8 == 7 ? 3 : 9, step);
        trainer.submit(next.view(), next.targets());
      }
      if (step > 0) results.push_back(trainer.collect());
    }
    state = trainer.state();
  }

  void expect_same_bits(const Trained& other) const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].loss, other.results[i].loss);
      EXPECT_EQ(results[i].gradient_norm, other.results[i].gradient_norm);
    }
    EXPECT_TRUE(same_bits(model.weights(), other.model.weights()));
    EXPECT_EQ(state.steps, other.state.steps);
    EXPECT_TRUE(same_bits(state.mean, other.state.mean));
    EXPECT_TRUE(same_bits(state.variance, other.state.variance));
  }

  Model model;
  std::vector<StepResult> results;
  TrainerState state;
};

TEST(Truncate, GivesTheSameBitsForAnyThreadsMemoryAndDevice) {
  for (const ModelConfig& config : with_dropout()) {
    SCOPED_TRACE(cases::name(config));
    const Trained expected(config, {});
    EXPECT_GT(expected.state.steps, 12);
    Trained(config, {.threads = 3}).expect_same_bits(expected);
    Trained(config, {.memory = Memory::kChunked}).expect_same_bits(expected);
    Trained(config, {.device = "cuda"}).expect_same_bits(expected);
  }
}

// Parts before the failed one take effect, later parts do not; then training continues.
TEST(Truncate, ADivergenceEndsTheBatch) {
  const ModelConfig config{.inputs = 2, .units = 3, .readout = Readout::kEvery, .outputs = 3};
  for (const std::string device : {"cpu", "cuda"}) {
    Data data = batch_of(config, 12, 4, 1);
    data.lengths.clear();
    Data first = data, bad = data;
    first.steps = 4;
    first.x.resize(product(4, 4, 2));
    first.classes.resize(product(4, 4));
    bad.x[product(5, 4, 2)] = std::numeric_limits<float>::quiet_NaN();
    Model model(config), other(config);
    Trainer trainer(model, {.truncate = 4, .session = {.device = device}}), expected(other);
    train(expected, first);

    trainer.submit(bad.view(), bad.targets());
    trainer.submit(data.view(), data.targets());
    expect_error<DivergenceError>([&] { trainer.collect(); }, {"diverged at step 2"});
    EXPECT_EQ(trainer.steps(), 1);
    EXPECT_TRUE(same_bits(model.weights(), other.weights()));
    EXPECT_TRUE(same_bits(trainer.state().mean, expected.state().mean));
    EXPECT_EQ(train(trainer, first).loss, train(expected, first).loss);
    EXPECT_TRUE(same_bits(model.weights(), other.weights()));
  }
}

TEST(Truncate, IsRefusedWhereTheEndMustBeSeenFirst) {
  const auto refuse = [](const ModelConfig& config, int steps, std::string_view why) {
    Model model(config);
    expect_error<ConfigError>([&] { Trainer(model, {.truncate = steps, .session = {}}); },
                              {"truncate is " + std::to_string(steps), why});
  };
  refuse({.units = 3, .bidirectional = true}, 5, "bidirectional");
  refuse({.units = 3, .readout = Readout::kMean}, 5, "averages");
  refuse({.units = 3, .readout = Readout::kAttention}, 5, "averages");
  refuse({.units = 3, .code = 2}, 5, "decodes");
  refuse({.units = 3}, -1, "expected 0 or more");
}

TEST(LearningRate, HoldsFromTheNextStepOn) {
  const ModelConfig config = networks().front();
  for (const std::string device : {"cpu", "cuda"}) {
    Model model(config), other(config);
    Trainer trainer(model, {.learning_rate = 0.01, .session = {.device = device}});
    auto expected = std::make_unique<Trainer>(other, TrainerOptions{.learning_rate = 0.01});
    double rate = 0.01;
    for (unsigned step = 0; step < 24; ++step) {
      if (step % 6 == 5) {
        rate *= step == 17 ? 1 : 0.5;
        trainer.set_learning_rate(rate);
        auto next = std::make_unique<Trainer>(other, TrainerOptions{.learning_rate = rate});
        next->set_state(expected->state());
        expected = std::move(next);
      }
      const Data data = batch_of(config, 5, 4, step);
      EXPECT_EQ(train(trainer, data).loss, train(*expected, data).loss);
      EXPECT_TRUE(same_bits(model.weights(), other.weights())) << device << ", step " << step;
    }
  }
}

TEST(LearningRate, ThatIsNoneIsRefused) {
  const ModelConfig config = networks().front();
  Model model(config);
  Trainer trainer(model);
  for (const double rate : {-1.0, std::numeric_limits<double>::quiet_NaN(), 1e31}) {
    expect_error<ConfigError>([&] { trainer.set_learning_rate(rate); }, {"learning_rate is"});
  }
}

}  // namespace
}  // namespace rwa
