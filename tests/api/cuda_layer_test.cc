// tests/api/cuda_layer_test.cc: a layer in GPU memory, ordered by the caller's stream. Skipped
// without a GPU.
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/rwa.h"
#include "support/cuda.h"
#include "support/cuda_stream.h"
#include "support/layer_runs.h"

namespace rwa {
namespace {

using cases::CudaStream;
using cases::LayerMemory;
using cases::LayerResult;
using cases::run_on_cpu;

using CudaLayer = cases::OnCuda;

// As in tests/backend/cuda_test.cc.
constexpr double kLeastBound = 1.5e-6;
constexpr double kTimesCpu = 4;

LayerConfig gpu_config(const RecurrentSpec& spec) {
  LayerConfig config = cases::config_of(spec);
  config.device = "cuda";
  return config;
}

LayerResult<float> run_on(Backend<float>& backend, const LayerConfig& config,
                          const cases::Layer& data) {
  LayerMemory memory(backend, data);
  CudaStream stream;
  rwa::Layer(config)
      .forward(memory.in(), memory.out(), stream.handle())
      .backward(memory.in(), memory.gradient(), stream.handle());
  stream.wait();
  return memory.read();
}

// L of a sequence without steps is -infinity in both.
template <class Real>
double error_of(std::vector<Real> found, std::vector<double> exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::isinf(exact[i]) && std::isinf(found[i])) found[i] = static_cast<Real>(exact[i] = 0);
  }
  return cases::relative_error(found, exact);
}

void expect_close(const LayerResult<float>& found, const cases::Layer& data,
                  const std::string& what) {
  const auto exact = cases::reference_result(data);
  const auto cpu = run_on_cpu(data, cases::config_of(data.spec));
  const auto compare = [&](const char* name, const auto& here, const auto& there,
                           const auto& right) {
    EXPECT_LE(error_of(here, right), std::max(kLeastBound, kTimesCpu * error_of(there, right)))
        << what << ", " << cases::name(data) << ", " << name;
  };
  compare("h", found.h, cpu.h, exact.h);
  compare("state", found.state, cpu.state, exact.state);
  compare("parameters", found.parameters, cpu.parameters, exact.parameters);
  compare("x", found.x, cpu.x, exact.x);
  compare("initial", found.initial, cpu.initial, exact.initial);
}

// Partial and full blocks of 32 units and slices of 8 rows; few features and many.
TEST_F(CudaLayer, AgreesWithTheReferenceOnEachPath) {
  for (const std::string path : {"persistent", "exact", "plain"}) {
    const auto backend = make(path);  // selects the path of the layers too
    for (const auto& data : cases::all_runs(3, 40, 37, 11)) {
      expect_close(run_on(*backend, gpu_config(data.spec), data), data, path);
    }
    for (const auto& data : cases::all_runs(20, 250, 7, 20)) {
      if (data.spec.reverse) continue;
      expect_close(run_on(*backend, gpu_config(data.spec), data), data, path);
    }
  }
}

TEST_F(CudaLayer, LittleMemoryGivesTheSameBits) {
  for (const std::string path : {"persistent", "plain"}) {
    const auto backend = make(path);
    for (const auto& data : cases::all_runs(2, 33, 150, 5)) {
      LayerConfig config = gpu_config(data.spec);
      const auto expected = run_on(*backend, config, data);
      config.memory = Memory::kChunked;
      EXPECT_TRUE(same_bits(run_on(*backend, config, data), expected)) << cases::name(data);
    }
  }
}

// The stream writes the inputs just before, after much other work, and overwrites them just after.
// The host does not wait.
TEST_F(CudaLayer, WorksBetweenTheWorkOfAStream) {
  constexpr std::size_t kMuch = std::size_t{1} << 26;
  const auto backend = make();
  cases::Numbers<float> elsewhere(*backend, kMuch);
  for (const auto& data : cases::all_runs(2, 40, 60, 9)) {
    rwa::Layer layer(gpu_config(data.spec));
    CudaStream stream;
    LayerMemory memory(*backend, data);
    layer.forward(memory.in(), memory.out()).backward(memory.in(), memory.gradient());
    const auto expected = run_on(*backend, gpu_config(data.spec), data);

    cases::Numbers<float> kept(*backend, data.x);
    cases::Numbers<float> x(*backend, data.x.size(), NAN);
    cases::Numbers<float> h(*backend, data.dh_every.size());
    LayerInput in = memory.in();
    in.x = x.data();
    for (int i = 0; i < 20; ++i) stream.spoil(elsewhere.data(), kMuch);
    stream.copy(x.data(), kept.data(), data.x.size());
    Tape tape = layer.forward(in, memory.out(), stream.handle());
    stream.copy(h.data(), memory.out().h, data.dh_every.size());
    stream.spoil(memory.out().h, data.dh_every.size());
    tape.backward(in, memory.gradient(), stream.handle());
    stream.spoil(x.data(), data.x.size());
    stream.wait();
    LayerResult<float> found = memory.read();
    found.h = h.read();
    EXPECT_TRUE(same_bits(found, expected)) << cases::name(data);
  }
}

// Lengths change from call to call while the GPU is still busy with earlier calls.
TEST_F(CudaLayer, ManyTapesMayBeAlive) {
  const auto backend = make();
  cases::Draw draw(9);
  for (const Cell cell : all_cells()) {
    const RecurrentSpec spec{.cell = cell, .inputs = 2, .units = 40};
    rwa::Layer layer(gpu_config(spec));
    CudaStream stream;
    std::vector<cases::Layer> all;
    std::vector<std::unique_ptr<LayerMemory>> memories;
    std::vector<Tape> tapes;
    for (int round = 0; round < 3; ++round) {
      for (const int steps : {90, 40, 90}) {
        all.push_back(cases::make_run(spec, steps, 12, steps == 90, true, draw));
        memories.push_back(std::make_unique<LayerMemory>(*backend, all.back()));
        LayerInput in = memories.back()->in();
        std::vector<std::int32_t> lengths(in.lengths.begin(), in.lengths.end());
        in.lengths = lengths;
        tapes.push_back(layer.forward(in, memories.back()->out(), stream.handle()));
        std::ranges::fill(lengths, 0);
      }
      for (std::size_t i = memories.size() - 3; i < memories.size(); ++i) {
        tapes[i].backward(memories[i]->in(), memories[i]->gradient(), stream.handle());
      }
    }
    stream.wait();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(same_bits(memories[i]->read(), run_on(*backend, gpu_config(spec), all[i])))
          << cases::name(all[i]) << " " << i;
    }
  }
}

// Forward on one thread, backward on another, each with its own stream.
TEST_F(CudaLayer, ThreadsMayShareALayer) {
  const auto backend = make();
  cases::Draw draw(5);
  const auto data = cases::make_run({.inputs = 2, .units = 40}, 60, 16, true, true, draw);
  const auto expected = run_on(*backend, gpu_config(data.spec), data);
  rwa::Layer layer(gpu_config(data.spec));
  struct Caller {
    Caller(Backend<float>& at, const cases::Layer& run) : memory(at, run) {}
    LayerMemory memory;
    CudaStream stream;
  };
  std::vector<std::unique_ptr<Caller>> callers;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    Caller& c = *callers.emplace_back(std::make_unique<Caller>(*backend, data));
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        Tape tape = layer.forward(c.memory.in(), c.memory.out(), c.stream.handle());
        std::thread([&] {
          tape.backward(c.memory.in(), c.memory.gradient(), c.stream.handle());
        }).join();
      }
      c.stream.wait();
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& c : callers) EXPECT_TRUE(same_bits(c->memory.read(), expected));
}

}  // namespace
}  // namespace rwa
