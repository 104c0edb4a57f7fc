// tests/api/layer_device_test.cc: a layer in the memory of a device that works late and that the host
// cannot touch: the bits of the CPU, and nothing of one forward in another.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/rwa.h"
#include "support/far_as_cuda.h"
#include "support/layer_runs.h"

namespace rwa {
namespace {

using cases::LayerMemory;
using cases::run_on_cpu;

LayerConfig far_config(const RecurrentSpec& spec) {
  LayerConfig config = cases::config_of(spec);
  config.device = "cuda";
  return config;
}

// What is there at first: the device of the test and that of the layer do not wait for each other.
std::unique_ptr<LayerMemory> placed(Backend<float>& far, const cases::Layer& data) {
  auto memory = std::make_unique<LayerMemory>(far, data);
  (void)memory->read();
  return memory;
}

TEST(LayerDevice, HasTheBitsOfTheCpu) {
  far::FarBackend far;
  for (const auto& data : cases::all_runs(3, 19, 37, 11)) {
    const auto memory = placed(far, data);
    rwa::Layer(far_config(data.spec))
        .forward(memory->in(), memory->out())
        .backward(memory->in(), memory->gradient());  // done when nobody has the layer any more
    EXPECT_TRUE(same_bits(memory->read(), run_on_cpu(data, cases::config_of(data.spec))))
        << cases::name(data);
  }
}

// Lengths are taken when forward is called, and what a tape gives back serves the next.
TEST(LayerDevice, MuchMayBeAskedForBeforeAnythingIsDone) {
  far::FarBackend far;
  cases::Draw draw(9);
  for (const Cell cell : all_cells()) {
    const RecurrentSpec spec{.cell = cell, .inputs = 2, .units = 12};
    std::vector<cases::Layer> all;
    std::vector<std::unique_ptr<LayerMemory>> memories;
    {
      rwa::Layer layer(far_config(spec));
      std::vector<Tape> tapes;
      for (int round = 0; round < 3; ++round) {
        for (const int steps : {9, 4, 9}) {
          const auto& data =
              all.emplace_back(cases::make_run(spec, steps, 5, steps == 9, true, draw));
          memories.push_back(placed(far, data));
          LayerInput in = memories.back()->in();
          std::vector<std::int32_t> lengths(in.lengths.begin(), in.lengths.end());
          in.lengths = lengths;
          tapes.push_back(layer.forward(in, memories.back()->out()));
          std::ranges::fill(lengths, 0);
        }
        for (std::size_t i = memories.size() - 3; i < memories.size(); ++i) {
          tapes[i].backward(memories[i]->in(), memories[i]->gradient());
        }
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(same_bits(memories[i]->read(), run_on_cpu(all[i], cases::config_of(spec))))
          << cases::name(all[i]) << " " << i;
    }
  }
}

TEST(LayerDevice, LayersOfOneDeviceHaveOneBackend) {
  far::FarBackend far;
  cases::Draw draw(10);
  const auto data = cases::make_run({.inputs = 2, .units = 12}, 9, 5, true, true, draw);
  const auto first = placed(far, data);
  const auto second = placed(far, data);
  rwa::Layer a(far_config(data.spec));
  LayerConfig config = far_config(data.spec);
  config.device = "cuda:0";
  Tape tape = a.forward(first->in(), first->out());
  {
    // Its end is the end of all that was asked for before.
    rwa::Layer b(config);
    b.run(second->in(), second->out());
  }
  EXPECT_TRUE(cases::same_bits(first->read().h, second->read().h));
  EXPECT_TRUE(cases::same_bits(first->read().h, run_on_cpu(data, cases::config_of(data.spec)).h));
}

}  // namespace
}  // namespace rwa
