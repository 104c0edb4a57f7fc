// tests/backend/cuda_network_test.cc: whole networks on the GPU: outputs, losses and gradients are
// as close to the double reference as the CPU's; training matches the CPU and repeats bit for bit.
// Skipped without a GPU.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "model/network.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/cuda.h"
#include "support/errors.h"

namespace rwa {
namespace {

using cases::Data;
using cases::Errors;
using cases::Numbers;
using cases::same_bits;

// The error may be this large, or kTimesCpu times the CPU's.
constexpr double kLeastBound = 1e-5;
constexpr double kTimesCpu = 4;

constexpr int kSteps = 21;
constexpr int kBatch = 37;
constexpr std::int64_t kDropoutStep = 17;

using CudaNetwork = cases::OnCuda;

std::map<std::string, ModelConfig> networks() {
  return {{"both ways, attention, embedding",
           {.input = Input::kSymbols,
            .inputs = 50,
            .embedding = 12,
            .units = 40,
            .layers = 2,
            .bidirectional = true,
            .dropout = 0.3,
            .readout = Readout::kAttention,
            .outputs = 5}},
          {"one-hot, every step",
           {.input = Input::kSymbols,
            .inputs = 9,
            .cell = Cell::kRwaForget,
            .units = 33,
            .bidirectional = true,
            .readout = Readout::kEvery,
            .outputs = 9}},
          {"three layers, mean",
           {.inputs = 3,
            .cell = Cell::kLstm,
            .units = 50,
            .layers = 3,
            .dropout = 0.5,
            .readout = Readout::kMean,
            .outputs = 2,
            .loss = Loss::kSquaredError}},
          {"wide layers, last step",
           {.inputs = 70,
            .cell = Cell::kGru,
            .units = 130,
            .layers = 2,
            .bidirectional = true,
            .readout = Readout::kLast,
            .outputs = 4}},
          {"autoencoder",
           {.input = Input::kSymbols,
            .inputs = 20,
            .embedding = 10,
            .units = 40,
            .layers = 2,
            .dropout = 0.2,
            .readout = Readout::kLast,
            .outputs = 20,
            .code = 15}},
          {"stem, mean",
           {.inputs = 17,
            .stem = {15, 9},
            .channels = 64,
            .units = 64,
            .readout = Readout::kMean,
            .outputs = 3}},
          {"stem longer than the sequences, embedding, both ways",
           {.input = Input::kSymbols,
            .inputs = 9,
            .embedding = 5,
            .stem = {30, 1, 4},
            .channels = 11,
            .cell = Cell::kLstm,
            .units = 33,
            .layers = 2,
            .bidirectional = true,
            .dropout = 0.3,
            .readout = Readout::kEvery,
            .outputs = 4}},
          {"features to labels",
           {.inputs = 6,
            .units = 40,
            .layers = 0,
            .readout = Readout::kMean,
            .outputs = 7,
            .code = 8}}};
}

// Without recurrent layers the input is a single step.
Data data_for(const ModelConfig& config, std::uint64_t seed) {
  Data data = cases::make_data(config, kSteps, kBatch, seed);
  if (config.layers > 0) return data;
  data.steps = 1;
  data.x.resize(cases::product(kBatch, config.inputs));
  data.lengths.clear();
  return data;
}

template <class Real>
struct Found {
  double loss;
  std::vector<Real> y, parameters, x;  // parameters and x are gradients
};

template <class Real>
Found<Real> gradient(Backend<Real>& backend, const ModelConfig& config, const Data& data,
                     Memory memory) {
  const NetworkSpec spec(config);
  const std::vector<float> initial = initial_weights(spec, config);
  NetworkWeights<Real> weights(spec, backend);
  weights.set(std::vector<Real>(initial.begin(), initial.end()));
  NetworkPass<Real> pass(spec, backend);

  const std::vector<Real> x(data.x.begin(), data.x.end());
  const std::vector<Real> values(data.values.begin(), data.values.end());
  const bool classes = config.loss == Loss::kSoftmax;
  const Rows rows{data.steps, data.batch, data.lengths};
  const Rows out_rows = spec.decodes() ? Rows{data.target_steps, data.batch, data.target_lengths}
                                       : spec.output_rows(rows);
  const auto feed = backend.make_feed();
  load<Real>(
      *feed, spec,
      {data.symbols.empty() ? x.data() : nullptr, rows,
       data.symbols.empty() ? nullptr : data.symbols.data()},
      {classes ? data.classes.data() : nullptr, classes ? nullptr : values.data(), out_rows});

  Array<Real, double> mean(backend, 1);
  Array<Real, std::int64_t> step(backend, 1);
  step.write(std::vector<std::int64_t>{kDropoutStep});
  Numbers<Real> y(backend, cases::product(out_rows.steps, kBatch, config.outputs));
  Numbers<Real> parameters(backend, spec.parameters());
  // Sized for the capacity of the device's rows.
  Numbers<Real> dx(backend, cases::product(feed->in().rows.steps, kBatch, config.inputs));
  pass.loss(weights, feed->in(), feed->targets(), mean.data(), y.data());
  pass.gradient(weights, feed->in(), feed->targets(), mean.data(),
                {.memory = memory,
                 .parameters = parameters.data(),
                 .x = x.empty() ? nullptr : dx.data(),
                 .dropout_step = config.dropout > 0 ? step.data() : nullptr});
  double loss = 0;
  mean.read({&loss, 1});
  std::vector<Real> x_gradient = dx.read();
  x_gradient.resize(x.size());
  return {loss, y.read(), parameters.read(), x_gradient};
}

// Relative errors per parameter block; a block that nearly cancels is measured against the whole.
Errors errors_of(const ModelConfig& config, const Found<float>& found, const Found<double>& exact) {
  Errors errors = {{"loss", std::abs(found.loss - exact.loss) / exact.loss},
                   {"y", cases::relative_error(found.y, exact.y)},
                   {"x", cases::relative_error(found.x, exact.x)}};
  const double whole = cases::norm(exact.parameters);
  for (const ParameterInfo& info : NetworkSpec(config).describe()) {
    const auto block = std::span(exact.parameters).subspan(info.offset, info.size);
    const double size = cases::norm(block);
    const double error =
        cases::relative_error(std::span(found.parameters).subspan(info.offset, info.size), block);
    errors[info.name] = error == 0 ? 0 : error * size / std::max(size, whole / 10);
  }
  return errors;
}

TEST_F(CudaNetwork, AgreesWithTheReference) {
  const auto cpu = make_cpu_backend(1);
  for (const auto& [name, config] : networks()) {
    const Data data = data_for(config, 5);
    const auto exact = gradient(*make_reference_backend(), config, data, Memory::kFull);
    const auto bounds = errors_of(config, gradient(*cpu, config, data, Memory::kFull), exact);
    for (const std::string path : {"", "plain"}) {
      path.empty() ? unsetenv("RWA_CUDA") : setenv("RWA_CUDA", path.c_str(), 1);
      const auto backend = make_cuda_backend(0, 1);
      for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
        const auto found = gradient(*backend, config, data, memory);
        for (const auto& [what, error] : errors_of(config, found, exact)) {
          EXPECT_LE(error, std::max(kLeastBound, kTimesCpu * bounds.at(what)))
              << name << ", " << path << ", " << to_string(memory) << ", " << what;
        }
      }
    }
  }
}

// Forward only, with a free-running decoder.
TEST_F(CudaNetwork, RunsAsOnTheCpu) {
  for (const auto& [name, config] : networks()) {
    const Data data = data_for(config, 6);
    const Model model(config);
    const int rows = config.code > 0 ? 7 : config.readout == Readout::kEvery ? data.steps : 1;
    std::vector<float> on_gpu(cases::product(rows, kBatch, config.outputs), 0.0F);
    std::vector<float> on_cpu = on_gpu;
    Session(model, {.device = "cuda"}).run(data.view(), on_gpu);
    Session(model).run(data.view(), on_cpu);
    EXPECT_LT(cases::relative_error(on_gpu, on_cpu), 1e-5) << name;
  }
}

struct Trained {
  std::vector<double> losses;
  std::vector<float> weights;
};

// Batches of one size, so that the step is captured, and one of another size in between.
Trained trained(const ModelConfig& config, const std::string& device, int truncate = 0,
                Memory memory = Memory::kFull) {
  Model model(config);
  Trainer trainer(model, {.truncate = truncate, .session = {.memory = memory, .device = device}});
  Trained out;
  for (int step = 0; step < 8; ++step) {
    Data data = data_for(config, static_cast<std::uint64_t>(100 + step));
    if (step == 5 && config.layers > 0) data = cases::make_data(config, 2 * kSteps, 9, 99);
    const TargetView targets = config.loss == Loss::kSoftmax
                                   ? TargetView{.classes = data.classes,
                                                .steps = data.target_steps,
                                                .lengths = data.target_lengths}
                                   : TargetView{.values = data.values};
    out.losses.push_back(trainer.step(data.view(), targets).loss);
  }
  out.weights = cases::copy(model.weights());
  return out;
}

TEST_F(CudaNetwork, TrainsAsOnTheCpu) {
  for (const auto& [name, config] : networks()) {
    const Trained on_gpu = trained(config, "cuda");
    const Trained on_cpu = trained(config, "cpu");
    for (std::size_t step = 0; step < on_gpu.losses.size(); ++step) {
      EXPECT_NEAR(on_gpu.losses[step], on_cpu.losses[step], 1e-3 * on_cpu.losses[step])
          << name << ", step " << step;
    }
  }
}

void expect_as_on_the_cpu(const ModelConfig& config, int truncate, Memory memory,
                          const std::string& what) {
  const Trained on_gpu = trained(config, "cuda", truncate, memory);
  const Trained on_cpu = trained(config, "cpu", truncate, memory);
  for (std::size_t step = 0; step < on_gpu.losses.size(); ++step) {
    EXPECT_NEAR(on_gpu.losses[step], on_cpu.losses[step], 1e-3 * on_cpu.losses[step])
        << what << ", step " << step;
  }
  EXPECT_TRUE(same_bits(trained(config, "cuda", truncate, memory).weights, on_gpu.weights)) << what;
}

// Also repeats bit for bit. With Readout::kLast, some parts have no target.
TEST_F(CudaNetwork, TrainsInPartsAsOnTheCpu) {
  for (const Cell cell : all_cells()) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      const ModelConfig config{.inputs = 3,
                               .cell = cell,
                               .units = 40,
                               .layers = 2,
                               .dropout = 0.3,
                               .readout = readout,
                               .outputs = 5};
      for (const std::string path : {"", "plain"}) {
        path.empty() ? unsetenv("RWA_CUDA") : setenv("RWA_CUDA", path.c_str(), 1);
        for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
          expect_as_on_the_cpu(
              config, 4, memory,
              cases::name(config) + ", " + path + ", " + std::string(to_string(memory)));
        }
      }
    }
  }
}

// The kernels see more steps than a part has.
TEST_F(CudaNetwork, TrainsAStemInPartsAsOnTheCpu) {
  for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
    const ModelConfig config{.inputs = 3,
                             .stem = {6, 15},
                             .channels = 20,
                             .units = 40,
                             .readout = readout,
                             .outputs = 5};
    for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
      expect_as_on_the_cpu(config, 4, memory,
                           cases::name(config) + ", " + std::string(to_string(memory)));
    }
  }
}

TEST_F(CudaNetwork, TrainsWithTheSameBitsAgain) {
  for (const auto& [name, config] : networks()) {
    const Trained first = trained(config, "cuda");
    const Trained again = trained(config, "cuda");
    EXPECT_EQ(first.losses, again.losses) << name;
    EXPECT_TRUE(same_bits(first.weights, again.weights)) << name;
  }
}

}  // namespace
}  // namespace rwa
