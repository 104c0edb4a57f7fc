// tests/workflows/attribution_test.cc: compares shares with equation (2) of the paper, and
// integrated gradients with finite differences of predictions.
#include "workflows/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "rwa/cells.h"
#include "rwa/errors.h"
#include "workflows/predictions.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

using Values = std::vector<double>;

formats::Sequence numbers(int steps) {
  formats::Sequence sequence;
  sequence.steps = steps;
  sequence.x = RandomData(5).normal<float>(static_cast<std::size_t>(2 * steps));
  return sequence;
}

formats::Sequence letters(std::vector<std::int32_t> symbols) {
  formats::Sequence sequence;
  sequence.steps = static_cast<int>(symbols.size());
  sequence.symbols = std::move(symbols);
  return sequence;
}

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::span<const float> parameter(const Model& model, const std::string& name) {
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name == name) return parameter.values;
  }
  throw std::runtime_error("no parameter " + name);
}

double row_times(std::span<const float> matrix, std::size_t row, const Values& v) {
  double product = 0;
  for (std::size_t k = 0; k < v.size(); ++k) product += matrix[row * v.size() + k] * v[k];
  return product;
}

// The weights e^(a_t) / Σ e^(a_i) of equation (2), [T,H], in double and without shortcuts.
Values by_definition(const Model& model, const formats::Sequence& sequence) {
  const auto H = static_cast<std::size_t>(model.config().units);
  const std::size_t D = 2;
  const auto T = static_cast<std::size_t>(sequence.steps);
  // Blocks in the order g, a, u; a has no bias, and u does not depend on h.
  const auto x = parameter(model, "layers.0.weight_x");
  const auto h = parameter(model, "layers.0.weight_h");
  const auto bias = parameter(model, "layers.0.bias");
  const auto start = parameter(model, "layers.0.start");
  Values before(H), attention(T * H), z(T * H);
  for (std::size_t j = 0; j < H; ++j) before[j] = std::tanh(start[j]);
  for (std::size_t t = 0; t < T; ++t) {
    const Values row(sequence.x.begin() + static_cast<std::ptrdiff_t>(t * D),
                     sequence.x.begin() + static_cast<std::ptrdiff_t>((t + 1) * D));
    Values now(H);
    for (std::size_t j = 0; j < H; ++j) {
      const double g = row_times(x, j, row) + row_times(h, j, before) + bias[j];
      const double u = row_times(x, 2 * H + j, row) + bias[H + j];
      attention[t * H + j] = std::exp(row_times(x, H + j, row) + row_times(h, H + j, before));
      z[t * H + j] = u * std::tanh(g);
      double above = 0, below = 0;
      for (std::size_t i = j; i <= t * H + j; i += H) {
        above += z[i] * attention[i];
        below += attention[i];
      }
      now[j] = std::tanh(above / below);
    }
    before = now;
  }
  for (std::size_t j = 0; j < H; ++j) {
    double all = 0;
    for (std::size_t i = j; i < T * H; i += H) all += attention[i];
    for (std::size_t i = j; i < T * H; i += H) attention[i] /= all;
  }
  return attention;
}

TEST(Shares, AreTheWeightsOfEquationTwo) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass), {.cell = Cell::kRwa});
  const formats::Sequence sequence = numbers(9);
  const auto found = make_attributor(trained, Method::kShares)->attribute(sequence, 0);
  const Values expected = by_definition(trained.model, sequence);
  ASSERT_EQ(found.width, 8);
  ASSERT_EQ(found.parts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.parts[i], expected[i], 1e-5);
  for (std::size_t t = 0; t < 9; ++t) {
    const double mean =
        std::accumulate(expected.begin() + static_cast<std::ptrdiff_t>(8 * t),
                        expected.begin() + static_cast<std::ptrdiff_t>(8 * t + 8), 0.0) /
        8;
    EXPECT_NEAR(found.steps[t], mean, 1e-5);
  }
}

TEST(Shares, AddUpToOneForEveryCellThatAverages) {
  for (const Cell cell : all_cells()) {
    if (!cell_info(cell).averages) continue;
    for (const bool both_ways : {false, true}) {
      const Trained trained = make_trained(letters_encoding(Target::kClass),
                                           {.cell = cell, .layers = 2, .bidirectional = both_ways});
      const auto found = make_attributor(trained, Method::kShares)
                             ->attribute(letters({0, 1, 2, 2, 1, 0, 0, 1}), 0);
      EXPECT_EQ(found.width, both_ways ? 16 : 8);
      EXPECT_NEAR(sum(found.steps), 1, 1e-5);
      EXPECT_GE(std::ranges::min(found.parts), 0);
      for (std::size_t unit = 0; unit < found.width; ++unit) {
        double all = 0;
        for (std::size_t i = unit; i < found.parts.size(); i += found.width) all += found.parts[i];
        EXPECT_NEAR(all, 1, 1e-5);
      }
    }
  }
}

TEST(Shares, AreRefusedWhereNoAverageIsKept) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass), {.cell = Cell::kGru});
  EXPECT_EQ(default_method(trained.model), Method::kGradients);
  io::expect_error<ConfigError>(
      [&] { make_attributor(trained, Method::kShares); },
      {"the cell gru keeps no average", "expected one of rwa, rwa-forget, rwa-decay, or"});
  io::expect_error<ConfigError>([] { parse_method("share"); }, {"shares, gradients"});
}

// The explained value, computed from the prediction of the model: log2 p, or a number.
double explained_value(const Trained& trained, std::span<const float> x, int steps,
                       std::size_t output) {
  const OutputDecoder decoder(trained.encoding);
  const std::size_t outputs = decoder.names().size();
  const bool every = decoder.every_step();
  std::vector<float> y((every ? static_cast<std::size_t>(steps) : 1) * outputs);
  Session(trained.model).run({.x = x, .steps = steps, .batch = 1}, y);
  Prediction prediction;
  decoder.decode(std::span(y).last(outputs), prediction);
  return decoder.loss() == Loss::kSquaredError ? prediction.values[output]
                                               : std::log2(prediction.values[output]);
}

// Integrated gradients by finite differences at every point of the path.
Values integrated(const Trained& trained, const formats::Sequence& sequence, std::size_t output) {
  constexpr int kPoints = 64;
  constexpr float kStep = 0.02F;
  Values parts(sequence.x.size());
  for (int k = 0; k < kPoints; ++k) {
    std::vector<float> x = sequence.x;
    for (float& number : x) number *= (static_cast<float>(k) + 0.5F) / kPoints;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float there = x[i];
      x[i] = there + kStep;
      const double more = explained_value(trained, x, sequence.steps, output);
      x[i] = there - kStep;
      const double less = explained_value(trained, x, sequence.steps, output);
      x[i] = there;
      parts[i] += sequence.x[i] * (more - less) / (2 * kStep) / kPoints;
    }
  }
  return parts;
}

TEST(Gradients, AreTheDifferencesOfWhatIsSaid) {
  const formats::Sequence sequence = numbers(4);
  for (const Target target : {Target::kClass, Target::kLabels, Target::kNumbers,
                              Target::kClassPerStep, Target::kNumbersPerStep, Target::kNone}) {
    for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
      const Trained trained = make_trained(numbers_encoding(target), {.cell = cell});
      for (const std::size_t output : {0, 1}) {
        const auto found =
            make_attributor(trained, Method::kGradients)->attribute(sequence, output);
        const Values expected = integrated(trained, sequence, output);
        const double most = std::abs(
            *std::ranges::max_element(expected, {}, [](double value) { return std::abs(value); }));
        ASSERT_EQ(found.parts.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_NEAR(found.parts[i], expected[i], 0.01 * most) << to_string(cell);
        }
        for (std::size_t t = 0; t < 4; ++t) {
          EXPECT_NEAR(found.steps[t], found.parts[2 * t] + found.parts[2 * t + 1], 1e-5 * most);
        }
        EXPECT_NEAR(found.value, explained_value(trained, sequence.x, 4, output),
                    1e-4 * std::abs(found.value));
        EXPECT_NEAR(found.baseline, explained_value(trained, std::vector<float>(8), 4, output),
                    1e-4 * std::abs(found.baseline));
      }
    }
  }
}

TEST(Gradients, AddUpToTheDifferenceFromTheBaseline) {
  for (const Cell cell : all_cells()) {
    for (const int embedding : {0, 5}) {
      const Trained trained = make_trained(letters_encoding(Target::kClass),
                                           {.embedding = embedding, .cell = cell, .layers = 2});
      const auto found =
          make_attributor(trained, Method::kGradients)->attribute(letters({2, 0, 1, 1, 2, 0}), 1);
      EXPECT_TRUE(found.parts.empty());
      EXPECT_EQ(found.steps.size(), 6);
      EXPECT_GT(std::abs(found.value - found.baseline), 1e-3);
      EXPECT_LT(std::abs(found.gap()), 0.01 * std::abs(found.value - found.baseline))
          << to_string(cell) << ", embedding " << embedding;
    }
  }
}

TEST(Gradients, AddUpWhateverIsReadOut) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  for (const Readout readout : {Readout::kMean, Readout::kAttention}) {
    ModelConfig config = trained.model.config();
    config.readout = readout;
    config.bidirectional = true;
    Trained other{Model(config), trained.encoding};
    other.model.set_weights(RandomData(4).normal<float>(other.model.parameter_count(), 0.5));
    const auto found =
        make_attributor(other, Method::kGradients)->attribute(letters({2, 0, 1, 1, 2, 0}), 1);
    EXPECT_LT(std::abs(found.gap()), 0.01 * std::abs(found.value - found.baseline))
        << to_string(readout);
  }
}

TEST(Gradients, AreTheSameForAnyMemoryAndThreads) {
  const Trained trained = make_trained(numbers_encoding(Target::kClassPerStep));
  const formats::Sequence sequence = numbers(40);
  const auto all = make_attributor(trained, Method::kGradients)->attribute(sequence, 2);
  const auto one = make_attributor(trained, Method::kGradients, {.threads = 2, .memory = 1})
                       ->attribute(sequence, 2);
  EXPECT_EQ(one.value, all.value);
  for (std::size_t i = 0; i < all.parts.size(); ++i) {
    EXPECT_NEAR(one.parts[i], all.parts[i], 1e-5);
  }
}

TEST(NumbersTwin, SaysTheSame) {
  for (const Cell cell : all_cells()) {
    for (const int embedding : {0, 5}) {
      for (const bool both_ways : {false, true}) {
        for (const Target target : {Target::kClass, Target::kNone}) {
          const Trained trained =
              make_trained(letters_encoding(target),
                           {.embedding = embedding, .cell = cell, .bidirectional = both_ways});
          const formats::Sequence sequence = letters({0, 2, 1, 1, 0});
          const std::size_t outputs = trained.encoding.outputs().size();
          std::vector<float> y((target == Target::kNone ? 5 : 1) * outputs);
          std::vector<float> same(y.size());
          Session(trained.model).run({.steps = 5, .batch = 1, .symbols = sequence.symbols}, y);
          const Model twin = numbers_twin(trained.model);
          const auto rows = twin_rows(trained.model, sequence);
          Session(twin).run({.x = rows, .steps = 5, .batch = 1}, same);
          for (std::size_t i = 0; i < y.size(); ++i) {
            EXPECT_NEAR(same[i], y[i], 2e-6) << to_string(cell);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rwa::workflows
