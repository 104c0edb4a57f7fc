// tests/api/layer_memory_test.cc: a tape stores its own steps and nothing that tapes can share, and
// the memory kept for reuse is bounded.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/rwa.h"
#include "support/heap.h"
#include "support/layer_runs.h"

namespace rwa {
namespace {

using cases::heap_in_use;
using cases::LayerMemory;
using cases::run_on_cpu;

class LayerHeap : public testing::TestWithParam<Cell> {
 protected:
  void SetUp() override {
    if (!cases::heap_is_counted()) GTEST_SKIP() << "this heap does not report its usage";
  }
};

TEST_P(LayerHeap, ALoopTakesNoMoreAfterItsFirstRound) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(6);
  const auto data = cases::make_run({.cell = GetParam(), .units = 20}, 50, 8, true, true, draw);
  auto other = data;  // another layer of the same shape
  other.parameters.front() += 1;
  LayerMemory first(*backend, data);
  LayerMemory second(*backend, other);
  rwa::Layer layer(cases::config_of(data.spec));
  const auto round = [&] {
    Tape first_tape = layer.forward(first.in(), first.out());
    Tape second_tape = layer.forward(second.in(), second.out());
    second_tape.backward(second.in(), second.gradient());
    first_tape.backward(first.in(), first.gradient());
    layer.run(first.in(), first.out());
  };
  round();
  const auto before = heap_in_use();
  for (int i = 0; i < 3; ++i) round();
  EXPECT_EQ(heap_in_use(), before);
}

// A decoder that calls the layer for each step and runs backward after the last. Each step stores a
// few values per unit, far less than the weights.
TEST_P(LayerHeap, AStepOfManyKeepsNoWeights) {
  constexpr std::size_t kSteps = 100;
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(7);
  const RecurrentSpec spec{.cell = GetParam(), .inputs = 40, .units = 100};
  const auto data = cases::make_run(spec, 1, 8, false, true, draw);
  LayerMemory memory(*backend, data);
  rwa::Layer layer(cases::config_of(spec));
  layer.forward(memory.in(), memory.out()).backward(memory.in(), memory.gradient());

  const auto before = heap_in_use();
  std::vector<Tape> tapes;
  tapes.reserve(kSteps);
  for (std::size_t t = 0; t < kSteps; ++t) {
    tapes.push_back(layer.forward(memory.in(), memory.out()));
  }
  const auto alive = heap_in_use() - before;
  EXPECT_LT(alive / kSteps, data.parameters.size() * sizeof(float) / 2);
  for (Tape& tape : tapes) tape.backward(memory.in(), memory.gradient());
  EXPECT_LT(heap_in_use() - before, alive / 4);
  tapes.clear();
  EXPECT_LT(heap_in_use() - before, alive / 4);
}

INSTANTIATE_TEST_SUITE_P(Cells, LayerHeap,
                         testing::ValuesIn(all_cells().begin(), all_cells().end()));

// More networks than the layer caches. The caller overwrites its parameters before the backward
// pass.
TEST(LayerWeights, OfEachTapeAreThoseOfItsForward) {
  constexpr int kNetworks = 12;
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(8);
  const RecurrentSpec spec{.cell = Cell::kLstm, .inputs = 3, .units = 12};
  const LayerConfig config = cases::config_of(spec);
  rwa::Layer layer(config);
  std::vector<cases::Layer> all;
  std::vector<std::unique_ptr<LayerMemory>> memories;
  std::vector<Tape> tapes;
  for (int i = 0; i < kNetworks; ++i) {
    all.push_back(cases::make_run(spec, 5, 7, true, true, draw));
  }
  for (int round = 0; round < 2; ++round) {
    for (const auto& data : all) {
      memories.push_back(std::make_unique<LayerMemory>(*backend, data));
      LayerInput in = memories.back()->in();
      std::vector<float> parameters = data.parameters;
      in.parameters = parameters.data();
      tapes.push_back(layer.forward(in, memories.back()->out()));
      std::ranges::fill(parameters, 1e9F);
    }
  }
  for (std::size_t i = tapes.size(); i-- > 0;) {
    LayerInput in = memories[i]->in();
    in.parameters = nullptr;
    tapes[i].backward(in, memories[i]->gradient());
    EXPECT_TRUE(same_bits(memories[i]->read(), run_on_cpu(all[i % kNetworks], config))) << i;
  }
}

}  // namespace
}  // namespace rwa
