// tests/workflows/encoded_stream_test.cc: tests that a stream with context and positions gives the
// results of a batch, also after its state was saved.
#include "workflows/encoded_stream.h"

#include <vector>

#include <gtest/gtest.h>

#include "datasets/encoding.h"

namespace rwa::workflows {
namespace {

Trained widened(bool symbols) {
  datasets::Encoding encoding;
  encoding.schema.symbols = symbols;
  encoding.schema.target = formats::Target::kClass;
  encoding.labels = {"no", "yes"};
  if (symbols) {
    encoding.alphabet = {"A", "C", "G"};
  } else {
    encoding.schema.features = {"u", "v", "w"};
    encoding.features = {.mean = {0, 0, 0}, .scale = {1, 1, 1}};
  }
  encoding.widening = {.context = 3, .positions = 2, .span = 6};
  const datasets::Shape shape = encoding.shape();
  return {Model({.inputs = shape.inputs, .units = 5, .outputs = shape.outputs}), encoding};
}

formats::Sequence sample(bool symbols) {
  formats::Sequence sequence;
  sequence.steps = 6;
  for (int t = 0; t < sequence.steps; ++t) {
    if (symbols) {
      sequence.symbols.push_back(t * t % 3);
    } else {
      for (int i = 0; i < 3; ++i) sequence.x.push_back(static_cast<float>((t * 7 + i * 3) % 5) - 2);
    }
  }
  return sequence;
}

void feed(EncodedStream& steps, const formats::Sequence& sequence, int t, std::vector<float>& y) {
  const auto place = static_cast<std::size_t>(t);
  if (sequence.symbols.empty()) {
    steps.step(std::span(sequence.x).subspan(place * 3, 3), y);
  } else {
    steps.step(sequence.symbols[place], y);
  }
}

class WidenedSteps : public ::testing::TestWithParam<bool> {};

TEST_P(WidenedSteps, AreThoseOfABatchAlsoAfterAPause) {
  const Trained trained = widened(GetParam());
  const formats::Sequence sequence = sample(GetParam());
  const formats::Sequence seen = datasets::as_seen(trained.encoding, sequence);
  std::vector<float> wanted(2);
  Session(trained.model).run({.x = seen.x, .steps = seen.steps, .batch = 1}, wanted);

  std::vector<float> y(2);
  for (int pause = 0; pause <= sequence.steps; ++pause) {
    EncodedStream first(trained);
    for (int t = 0; t < pause; ++t) feed(first, sequence, t, y);
    const std::vector<float> state = first.state();
    EXPECT_EQ(state.size(), first.state_size());
    EncodedStream second(trained);
    second.set_state(state);
    for (int t = pause; t < sequence.steps; ++t) feed(second, sequence, t, y);
    EXPECT_EQ(y, wanted) << "after a pause at step " << pause;
  }
}

INSTANTIATE_TEST_SUITE_P(NumbersAndSymbols, WidenedSteps, ::testing::Bool());

}  // namespace
}  // namespace rwa::workflows
