// tests/api/layer_device_test.cc: a layer on a device that works asynchronously in memory that the
// host cannot access has the bits of the CPU, and forward passes do not interfere.
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

// Waits until the inputs are on the device: the test's device and the layer's do not synchronise.
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
        .backward(memory->in(), memory->gradient());  // completes when the layer is destroyed
    EXPECT_TRUE(same_bits(memory->read(), run_on_cpu(data, cases::config_of(data.spec))))
        << cases::name(data);
  }
}

// Lengths are copied when forward is called, and tapes reuse the buffers of earlier ones.
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
    // Destroying b waits for all earlier work.
    rwa::Layer b(config);
    b.run(second->in(), second->out());
  }
  EXPECT_TRUE(cases::same_bits(first->read().h, second->read().h));
  EXPECT_TRUE(cases::same_bits(first->read().h, run_on_cpu(data, cases::config_of(data.spec)).h));
}

}  // namespace
}  // namespace rwa
