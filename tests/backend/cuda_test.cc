// tests/backend/cuda_test.cc: recurrent layers on the GPU match the double reference as closely as
// the CPU does, on every path, and repeat bit for bit. Skipped without a GPU.
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/cases.h"
#include "support/cuda.h"
#include "support/errors.h"

namespace rwa {
namespace {

using cases::Draw;
using cases::Errors;
using cases::Layer;
using cases::same_bits;

// The CPU's own error varies from case to case; no case needs to be closer than this.
constexpr double kLeastBound = 1.5e-6;
constexpr double kTimesCpu = 4;

using Cuda = cases::OnCuda;

const std::vector<std::string> kPaths = {"persistent", "exact", "plain"};

void expect_close(const Errors& found, const Errors& cpu, const std::string& what) {
  for (const auto& [name, error] : found) {
    EXPECT_LE(error, std::max(kLeastBound, kTimesCpu * cpu.at(name))) << what << ", " << name;
  }
}

void expect_parity(Backend<float>& backend, const Layer& layer, const std::string& what) {
  const auto exact = cases::run(*make_reference_backend(), layer);
  const auto cpu = cases::run(*make_cpu_backend(1), layer);
  const auto found = cases::run(backend, layer);
  expect_close(cases::output_errors(found, exact), cases::output_errors(cpu, exact), what);
  expect_close(cases::gradient_errors(layer.spec, found, exact),
               cases::gradient_errors(layer.spec, cpu, exact), what);
}

std::string describe(const Layer& layer, const std::string& path) {
  const RecurrentSpec& spec = layer.spec;
  return path + " " + std::string(to_string(spec.cell)) + " of " + std::to_string(spec.units) +
         " units, " + std::to_string(spec.inputs) + (spec.symbols ? " symbols, " : " inputs, ") +
         std::to_string(layer.steps) + " steps, batch " + std::to_string(layer.batch) +
         (spec.reverse ? ", in reverse" : "") + ", rows of " + std::to_string(spec.h_stride());
}

struct Size {
  int inputs, units, steps, batch;
};
// Blocks of 32 units and slices of 8 rows: full, partial, and many; few and many features.
constexpr Size kSizes[] = {{1, 1, 0, 3},     {1, 32, 1, 8},    {3, 33, 17, 9},    {2, 64, 130, 1},
                           {5, 100, 40, 37}, {1, 250, 12, 20}, {10, 250, 70, 12}, {2, 300, 9, 33},
                           {200, 64, 5, 9},  {1, 384, 5, 10}};

// Other cells run on the plain path.
bool has_persistent_kernels(Cell cell) { return cell <= Cell::kGru; }

// A forced path runs or throws. Split products fit for all layers here; exact ones, which need more
// shared memory, fit except for large layers of cells with more than two gates.
bool fits(const std::string& path, const RecurrentSpec& spec) {
  const bool exact = path == "exact" || spec.activation != Activation::kTanh;
  if (path == "plain") return true;
  return has_persistent_kernels(spec.cell) &&
         (!exact || spec.cell == Cell::kRwa || spec.units <= 250);
}

TEST_F(Cuda, ALayerThatDoesNotFitIsRefusedWhereItIsAskedFor) {
  const auto backend = make("persistent");
  EXPECT_THROW((void)backend->make_pass({Cell::kRwa, Activation::kTanh, 1, 513}), ConfigError);
  EXPECT_NO_THROW((void)make()->make_pass({Cell::kRwa, Activation::kTanh, 1, 513}));
}

TEST_F(Cuda, AgreesWithTheReference) {
  for (const std::string& path : kPaths) {
    for (const Cell cell : all_cells()) {
      for (const Activation activation : {Activation::kTanh, Activation::kIdentity}) {
        for (const auto& [inputs, units, steps, batch] : kSizes) {
          Draw draw(static_cast<std::uint64_t>(units + steps));
          Layer layer = cases::make_layer({cell, activation, inputs, units}, steps, batch, draw);
          if (batch % 2 == 0) layer.initial_state = cases::make_state(layer.spec, batch, draw);
          if (batch % 3 == 0) layer.dh_every.clear();
          if (!fits(path, layer.spec)) continue;
          expect_parity(*make(path), layer, describe(layer, path));
          cases::send_to_final_state(layer, draw);
          expect_parity(*make(path), layer, describe(layer, path) + ", to the final state");
        }
      }
    }
  }
}

// Symbols, few and many features, both directions, and strided rows of h.
const RecurrentSpec kForms[] = {
    {.inputs = 7, .units = 40, .symbols = true},
    {.inputs = 300, .units = 33, .symbols = true, .reverse = true, .stride = 80},
    {.inputs = 3, .units = 70, .reverse = true, .stride = 140},
    {.inputs = 16, .units = 64, .reverse = true},
    {.inputs = 17, .units = 270, .stride = 541},
    {.inputs = 250, .units = 64, .reverse = true},
    {.inputs = 500, .units = 100, .reverse = true, .stride = 200}};

TEST_F(Cuda, AgreesWithTheReferenceInAllFormsOfALayer) {
  for (const std::string& path : kPaths) {
    for (const Cell cell : all_cells()) {
      for (const Activation activation : {Activation::kTanh, Activation::kIdentity}) {
        for (RecurrentSpec spec : kForms) {
          spec.cell = cell;
          spec.activation = activation;
          if (!fits(path, spec)) continue;
          Draw draw(static_cast<std::uint64_t>(spec.inputs));
          Layer layer = cases::make_layer(spec, 20, 13, draw);
          if (spec.reverse) layer.initial_state = cases::make_state(spec, layer.batch, draw);
          expect_parity(*make(path), layer, describe(layer, path));
        }
      }
    }
  }
}

// Attention logits up to ±1e4. Integers, so that they are exact in every precision.
TEST_F(Cuda, LargeLogitsLoseNothing) {
  for (const std::string& path : kPaths) {
    for (const Cell cell : {Cell::kRwa, Cell::kRwaDecay}) {
      Draw draw(4);
      const RecurrentSpec spec{cell, Activation::kTanh, 2, 40};
      Layer layer = cases::make_layer(spec, 30, 11, draw);
      const auto H = static_cast<std::size_t>(spec.units);
      for (std::size_t j = 0; j < H; ++j) {
        float* a = &layer.parameters[spec.weight_x() + (H + j) * 2];
        a[0] = 0;
        a[1] = static_cast<float>(draw.integer(-100, 100));
        std::fill_n(&layer.parameters[spec.weight_h() + (H + j) * H], H, 0.0F);
      }
      for (std::size_t i = 1; i < layer.x.size(); i += 2) {
        layer.x[i] = static_cast<float>(draw.integer(-100, 100));
      }
      expect_parity(*make(path), layer, describe(layer, path) + ", large logits");
    }
  }
}

// Gradients far below the range of fp16.
TEST_F(Cuda, SmallGradientsLoseNothing) {
  for (const std::string& path : kPaths) {
    for (const Cell cell : all_cells()) {
      Draw draw(5);
      Layer layer = cases::make_layer({cell, Activation::kTanh, 2, 100}, 30, 11, draw);
      if (!fits(path, layer.spec)) continue;
      for (float& v : layer.dh_every) v *= 1e-9F;
      for (float& v : layer.dh_last) v *= 1e-9F;
      expect_parity(*make(path), layer, describe(layer, path) + ", small gradients");
    }
  }
}

void expect_same(const cases::Result<float>& a, const cases::Result<float>& b,
                 const std::string& what) {
  EXPECT_TRUE(cases::same_outputs(a, b)) << what;
  EXPECT_TRUE(same_bits(a.parameters, b.parameters)) << what << ", parameters";
  EXPECT_TRUE(same_bits(a.x, b.x)) << what << ", x";
  EXPECT_TRUE(same_bits(a.initial, b.initial)) << what << ", initial";
}

TEST_F(Cuda, HasTheSameBitsAgainInAnyShareAndWithLittleMemory) {
  for (const std::string& path : kPaths) {
    for (const Cell cell : all_cells()) {
      for (const RecurrentSpec& spec :
           {RecurrentSpec{.cell = cell, .inputs = 3, .units = 250},
            RecurrentSpec{
                .cell = cell, .inputs = 30, .units = 250, .symbols = true, .reverse = true},
            RecurrentSpec{.cell = cell, .inputs = 30, .units = 250, .reverse = true}}) {
        if (!fits(path, spec)) continue;
        Draw draw(6);
        Layer layer = cases::make_layer(spec, 150, 60, draw);
        if (spec.symbols) cases::send_to_final_state(layer, draw);
        const auto first = cases::run(*make(path), layer);
        expect_same(first, cases::run(*make(path), layer), describe(layer, path) + ", again");
        for (const int share : {2, 4, 64}) {
          expect_same(first, cases::run(*make(path, share), layer),
                      describe(layer, path) + ", share " + std::to_string(share));
        }
        expect_same(first, cases::run(*make(path), layer, Memory::kChunked),
                    describe(layer, path) + ", chunked");
      }
    }
  }
}

// Runs both directions over the same x with the same weights, interleaved in rows of h. Returns h
// and the weight gradients.
struct Directions {
  std::vector<float> h, parameters[2];
};
Directions run_directions(Backend<float>& backend, const Layer& layer, bool at_once) {
  RecurrentSpec specs[2] = {layer.spec, layer.spec};
  specs[1].reverse = true;
  const auto H = static_cast<std::size_t>(layer.spec.units);
  const auto feed = cases::load_feed(backend, layer.x.data(), layer.spec.inputs, layer.rows());
  const auto weights = cases::load_weights(backend, layer.spec, layer.parameters);
  const std::unique_ptr<RecurrentPass<float>> passes[2] = {backend.make_pass(specs[0], 2),
                                                           backend.make_pass(specs[1], 2)};
  std::vector<float> from_loss = layer.dh_every;
  from_loss.insert(from_loss.end(), layer.dh_every.begin(), layer.dh_every.end());
  cases::Numbers<float> dh(backend, from_loss);
  cases::Numbers<float> h(backend, from_loss.size());
  cases::Numbers<float> parameters[2] = {{backend, layer.parameters.size()},
                                         {backend, layer.parameters.size()}};
  const auto direction = [&](std::size_t i) {
    passes[i]->forward(*weights,
                       {.in = feed->in(), .h_every = h.data() + i * H, .keep = Memory::kFull});
    passes[i]->backward(
        *weights,
        {.in = feed->in(), .dh_every = dh.data() + i * H, .parameters = parameters[i].data()});
  };
  if (at_once) {
    backend.beside([&] { direction(0); }, [&] { direction(1); });
  } else {
    direction(0);
    direction(1);
  }
  return {h.read(), {parameters[0].read(), parameters[1].read()}};
}

TEST_F(Cuda, DirectionsAtOnceHaveTheBitsOfOneAfterTheOther) {
  for (const std::string& path : kPaths) {
    for (const int inputs : {2, 40}) {
      Draw draw(7);
      const RecurrentSpec spec{.inputs = inputs, .units = 100, .stride = 200};
      const Layer layer = cases::make_layer(spec, 50, 40, draw);
      const auto backend = make(path);
      const auto one_by_one = run_directions(*backend, layer, false);
      const auto at_once = run_directions(*backend, layer, true);
      EXPECT_TRUE(same_bits(at_once.h, one_by_one.h)) << describe(layer, path);
      for (const int i : {0, 1}) {
        EXPECT_TRUE(same_bits(at_once.parameters[i], one_by_one.parameters[i]))
            << describe(layer, path) << ", direction " << i;
      }
    }
  }
}

// From here on: training through the public classes.
ModelConfig config(Cell cell, Readout readout) {
  return {.inputs = 2,
          .cell = cell,
          .units = 50,
          .readout = readout,
          .outputs = 3,
          .loss = Loss::kSoftmax};
}

TEST_F(Cuda, TrainsWithTheSameBitsAgainAndAfterAStop) {
  for (const Cell cell : all_cells()) {
    for (const Readout readout : {Readout::kLast, Readout::kEvery}) {
      Model whole(config(cell, readout));
      Model parts(config(cell, readout));
      const TrainerOptions options{.session = {.device = "cuda"}};
      Trainer trainer(whole, options);
      auto stopped = std::make_unique<Trainer>(parts, options);
      for (int step = 0; step < 12; ++step) {
        const auto data = cases::make_data(config(cell, readout), 20 + step % 3, 30,
                                           static_cast<std::uint64_t>(step));
        trainer.step(data.view(), data.targets());
        if (step == 5) {
          const TrainerState state = stopped->state();
          stopped = std::make_unique<Trainer>(parts, options);
          stopped->set_state(state);
        }
        stopped->step(data.view(), data.targets());
      }
      EXPECT_TRUE(same_bits(whole.weights(), parts.weights())) << to_string(cell);
    }
  }
}

std::vector<float> trained(const ModelConfig& model_config, const SessionOptions& options,
                           const std::vector<int>& batches) {
  Model model(model_config);
  Trainer trainer(model, {.session = options});
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto data = cases::make_data(model_config, 10 + batches[i], batches[i], i);
    trainer.step(data.view(), data.targets());
  }
  return cases::copy(model.weights());
}

// Graphs, slices and memory change with the batch.
TEST_F(Cuda, BatchesOfOtherSizesComeInBetween) {
  const std::vector<int> batches = {30, 30, 30, 7, 300, 30, 7, 7, 7, 300};
  for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
    for (const Cell cell : all_cells()) {
      const auto on_gpu =
          trained(config(cell, Readout::kLast), {.memory = memory, .device = "cuda"}, batches);
      const auto on_cpu = trained(config(cell, Readout::kLast), {.memory = memory}, batches);
      EXPECT_LT(cases::relative_error(on_gpu, on_cpu), 1e-3) << to_string(cell);
    }
  }
}

// As with `rwa paper run --jobs`: layers of different sizes share one kernel.
TEST_F(Cuda, TrainersOnSeveralThreadsDoNotDisturbEachOther) {
  const std::vector<int> batches(30, 40);
  std::vector<ModelConfig> configs;
  for (const int inputs : {1, 3, 10, 40}) {
    ModelConfig c = config(Cell::kRwa, Readout::kLast);
    c.inputs = inputs;
    configs.push_back(c);
  }
  std::vector<std::vector<float>> together(configs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    threads.emplace_back(
        [&, i] { together[i] = trained(configs[i], {.device = "cuda", .share = 4}, batches); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < configs.size(); ++i) {
    EXPECT_TRUE(same_bits(together[i], trained(configs[i], {.device = "cuda"}, batches)));
  }
}

TEST_F(Cuda, ATrainedModelScoresTheSameOnTheCpu) {
  for (const Cell cell : all_cells()) {
    Model model(config(cell, Readout::kLast));
    Trainer trainer(model, {.session = {.device = "cuda"}});
    for (int step = 0; step < 40; ++step) {
      const auto data =
          cases::make_data(config(cell, Readout::kLast), 25, 50, static_cast<std::uint64_t>(step));
      trainer.step(data.view(), data.targets());
    }
    const auto test = cases::make_data(config(cell, Readout::kLast), 25, 100, 1000);
    const double gpu = Session(model, {.device = "cuda"}).loss(test.view(), test.targets());
    const double cpu = Session(model).loss(test.view(), test.targets());
    EXPECT_NEAR(gpu, cpu, 1e-4 * cpu) << to_string(cell);
  }
}

}  // namespace
}  // namespace rwa
