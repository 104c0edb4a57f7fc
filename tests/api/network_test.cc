// tests/api/network_test.cc: networks of several parts through the public interface: a stream gives
// the outputs of a batch, a symbol is equivalent to a one-hot row or a row of its embedding, and a
// free-running decoder gives the outputs that it gives when fed its own labels.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/rwa.h"
#include "support/cases.h"

namespace rwa {
namespace {

using cases::Draw;
using cases::product;
using io::expect_error;

std::vector<float> parameter(const Model& model, const std::string& name) {
  for (const Parameter& p : model.parameters()) {
    if (p.name == name) return {p.values.begin(), p.values.end()};
  }
  throw std::logic_error("no parameter " + name);
}

// Changes all weights: some are initialised to 0.
void move_weights(Model& model) {
  std::vector<float> weights(model.weights().begin(), model.weights().end());
  Draw draw(5);
  for (float& w : weights) w += draw.uniform(-0.2F, 0.2F);
  model.set_weights(weights);
}

// The outputs of one sequence, step by step. Another stream takes over in the middle.
std::vector<float> stream_through(const Model& model, const BatchView& sequence) {
  const ModelConfig& c = model.config();
  const auto D = static_cast<std::size_t>(c.inputs);
  const auto O = static_cast<std::size_t>(c.outputs);
  std::vector<float> y(static_cast<std::size_t>(sequence.steps) * O);
  Stream stream(model);
  for (std::size_t t = 0; t < static_cast<std::size_t>(sequence.steps); ++t) {
    if (t == 9) {
      Stream other(model);
      other.set_state(stream.state());
      stream = std::move(other);
    }
    const auto out = std::span(y).subspan(t * O, O);
    if (c.input == Input::kSymbols) {
      stream.step(sequence.symbols[t], out);
    } else {
      stream.step(sequence.x.subspan(t * D, D), out);
    }
  }
  return y;
}

void expect_same_stream(const ModelConfig& config) {
  constexpr int kSteps = 20;
  Model model(config);
  move_weights(model);
  Draw draw(3);
  std::vector<float> x;
  std::vector<std::int32_t> symbols;
  if (config.input == Input::kSymbols) {
    symbols = draw.integers(kSteps, 0, config.inputs - 1);
  } else {
    x = draw.numbers(product(kSteps, config.inputs), 1.0F);
  }
  const BatchView sequence{.x = x, .steps = kSteps, .batch = 1, .symbols = symbols};
  std::vector<float> y(product(kSteps, config.outputs));
  Session(model).run(sequence, y);
  EXPECT_TRUE(cases::same_bits(stream_through(model, sequence), y))
      << to_string(config.cell) << ", " << config.layers << " layers";
}

TEST(StreamOfAStack, SaysWhatABatchSays) {
  for (const Cell cell : all_cells()) {
    for (const int layers : {1, 2, 3}) {
      ModelConfig config{.inputs = 3,
                         .cell = cell,
                         .units = 9,
                         .layers = layers,
                         .dropout = layers > 1 ? 0.5 : 0.0,  // has no effect outside training
                         .readout = Readout::kEvery,
                         .outputs = 4};
      expect_same_stream(config);
      config.input = Input::kSymbols;
      expect_same_stream(config);
      config.embedding = 5;
      expect_same_stream(config);
    }
  }
}

TEST(StreamOfAStack, StartsAgain) {
  Model model({.inputs = 2, .units = 5, .layers = 2, .outputs = 3});
  move_weights(model);
  Stream stream(model);
  const std::vector<float> x = {0.5F, -1.0F};
  std::vector<float> first(3), second(3), again(3);
  stream.step(x, first);
  stream.step(x, second);
  EXPECT_NE(first, second);
  stream.reset();
  stream.step(x, again);
  EXPECT_TRUE(cases::same_bits(again, first));
}

TEST(StreamOfAStack, IsRefusedWhereTheEndMustBeSeenFirst) {
  const auto refuse = [](const ModelConfig& config, std::string_view why) {
    const Model model(config);
    expect_error<ConfigError>([&] { Stream stream(model); }, {"cannot be streamed", why});
  };
  refuse({.units = 3, .bidirectional = true}, "bidirectional");
  refuse({.units = 3, .readout = Readout::kMean}, "averages");
  refuse({.units = 3, .readout = Readout::kAttention}, "averages");
  refuse({.units = 3, .code = 2}, "decodes");
}

TEST(StreamOfAStack, RefusesTheOtherInput) {
  std::vector<float> y(1);
  const std::vector<float> x = {0, 0};
  const Model numbers({.inputs = 2, .units = 3});
  Stream of_numbers(numbers);
  expect_error<InputError>([&] { of_numbers.step(1, y); },
                           {"symbol 1", "expected x of size 2", "takes numbers"});
  const Model symbols({.input = Input::kSymbols, .inputs = 2, .units = 3});
  Stream of_symbols(symbols);
  expect_error<InputError>([&] { of_symbols.step(x, y); },
                           {"found x", "expected a symbol", "step(symbol, y)"});
  expect_error<InputError>([&] { of_symbols.step(std::span<const float>(), y); },
                           {"found x", "expected a symbol", "step(symbol, y)"});
  for (const std::int32_t bad : {-1, 2}) {
    expect_error<InputError>([&] { of_symbols.step(bad, y); },
                             {"symbol is " + std::to_string(bad), "expected 0 to 1"});
  }
}

// A ragged batch of symbols, its targets, and equivalent batches of features.
struct SymbolBatch {
  static constexpr int kSteps = 11, kBatch = 6, kSymbols = 7;

  std::vector<std::int32_t> symbols;
  std::vector<std::int32_t> lengths = {11, 0, 4, 1, 11, 7};
  std::vector<std::int32_t> classes = {0, 1, 2, 0, 1, 2};

  SymbolBatch() : symbols(Draw(7).integers(product(kSteps, kBatch), 0, kSymbols - 1)) {}

  [[nodiscard]] BatchView view() const {
    return {.steps = kSteps, .batch = kBatch, .lengths = lengths, .symbols = symbols};
  }
  [[nodiscard]] BatchView view(std::span<const float> x) const {
    return {.x = x, .steps = kSteps, .batch = kBatch, .lengths = lengths};
  }
  [[nodiscard]] TargetView targets() const { return {.classes = classes}; }
  // Looks up each symbol's row of a table.
  [[nodiscard]] std::vector<float> rows(std::span<const float> table) const {
    const std::size_t width = table.size() / kSymbols;
    std::vector<float> x;
    for (const std::int32_t s : symbols) {
      const auto row = table.subspan(static_cast<std::size_t>(s) * width, width);
      x.insert(x.end(), row.begin(), row.end());
    }
    return x;
  }
};

struct Answer {
  std::vector<float> y, gradient;
};

Answer answer(const Model& model, const BatchView& batch, const TargetView& targets) {
  Answer out{std::vector<float>(product(batch.batch, model.config().outputs)),
             std::vector<float>(model.parameter_count())};
  Session session(model);
  session.run(batch, out.y);
  session.gradient(batch, targets, {.weights = out.gradient});
  return out;
}

TEST(Symbols, AreOneHotRows) {
  std::vector<float> one_hot(product(SymbolBatch::kSymbols, SymbolBatch::kSymbols));
  for (std::size_t i = 0; i < SymbolBatch::kSymbols; ++i) {
    one_hot[i * (SymbolBatch::kSymbols + 1)] = 1;
  }
  const SymbolBatch batch;
  const auto x = batch.rows(one_hot);
  for (const Cell cell : all_cells()) {
    for (const bool bidirectional : {false, true}) {
      ModelConfig config{.inputs = SymbolBatch::kSymbols,
                         .cell = cell,
                         .units = 8,
                         .bidirectional = bidirectional,
                         .outputs = 3};
      Model numbers(config);
      move_weights(numbers);
      config.input = Input::kSymbols;
      Model symbols(config);
      symbols.set_weights(numbers.weights());
      const Answer expected = answer(numbers, batch.view(x), batch.targets());
      const Answer found = answer(symbols, batch.view(), batch.targets());
      EXPECT_LT(cases::relative_error(found.y, expected.y), 1e-6);
      EXPECT_LT(cases::relative_error(found.gradient, expected.gradient), 1e-5);
    }
  }
}

TEST(Symbols, AreRowsOfTheirTable) {
  const SymbolBatch batch;
  ModelConfig config{.input = Input::kSymbols,
                     .inputs = SymbolBatch::kSymbols,
                     .embedding = 4,
                     .units = 8,
                     .readout = Readout::kAttention,
                     .outputs = 3};
  Model symbols(config);
  move_weights(symbols);
  config.input = Input::kNumbers;
  config.inputs = std::exchange(config.embedding, 0);
  Model numbers(config);
  numbers.set_weights(symbols.weights().subspan(SymbolBatch::kSymbols * 4));
  const auto x = batch.rows(parameter(symbols, "embedding.weight"));
  const Answer expected = answer(numbers, batch.view(x), batch.targets());
  const Answer found = answer(symbols, batch.view(), batch.targets());
  EXPECT_TRUE(cases::same_bits(found.y, expected.y));
  const auto shared = std::span<const float>(found.gradient).subspan(SymbolBatch::kSymbols * 4);
  EXPECT_TRUE(cases::same_bits(shared, std::span<const float>(expected.gradient)));
}

TEST(Symbols, PastTheEndAreNeverRead) {
  for (const int embedding : {0, 3}) {
    const Model model({.input = Input::kSymbols,
                       .inputs = SymbolBatch::kSymbols,
                       .embedding = embedding,
                       .units = 5,
                       .layers = 2,
                       .bidirectional = true,
                       .readout = Readout::kMean,
                       .outputs = 3});
    SymbolBatch batch;
    const Answer expected = answer(model, batch.view(), batch.targets());
    for (int t = 0; t < SymbolBatch::kSteps; ++t) {
      for (int b = 0; b < SymbolBatch::kBatch; ++b) {
        if (t < batch.lengths[static_cast<std::size_t>(b)]) continue;
        batch.symbols[product(t, SymbolBatch::kBatch) + static_cast<std::size_t>(b)] = -123456789;
      }
    }
    const Answer found = answer(model, batch.view(), batch.targets());
    EXPECT_TRUE(cases::same_bits(found.y, expected.y));
    EXPECT_TRUE(cases::same_bits(found.gradient, expected.gradient));
  }
}

// The most likely label of each row.
std::vector<std::int32_t> labels_of(std::span<const float> y, int outputs) {
  std::vector<std::int32_t> labels;
  for (std::size_t at = 0; at < y.size(); at += static_cast<std::size_t>(outputs)) {
    const auto row = y.subspan(at, static_cast<std::size_t>(outputs));
    labels.push_back(static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
  }
  return labels;
}

// By definition, over the steps of the sequences.
double cross_entropy(std::span<const float> y, int outputs, int batch,
                     std::span<const std::int32_t> classes, std::span<const std::int32_t> lengths) {
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const std::size_t t = row / static_cast<std::size_t>(batch);
    const std::size_t b = row % static_cast<std::size_t>(batch);
    if (t >= static_cast<std::size_t>(lengths[b])) continue;
    double exponentials = 0;
    const float* values = &y[row * static_cast<std::size_t>(outputs)];
    for (int o = 0; o < outputs; ++o) exponentials += std::exp(static_cast<double>(values[o]));
    sum += std::log(exponentials) - static_cast<double>(values[classes[row]]);
    ++count;
  }
  return sum / count;
}

TEST(Decoder, RunsFreelyAsWhenToldItsOwnLabels) {
  constexpr int kSteps = 9, kOutputs = 5;
  for (const Cell cell : all_cells()) {
    Model model({.input = Input::kSymbols,
                 .inputs = SymbolBatch::kSymbols,
                 .cell = cell,
                 .units = 8,
                 .layers = 2,
                 .outputs = kOutputs,
                 .code = 6});
    move_weights(model);
    Session session(model);
    const SymbolBatch batch;
    std::vector<float> y(product(kSteps, SymbolBatch::kBatch, kOutputs)), told(y.size());
    session.run(batch.view(), y);
    const auto labels = labels_of(y, kOutputs);
    const std::vector<std::int32_t> lengths = {9, 2, 0, 9, 5, 1};
    session.loss(batch.view(), {.classes = labels, .steps = kSteps}, told);
    EXPECT_TRUE(cases::same_bits(told, y)) << to_string(cell);
    EXPECT_NEAR(
        session.loss(batch.view(), {.classes = labels, .steps = kSteps, .lengths = lengths}),
        cross_entropy(y, kOutputs, SymbolBatch::kBatch, labels, lengths), 1e-6);
    // The first steps do not depend on the number of steps that follow.
    std::vector<float> three(product(3, SymbolBatch::kBatch, kOutputs));
    session.run(batch.view(), three);
    EXPECT_TRUE(std::equal(three.begin(), three.end(), y.begin()));
  }
}

TEST(Decoder, LearnsToSayWhatFeaturesStandFor) {
  constexpr int kWords = 4, kSteps = 5, kLetters = 6;
  const std::vector<std::int32_t> letters = {0, 1, 2, 5, 0, 3, 4, 1, 1, 3,
                                             2, 1, 3, 0, 4, 4, 0, 2, 2, 5};  // [T,B]
  std::vector<float> features(product(kWords, kWords));
  for (std::size_t w = 0; w < kWords; ++w) features[w * (kWords + 1)] = 1;
  const BatchView batch{.x = features, .steps = 1, .batch = kWords};
  Model model({.inputs = kWords,
               .units = 16,
               .layers = 0,
               .readout = Readout::kMean,
               .outputs = kLetters,
               .code = 8});
  Trainer trainer(model, {.learning_rate = 1e-2});
  for (int i = 0; i < 200; ++i) trainer.step(batch, {.classes = letters, .steps = kSteps});
  std::vector<float> y(product(kSteps, kWords, kLetters));
  Session(model).run(batch, y);
  EXPECT_EQ(labels_of(y, kLetters), letters);
}

// The last step of the last layer gets its gradient only from the output layer.
TEST(GradientOfH, EndsWithThatOfTheOutputLayer) {
  constexpr int kSteps = 6, kBatch = 2, kUnits = 5, kOutputs = 3;
  Model model({.inputs = 2, .units = kUnits, .layers = 2, .outputs = kOutputs});
  move_weights(model);
  const auto x = Draw(9).numbers(product(kSteps, kBatch, 2), 1.0F);
  const std::vector<std::int32_t> classes = {2, 0};
  const BatchView batch{.x = x, .steps = kSteps, .batch = kBatch};
  std::vector<float> y(product(kBatch, kOutputs)), weights(model.parameter_count());
  std::vector<float> h(product(kSteps, kBatch, kUnits), 123.0F), chunked(h);  // overwritten
  Session session(model);
  session.run(batch, y);
  session.gradient(batch, {.classes = classes}, {.weights = weights, .h = h});
  Session(model, {.memory = Memory::kChunked})
      .gradient(batch, {.classes = classes}, {.weights = weights, .h = chunked});
  EXPECT_TRUE(cases::same_bits(chunked, h));
  const auto output = parameter(model, "output.weight");
  for (std::size_t b = 0; b < kBatch; ++b) {
    double exponentials = 0;
    const float* row = &y[b * kOutputs];
    for (std::size_t o = 0; o < kOutputs; ++o)
      exponentials += std::exp(static_cast<double>(row[o]));
    for (std::size_t u = 0; u < kUnits; ++u) {
      double expected = 0;
      for (std::size_t o = 0; o < kOutputs; ++o) {
        const double wrong = std::exp(static_cast<double>(row[o])) / exponentials -
                             (static_cast<std::size_t>(classes[b]) == o ? 1 : 0);
        expected += wrong / kBatch * static_cast<double>(output[o * kUnits + u]);
      }
      EXPECT_NEAR(static_cast<double>(h[((kSteps - 1) * kBatch + b) * kUnits + u]), expected, 1e-6);
      EXPECT_NE(h[b * kUnits + u], 123.0F);
    }
  }
}

TEST(GradientOfH, PastTheEndIsLeftAlone) {
  const Model model({.units = 4, .readout = Readout::kMean, .outputs = 3});
  constexpr std::size_t kSteps = 5, kBatch = 3;
  const std::vector<float> x(kSteps * kBatch, 0.5F);
  const std::vector<std::int32_t> lengths = {2, 0, 5}, classes = {0, 1, 2};
  std::vector<float> weights(model.parameter_count()), h(kSteps * kBatch * 4, 123.0F);
  Session(model).gradient({.x = x, .steps = kSteps, .batch = kBatch, .lengths = lengths},
                          {.classes = classes}, {.weights = weights, .h = h});
  for (std::size_t t = 0; t < kSteps; ++t) {
    for (std::size_t b = 0; b < kBatch; ++b) {
      const bool has = t < static_cast<std::size_t>(lengths[b]);
      EXPECT_EQ(h[(t * kBatch + b) * 4] != 123.0F, has) << "step " << t << " sequence " << b;
    }
  }
}

}  // namespace
}  // namespace rwa
