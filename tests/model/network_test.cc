// tests/model/network_test.cc: networks that must agree with others built by hand: one-hot rows
// written out, identity embeddings, mirrored sequences, averages of outputs, labels fed back, steps
// one at a time.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "model/network_problem.h"

namespace rwa {
namespace {

using Values = Problem::Values;

ModelConfig of_symbols(Cell cell) {
  return {.input = Input::kSymbols,
          .inputs = 4,
          .cell = cell,
          .units = 3,
          .layers = 2,
          .bidirectional = true,
          .readout = Readout::kEvery,
          .outputs = 3};
}

// Compares the rows that count.
void expect_near(const Rows& rows, std::size_t width, const Values& found, const Values& expected,
                 double tolerance = 1e-13) {
  for (int t = 0; t < rows.steps; ++t) {
    for (int b = 0; b < rows.batch; ++b) {
      if (!rows.has(t, b)) continue;
      for (std::size_t i = rows.index(t, b) * width; i < (rows.index(t, b) + 1) * width; ++i) {
        EXPECT_NEAR(found[i], expected[i], tolerance) << "step " << t << ", sequence " << b;
      }
    }
  }
}

TEST(Network, SymbolsAreOneHotRows) {
  for (const Cell cell : all_cells()) {
    SCOPED_TRACE(to_string(cell));
    ModelConfig config = of_symbols(cell);
    Problem symbols(config);
    config.input = Input::kNumbers;
    Problem rows(config);
    rows.classes = symbols.classes;
    for (std::size_t row = 0; row < symbols.symbols.size(); ++row) {
      for (int d = 0; d < 4; ++d) {
        rows.x[row * 4 + static_cast<std::size_t>(d)] = symbols.symbols[row] == d ? 1 : 0;
      }
    }
    expect_near(rows.rows(), rows.width(), symbols.outputs(), rows.outputs());
    Values found(symbols.parameters.size()), expected(found), none, dx(rows.x.size());
    EXPECT_NEAR(symbols.gradient(found, none), rows.gradient(expected, dx), 1e-13);
    EXPECT_LE(cases::largest_difference(found, expected), 1e-13);
  }
}

TEST(Network, AnEmbeddingThatIsTheIdentityIsOneHot) {
  ModelConfig config = of_symbols(Cell::kRwa);
  Problem one_hot(config);
  config.embedding = 4;
  Problem embedded(config);
  std::copy(one_hot.parameters.begin(), one_hot.parameters.end(),
            embedded.parameters.begin() + 4 * 4);
  const auto table = embedded.named(embedded.parameters, "embedding.weight");
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = i % 5 == 0 ? 1 : 0;
  embedded.symbols = one_hot.symbols;
  embedded.lengths = one_hot.lengths;
  expect_near(one_hot.rows(), one_hot.width(), embedded.outputs(), one_hot.outputs());
}

// x with each sequence reversed.
Values mirrored(const Problem& problem) {
  Values x = problem.x;
  const auto width = static_cast<std::size_t>(problem.spec.inputs());
  const Rows rows = problem.rows();
  for (int b = 0; b < rows.batch; ++b) {
    for (int t = 0; t < rows.length(b); ++t) {
      const auto from = problem.x.begin() +
                        static_cast<std::ptrdiff_t>(rows.index(rows.length(b) - 1 - t, b) * width);
      std::copy_n(from, width, x.begin() + static_cast<std::ptrdiff_t>(rows.index(t, b) * width));
    }
  }
  return x;
}

// The output layer sums over both directions; each direction is a network on its own.
TEST(Network, TheOtherDirectionReadsTheMirroredSequence) {
  for (const Cell cell : all_cells()) {
    SCOPED_TRACE(to_string(cell));
    ModelConfig config{.inputs = 2, .cell = cell, .units = 3, .bidirectional = true, .outputs = 4};
    Problem both(config);
    config.bidirectional = false;
    Problem forward(config), reverse(config);
    forward.x = both.x;
    reverse.x = mirrored(both);
    const auto take = [&](Problem& one, const std::string& prefix, std::size_t column) {
      one.lengths = both.lengths;
      for (const auto& info : one.spec.describe()) {
        if (!info.name.starts_with("layers.0.")) continue;
        const auto from = both.named(both.parameters, prefix + info.name.substr(9));
        std::copy(from.begin(), from.end(), one.named(one.parameters, info.name).begin());
      }
      const auto from = both.named(both.parameters, "output.weight");
      const auto weight = one.named(one.parameters, "output.weight");
      for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = from[i / 3 * 6 + column + i % 3];
    };
    take(forward, "layers.0.", 0);
    take(reverse, "layers.0.reverse.", 3);
    std::ranges::fill(reverse.named(reverse.parameters, "output.bias"), 0.0);
    std::ranges::copy(both.named(both.parameters, "output.bias"),
                      forward.named(forward.parameters, "output.bias").begin());
    Values sum = forward.outputs();
    const Values other = reverse.outputs();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
    expect_near(both.output_rows(), both.width(), both.outputs(), sum);
  }
}

// The output layer is linear: the output of the mean is the mean of the outputs.
TEST(Network, TheMeanIsThatOfEveryStep) {
  ModelConfig config{.inputs = 2,
                     .units = 3,
                     .layers = 2,
                     .bidirectional = true,
                     .readout = Readout::kEvery,
                     .outputs = 4,
                     .loss = Loss::kSquaredError};
  Problem every(config);
  config.readout = Readout::kMean;
  Problem mean(config);
  config.readout = Readout::kAttention;
  Problem attention(config);
  const Values y = every.outputs();
  const auto bias = every.named(every.parameters, "output.bias");
  Values expected(static_cast<std::size_t>(Problem::kBatch) * 4);
  for (int b = 0; b < Problem::kBatch; ++b) {
    const int length = every.rows().length(b);
    for (std::size_t o = 0; o < 4; ++o) {
      double sum = length == 0 ? bias[o] : 0;
      for (int t = 0; t < length; ++t) sum += y[every.rows().index(t, b) * 4 + o];
      expected[static_cast<std::size_t>(b) * 4 + o] = sum / std::max(1, length);
    }
  }
  expect_near(mean.output_rows(), 4, mean.outputs(), expected);

  // If all steps have the same score, attention is the mean.
  for (const auto& info : every.spec.describe()) {
    const auto from = every.named(every.parameters, info.name);
    std::ranges::copy(from, attention.named(attention.parameters, info.name).begin());
  }
  std::ranges::fill(attention.named(attention.parameters, "attention.weight"), 0.0);
  attention.x = every.x;
  expect_near(attention.output_rows(), 4, attention.outputs(), expected);
}

TEST(Network, NothingIsHiddenOutsideOfTraining) {
  ModelConfig config{.inputs = 2, .units = 3, .layers = 3, .outputs = 4};
  const Values expected = Problem(config).outputs();
  config.dropout = 0.5;
  EXPECT_TRUE(cases::same_bits(Problem(config).outputs(), expected));
}

std::vector<std::int32_t> most_likely(const Values& y, std::size_t width) {
  std::vector<std::int32_t> labels;
  for (auto row = y.begin(); row != y.end(); row += static_cast<std::ptrdiff_t>(width)) {
    const auto most = std::max_element(row, row + static_cast<std::ptrdiff_t>(width));
    labels.push_back(static_cast<std::int32_t>(most - row));
  }
  return labels;
}

// Free running gives the outputs of teacher forcing with the decoded labels. Returns whether the
// labels differ.
bool expect_decodes_as_told(const ModelConfig& config) {
  Problem problem(config);
  std::ranges::fill(problem.named(problem.parameters, "output.bias"), 0.0);
  problem.load_all();
  cases::Numbers<double> y(*problem.backend,
                           problem.rows().index(Problem::kSteps, 0) * problem.width());
  for (int again = 0; again < 2; ++again) {
    problem.pass.decode(problem.weights, problem.in(), Problem::kSteps, y.data());
  }
  const Values said = y.read();
  problem.classes = most_likely(said, problem.width());
  problem.target_lengths.assign(Problem::kBatch, Problem::kSteps);
  EXPECT_TRUE(cases::same_bits(problem.outputs(), said));
  return *std::ranges::max_element(problem.classes) > *std::ranges::min_element(problem.classes);
}

TEST(Decoder, RunsOnWhatItHasSaid) {
  int different = 0;
  for (const Cell cell : all_cells()) {
    SCOPED_TRACE(to_string(cell));
    ModelConfig config{.inputs = 3,
                       .cell = cell,
                       .units = 5,
                       .layers = 0,
                       .readout = Readout::kMean,
                       .outputs = 20,
                       .code = 3};
    if (expect_decodes_as_told(config)) ++different;
    config = of_symbols(cell);
    config.readout = Readout::kLast;
    config.outputs = 20;
    config.code = 3;
    if (expect_decodes_as_told(config)) ++different;
  }
  EXPECT_GE(different, 6) << "of 10";
}

// All steps of full sequences, and the same steps one at a time.
template <class Real>
void expect_streams(Backend<Real>& backend, const ModelConfig& config) {
  constexpr int kSteps = 7;
  constexpr int kBatch = 3;
  const NetworkSpec spec(config);
  ASSERT_EQ(spec.why_no_stream(), "");
  NetworkWeights<Real> weights(spec, backend);
  RandomData random(5);
  weights.set(random.normal<Real>(spec.parameters(), 0.5));
  const Rows rows{kSteps, kBatch, {}};
  const auto inputs = static_cast<std::size_t>(spec.inputs());
  const auto outputs = static_cast<std::size_t>(spec.outputs()) * kBatch;
  const auto x = random.normal<Real>(rows.index(kSteps, 0) * inputs);
  const auto symbols = random.classes(rows.index(kSteps, 0), spec.inputs());
  NetworkPass<Real> pass(spec, backend);
  std::vector<Real> all(outputs * kSteps), y(outputs);
  std::vector<Real> state(spec.state_size() * kBatch);
  pass.start(weights, kBatch, state.data());
  for (int t = 0; t < kSteps; ++t) {
    // The readout is the last step so far, or every step.
    const bool last = config.readout == Readout::kLast;
    pass.forward(weights, {x.data(), {t + 1, kBatch, {}}, symbols.data()}, all.data());
    const Real* expected = all.data() + (last ? 0 : static_cast<std::size_t>(t) * outputs);
    const std::size_t row = rows.index(t, 0);
    NetworkPass<Real> another(spec, backend);  // only the state is passed from step to step
    another.step(weights, {x.data() + row * inputs, {1, kBatch, {}}, symbols.data() + row},
                 state.data(), y.data());
    EXPECT_TRUE(cases::same_bits<Real>(std::span(y), {expected, outputs})) << "step " << t;
  }
}

TEST(Network, OneStepAtATimeGivesWhatTheBatchDoes) {
  for (const Cell cell : all_cells()) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      for (const Input input : {Input::kNumbers, Input::kSymbols}) {
        for (const int embedding : {0, 2}) {
          if (embedding > 0 && input == Input::kNumbers) continue;
          SCOPED_TRACE(::testing::Message() << to_string(cell) << ", " << to_string(readout) << ", "
                                            << to_string(input) << ", embedding " << embedding);
          const ModelConfig config{.input = input,
                                   .inputs = 4,
                                   .embedding = embedding,
                                   .cell = cell,
                                   .units = 5,
                                   .layers = 3,
                                   .readout = readout,
                                   .outputs = 3};
          expect_streams(*make_reference_backend(), config);
          expect_streams(*make_cpu_backend(1), config);
        }
      }
    }
  }
}

// The dropout mask of a part depends on its number. Otherwise all parts between two steps of Adam
// would have the same mask.
TEST(Network, PartsHideEachTheirOwn) {
  Problem problem({.inputs = 2, .units = 5, .layers = 2, .dropout = 0.5, .outputs = 3});
  problem.load_all();
  cases::Numbers<double> state(*problem.backend, problem.spec.state_size() * Problem::kBatch);
  const std::int64_t step = 3;
  const auto after = [&](std::uint32_t part) {
    problem.pass.advance(
        problem.weights,
        {.in = problem.in(), .final_state = state.data(), .dropout_step = &step, .part = part});
    return state.read();
  };
  const Values first = after(0);
  EXPECT_EQ(after(0), first);
  EXPECT_NE(after(1), first);
}

}  // namespace
}  // namespace rwa
