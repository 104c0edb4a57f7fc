// tests/api/devices_test.cc: a trainer that computes while the next batch is prepared, on the CPU
// and on a device with its own memory, gives the same bits as sequential steps on the CPU. Every
// reader sees the newest weights.
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "api/networks.h"
#include "io/io_testing.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/cases.h"
#include "support/far_as_cuda.h"

namespace rwa {
namespace {

using cases::all_networks;
using cases::all_uneven;
using cases::copy;
using cases::Data;
using cases::make_data;
using cases::network_data;
using cases::same_bits;
using io::expect_error;

TEST(Devices, AreNamed) {
  const auto all = devices();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "cpu");
  EXPECT_EQ(all[1].name, "cuda:0");
  EXPECT_EQ(all[1].description, "far");
  for (const char* name : {"cpu", "cuda", "cuda:0"}) {
    (void)find_device(name);
    (void)Session(Model({.units = 3}), {.device = name});
  }
  expect_error<ConfigError>([] { (void)find_device("cuda:1"); }, {"'cuda:1'", "cpu, cuda:0"});
}

// The far device passes the cases of all backend tests.
TEST(Devices, ALayerHasTheBitsOfTheCpu) {
  far::FarBackend far;
  for (const Cell cell : {Cell::kRwa, Cell::kLstm}) {
    for (const int steps : {0, 1, 40}) {
      for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
        cases::Draw draw(3);
        auto layer = cases::make_layer({cell, Activation::kTanh, 3, 17}, steps, 5, draw);
        for (const bool given : {false, true}) {
          if (given) layer.initial_state = cases::make_state(layer.spec, 5, draw);
          const auto found = cases::run(far, layer, memory);
          const auto expected = cases::run(*make_cpu_backend(1), layer, memory);
          EXPECT_TRUE(cases::same_outputs(found, expected));
          EXPECT_TRUE(same_bits(found.parameters, expected.parameters));
          EXPECT_TRUE(same_bits(found.x, expected.x));
          EXPECT_TRUE(same_bits(found.initial, expected.initial));
        }
      }
    }
  }
}

// Batches with varying numbers of steps and, now and then, of sequences.
Data batch_of(const ModelConfig& config, unsigned step) {
  const int steps = 5 + static_cast<int>(7 * step % 11);
  return network_data(config, steps, step % 8 == 7 ? 3 : 9, step);
}

TrainerOptions options_for(const std::string& device) {
  return {.learning_rate = 0.01, .clip_norm = 0.5, .session = {.device = device}};
}

// A model trained for some steps, one after the other, on the CPU.
struct Trained {
  Trained(const ModelConfig& config, unsigned count) : model(config) {
    Trainer trainer(model, options_for("cpu"));
    for (unsigned step = 0; step < count; ++step) {
      const Data data = batch_of(config, step);
      results.push_back(trainer.step(data.view(), data.targets()));
    }
    state = trainer.state();
  }
  Model model;
  std::vector<StepResult> results;
  TrainerState state;
};

void expect_same_step(const StepResult& found, const StepResult& expected) {
  EXPECT_EQ(found.loss, expected.loss);
  EXPECT_EQ(found.gradient_norm, expected.gradient_norm);
}

void expect_same_state(const TrainerState& found, const TrainerState& expected) {
  EXPECT_EQ(found.steps, expected.steps);
  EXPECT_TRUE(same_bits(found.mean, expected.mean));
  EXPECT_TRUE(same_bits(found.variance, expected.variance));
}

class OnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static TrainerOptions options() { return options_for(GetParam()); }
  static constexpr unsigned kSteps = 20;
};
INSTANTIATE_TEST_SUITE_P(All, OnDevice, ::testing::Values("cpu", "cuda"));

TEST_P(OnDevice, SubmittedStepsHaveTheBitsOfStepsOneAfterTheOther) {
  for (const ModelConfig& config : all_networks()) {
    SCOPED_TRACE(cases::name(config));
    const Trained expected(config, kSteps);
    Model model(config);
    Trainer trainer(model, options());
    Data data[Trainer::kMostSubmitted];
    for (unsigned step = 0; step <= kSteps; ++step) {
      Data& next = data[step % Trainer::kMostSubmitted];
      if (step < kSteps) {
        next = batch_of(config, step);
        trainer.submit(next.view(), next.targets());
      }
      if (step == 0) continue;
      expect_same_step(trainer.collect(), expected.results[step - 1]);
      EXPECT_EQ(trainer.steps(), step);
    }
    EXPECT_TRUE(same_bits(model.weights(), expected.model.weights()));
    expect_same_state(trainer.state(), expected.state);
  }
}

TEST_P(OnDevice, ASessionHasTheBitsOfTheCpu) {
  for (const ModelConfig& config : all_networks()) {
    SCOPED_TRACE(cases::name(config));
    Model model(config);
    Session session(model, {.device = GetParam()});
    Session cpu(model);
    for (unsigned step = 0; step < 3; ++step) {
      const Data data = batch_of(config, step);
      std::vector<float> y(data.values.size(), 3), expected_y(y);
      std::vector<float> weights(model.parameter_count(), 1), expected_weights(weights);
      std::vector<float> x(data.x.size(), -1), expected_x(x);
      EXPECT_EQ(session.loss(data.view(), data.targets(), y),
                cpu.loss(data.view(), data.targets(), expected_y));
      EXPECT_TRUE(same_bits(y, expected_y));
      EXPECT_EQ(session.gradient(data.view(), data.targets(), {weights, x}),
                cpu.gradient(data.view(), data.targets(), {expected_weights, expected_x}));
      EXPECT_TRUE(same_bits(weights, expected_weights));
      EXPECT_TRUE(same_bits(x, expected_x));
      for (float& w : weights) w = 0.1F * w;
      model.set_weights(weights);
      session.run(data.view(), y);
      cpu.run(data.view(), expected_y);
      EXPECT_TRUE(same_bits(y, expected_y));
    }
  }
}

TEST_P(OnDevice, TrainingGoesOnFromItsState) {
  const ModelConfig config = cases::networks_of_many_parts().front();
  const Trained before(config, 3), expected(config, 6);
  Model model(config);
  model.set_weights(before.model.weights());
  Trainer trainer(model, options());
  trainer.set_state(before.state);
  EXPECT_EQ(trainer.steps(), 3);
  expect_same_state(trainer.state(), before.state);
  for (unsigned step = 3; step < 6; ++step) {
    const Data data = batch_of(config, step);
    expect_same_step(trainer.step(data.view(), data.targets()), expected.results[step]);
  }
  EXPECT_TRUE(same_bits(model.weights(), expected.model.weights()));
}

Data bad_batch(const ModelConfig& config) {
  Data data = make_data(config, 5, 9, 7);
  data.lengths.assign(9, 5);
  data.x[1] = std::numeric_limits<float>::quiet_NaN();
  return data;
}

TEST_P(OnDevice, WhatCameAfterADivergenceIsCollectedWithIt) {
  for (const ModelConfig& config : all_uneven()) {
    SCOPED_TRACE(cases::name(config));
    const Trained one(config, 1), expected(config, 5);
    const Data bad = bad_batch(config), first = batch_of(config, 0), second = batch_of(config, 1);
    Model model(config);
    Trainer trainer(model, options());
    trainer.submit(first.view(), first.targets());
    trainer.submit(bad.view(), bad.targets());
    expect_same_step(trainer.collect(), expected.results[0]);
    trainer.submit(second.view(), second.targets());
    expect_error<DivergenceError>([&] { trainer.collect(); }, {"step 2", "layers.0.weight_x"});
    expect_error<InputError>([&] { trainer.collect(); }, {"no step"});
    EXPECT_EQ(trainer.steps(), 1);
    EXPECT_TRUE(same_bits(model.weights(), one.model.weights()));
    expect_same_state(trainer.state(), one.state);
    for (unsigned step = 1; step < 5; ++step) {
      const Data data = batch_of(config, step);
      expect_same_step(trainer.step(data.view(), data.targets()), expected.results[step]);
    }
    EXPECT_TRUE(same_bits(model.weights(), expected.model.weights()));
  }
}

TEST_P(OnDevice, WeightsSetBetweenStepsAreTakenOver) {
  const ModelConfig config = all_uneven().front();
  const Trained expected(config, 2);
  Model model(config);
  const std::vector<float> initial = copy(model.weights());
  Trainer trainer(model, options());
  const TrainerState fresh = trainer.state();
  const Data data = batch_of(config, 0);
  for (int round = 0; round < 4; ++round) {
    expect_same_step(trainer.step(data.view(), data.targets()), expected.results[0]);
    trainer.submit(data.view(), data.targets());
    trainer.collect();
    model.set_weights(initial);
    trainer.set_state(fresh);
  }
  // Setting one parameter keeps the others as the last step left them.
  trainer.step(data.view(), data.targets());
  const Data next = batch_of(config, 1);
  model.set_parameter("output.bias", std::vector<float>(5, 100.0F));
  const double loss = Session(model).loss(next.view(), next.targets());
  EXPECT_EQ(trainer.step(next.view(), next.targets()).loss, loss);
}

TEST_P(OnDevice, TheModelIsReadWhileItsTrainerLives) {
  const ModelConfig config = all_uneven()[1];
  Model model(config);
  Trainer trainer(model, options());
  Session session(model);
  Stream stream(model);
  const auto file = std::filesystem::temp_directory_path() /
                    (std::string("rwa-devices-test-") + GetParam() + ".safetensors");
  for (unsigned step = 0; step < 5; ++step) {
    const Trained expected(config, step + 1);
    const Data data = batch_of(config, step);
    trainer.submit(data.view(), data.targets());
    // Readers see a submitted step before it is collected.
    EXPECT_TRUE(same_bits(model.weights(), expected.model.weights()));
    EXPECT_TRUE(same_bits(model.parameters()[0].values, expected.model.parameters()[0].values));
    model.save(file);
    EXPECT_TRUE(same_bits(Model::load(file).weights(), expected.model.weights()));
    trainer.collect();
    EXPECT_EQ(session.loss(data.view(), data.targets()),
              Session(expected.model).loss(data.view(), data.targets()));
    std::vector<float> y(5), expected_y(5);
    stream.reset();
    stream.step(std::span(data.x).first(3), y);
    Stream(expected.model).step(std::span(data.x).first(3), expected_y);
    EXPECT_TRUE(same_bits(y, expected_y));
  }
  std::filesystem::remove(file);
}

// Also for the thread sanitizer: the first reader fetches the weights for all.
TEST_P(OnDevice, ManyReadersAtOnceSeeTheNewestWeights) {
  const ModelConfig config = all_uneven().front();
  const Trained expected(config, 1);
  Model model(config);
  Trainer trainer(model, options());
  const Data data = batch_of(config, 0);
  trainer.step(data.view(), data.targets());
  const double loss = Session(expected.model).loss(data.view(), data.targets());
  const auto read = [&](const std::string& device) {
    EXPECT_EQ(Session(model, {.device = device}).loss(data.view(), data.targets()), loss);
    EXPECT_TRUE(same_bits(model.weights(), expected.model.weights()));
  };
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) readers.emplace_back(read, i % 2 == 0 ? GetParam() : "cpu");
}

TEST_P(OnDevice, ATrainerThatGoesLeavesItsWeights) {
  const ModelConfig config = all_uneven().front();
  const Trained expected(config, 4);
  Model model(config);
  {
    Data data[4];
    Trainer trainer(model, options());
    for (unsigned step = 0; step < 4; ++step) {
      data[step] = batch_of(config, step);
      trainer.submit(data[step].view(), data[step].targets());
      if (step < 2) trainer.collect();
    }
  }
  EXPECT_TRUE(same_bits(model.weights(), expected.model.weights()));
}

// Returning older weights would hide the failure.
TEST(Devices, AModelWhoseDeviceFailsSaysSo) {
  const ModelConfig config = all_uneven().front();
  const Data data = make_data(config, 5, 4, 1);
  Model model(config);
  {
    Trainer trainer(model, {.session = {.device = "cuda"}});
    trainer.step(data.view(), data.targets());
    far::is_broken = true;
  }
  far::is_broken = false;
  expect_error<ResourceError>([&] { (void)model.weights(); }, {"failed"});
  expect_error<ResourceError>([&] { model.save("never.safetensors"); }, {"failed"});
  EXPECT_FALSE(std::filesystem::exists("never.safetensors"));
  model.set_weights(std::vector<float>(model.parameter_count(), 0.5F));
  EXPECT_EQ(model.weights().front(), 0.5F);
}

TEST_P(OnDevice, TrainersInTurn) {
  const ModelConfig config = all_uneven().front();
  const auto train = [&](const std::string& first, const std::string& second) {
    Model model(config);
    auto one = std::make_unique<Trainer>(model, options_for(first));
    Trainer other(model, options_for(second));
    for (unsigned step = 0; step < 6; ++step) {
      const Data data = batch_of(config, step);
      (step % 2 == 0 ? *one : other).step(data.view(), data.targets());
    }
    one.reset();
    return copy(model.weights());
  };
  const auto expected = train("cpu", "cpu");
  EXPECT_TRUE(same_bits(train(GetParam(), GetParam()), expected));
  EXPECT_TRUE(same_bits(train(GetParam(), "cpu"), expected));
  EXPECT_TRUE(same_bits(train("cpu", GetParam()), expected));
}

TEST_P(OnDevice, CallsOutOfTurnAreRefused) {
  const ModelConfig config = all_uneven().front();
  const Trained expected(config, 3);
  Model model(config);
  Trainer trainer(model, options());
  const TrainerState fresh = trainer.state();
  Data data[3];
  for (unsigned step = 0; step < 3; ++step) data[step] = batch_of(config, step);
  expect_error<InputError>([&] { trainer.collect(); }, {"no step"});
  trainer.submit(data[0].view(), data[0].targets());
  trainer.submit(data[1].view(), data[1].targets());
  expect_error<InputError>([&] { trainer.submit(data[2].view(), data[2].targets()); },
                           {"2 steps", "collect()"});
  expect_error<InputError>([&] { trainer.step(data[2].view(), data[2].targets()); }, {"step()"});
  expect_error<InputError>([&] { (void)trainer.state(); }, {"state()"});
  expect_error<InputError>([&] { trainer.set_state(fresh); }, {"set_state()"});
  for (unsigned step = 0; step < 2; ++step) {
    expect_same_step(trainer.collect(), expected.results[step]);
  }
  expect_same_step(trainer.step(data[2].view(), data[2].targets()), expected.results[2]);
}

}  // namespace
}  // namespace rwa
