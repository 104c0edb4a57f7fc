// tests/c_api/session_test.cc: sessions, streams and trainers give the same bits through C and C++.
#include <algorithm>
#include <span>
#include <vector>

#include "c_api/c_api_testing.h"
#include "rwa/rwa.h"
#include "support/batches.h"

namespace rwa::c_api {
namespace {

using cases::Data;

constexpr const char* kNumbers = R"({"inputs": 3, "units": 6, "readout": "every", "outputs": 4})";
constexpr const char* kSymbols = R"({"input": "symbols", "inputs": 5, "units": 6, "outputs": 3,
                                     "loss": "squared-error"})";
constexpr const char* kDecoder = R"({"inputs": 3, "units": 6, "outputs": 4, "code": 5})";

// The same model and data for both interfaces.
struct Both {
  explicit Both(const char* json, const ModelConfig& config)
      : c(new_model(json)), model(config), data(cases::make_data(config, 5, 3, 11)) {
    data.lengths = {5, 2, 4};
    batch = {.x = data.x.empty() ? nullptr : data.x.data(),
             .symbols = data.symbols.empty() ? nullptr : data.symbols.data(),
             .lengths = data.lengths.data(),
             .steps = data.steps,
             .batch = data.batch};
    const bool classes = config.loss == Loss::kSoftmax;
    targets = {.classes = classes ? data.classes.data() : nullptr,
               .values = classes ? nullptr : data.values.data(),
               .lengths = config.code > 0 ? data.target_lengths.data() : nullptr,
               .steps = data.target_steps};
    const int rows = config.readout == Readout::kEvery || config.code > 0 ? data.steps : 1;
    y.resize(cases::product(rows, data.batch, config.outputs));
  }

  ModelHandle c;
  Model model;
  Data data;
  rwa_batch batch{};
  rwa_targets targets{};
  std::vector<float> y;
};

std::vector<Both> all() {
  std::vector<Both> both;
  both.emplace_back(kNumbers,
                    ModelConfig{.inputs = 3, .units = 6, .readout = Readout::kEvery, .outputs = 4});
  both.emplace_back(kSymbols, ModelConfig{.input = Input::kSymbols,
                                          .inputs = 5,
                                          .units = 6,
                                          .outputs = 3,
                                          .loss = Loss::kSquaredError});
  both.emplace_back(kDecoder, ModelConfig{.inputs = 3, .units = 6, .outputs = 4, .code = 5});
  return both;
}

TEST(CSession, RunsAsThatOfTheLibrary) {
  for (Both& b : all()) {
    const auto session = made<SessionHandle>(rwa_session_new, b.c.get(), R"({"threads": 2})");
    std::vector<float> expected(b.y.size());
    Session(b.model).run(b.data.view(), expected);
    expect_ok(rwa_session_run(session.get(), &b.batch, b.y.data(), b.y.size()));
    EXPECT_EQ(b.y, expected);
  }
}

TEST(CSession, HasTheLibrarysLossAndGradient) {
  for (Both& b : all()) {
    const auto session = made<SessionHandle>(rwa_session_new, b.c.get(), nullptr);
    const std::size_t parameters = b.model.parameter_count();
    std::vector<float> weights(parameters), expected(parameters);
    std::vector<float> x(b.data.x.size()), expected_x(b.data.x.size());
    Session same(b.model);
    const double loss =
        same.gradient(b.data.view(), b.data.targets(), {.weights = expected, .x = expected_x});

    double found = 0;
    expect_ok(rwa_session_gradient(session.get(), &b.batch, &b.targets, weights.data(),
                                   x.empty() ? nullptr : x.data(), &found));
    EXPECT_EQ(found, loss);
    EXPECT_EQ(weights, expected);
    EXPECT_EQ(x, expected_x);
    expect_ok(rwa_session_loss(session.get(), &b.batch, &b.targets, nullptr, 0, &found));
    EXPECT_EQ(found, loss);
    std::vector<float> outputs(b.y.size());
    same.loss(b.data.view(), b.data.targets(), outputs);
    expect_ok(
        rwa_session_loss(session.get(), &b.batch, &b.targets, b.y.data(), b.y.size(), &found));
    EXPECT_EQ(b.y, outputs);
  }
}

TEST(CSession, HasTheLibrarysShares) {
  Both b = std::move(all().front());
  const auto session = made<SessionHandle>(rwa_session_new, b.c.get(), nullptr);
  std::vector<float> found(cases::product(5, 3, 6)), expected(found.size());
  Session(b.model).shares(b.data.view(), expected);
  expect_ok(rwa_session_shares(session.get(), &b.batch, found.data(), found.size()));
  EXPECT_EQ(found, expected);
}

TEST(CSession, KeepsItsModel) {
  Both b = std::move(all().front());
  const auto session = made<SessionHandle>(rwa_session_new, b.c.get(), nullptr);
  b.c.reset();
  expect_ok(rwa_session_run(session.get(), &b.batch, b.y.data(), b.y.size()));
}

TEST(CSession, RefusesWhatCannotBe) {
  Both b = std::move(all().front());
  rwa_session* out = nullptr;
  expect_failure(rwa_session_new(b.c.get(), R"({"thread": 2})", &out), RWA_CONFIG_ERROR,
                 {"session options", "did you mean threads?"});
  expect_failure(rwa_session_new(b.c.get(), R"({"threads": 0})", &out), RWA_CONFIG_ERROR,
                 {"threads is 0"});
  expect_failure(rwa_session_new(b.c.get(), R"({"device": "abacus"})", &out), RWA_CONFIG_ERROR,
                 {"abacus"});
  expect_failure(rwa_session_new(nullptr, nullptr, &out), RWA_INPUT_ERROR, {"model is null"});
  EXPECT_EQ(out, nullptr);

  const auto session = made<SessionHandle>(rwa_session_new, b.c.get(), nullptr);
  const auto run = [&](const rwa_batch* batch, float* y, std::size_t count) {
    return rwa_session_run(session.get(), batch, y, count);
  };
  const auto refused = [&](auto change, const std::vector<std::string>& words) {
    rwa_batch batch = b.batch;
    change(batch);
    expect_failure(run(&batch, b.y.data(), b.y.size()), RWA_INPUT_ERROR, words);
  };
  refused([](rwa_batch& r) { r.x = nullptr; }, {"x has 0 values, expected 45"});
  refused([&](rwa_batch& r) { r.symbols = b.data.classes.data(); }, {"symbols has 15", "numbers"});
  refused([](rwa_batch& r) { r.steps = -1; }, {"steps is -1"});
  refused([](rwa_batch& r) { r.batch = 0; }, {"batch is 0"});
  refused([](rwa_batch& r) { r.steps = r.batch = 1 << 30; }, {"too many"});
  expect_failure(run(&b.batch, b.y.data(), 7), RWA_INPUT_ERROR, {"y has 7 values"});
  expect_failure(run(&b.batch, nullptr, b.y.size()), RWA_INPUT_ERROR, {"y is null"});
  expect_failure(run(nullptr, b.y.data(), b.y.size()), RWA_INPUT_ERROR, {"batch is null"});
  double loss = -1;
  const rwa_targets none{};
  expect_failure(rwa_session_loss(session.get(), &b.batch, &none, nullptr, 0, &loss),
                 RWA_INPUT_ERROR, {"targets: classes has 0 values, expected 15"});
  expect_failure(rwa_session_loss(session.get(), &b.batch, nullptr, nullptr, 0, &loss),
                 RWA_INPUT_ERROR, {"targets is null"});
  EXPECT_EQ(loss, -1);
  rwa_session_free(nullptr);
}

TEST(CStream, StepsAsThatOfTheLibrary) {
  Both b = std::move(all().front());
  const auto stream = made<StreamHandle>(rwa_stream_new, b.c.get());
  Stream same(b.model);
  std::vector<float> y(4), expected(4);
  const auto step = [&](std::size_t t) {
    const std::span x(b.data.x.data() + 3 * t, 3);
    same.step(x, expected);
    expect_ok(rwa_stream_step(stream.get(), x.data(), x.size(), y.data(), y.size()));
    EXPECT_EQ(y, expected);
  };
  for (std::size_t t = 0; t < 3; ++t) step(t);

  const float* values = nullptr;
  std::size_t count = 0;
  expect_ok(rwa_stream_state(stream.get(), &values, &count));
  EXPECT_TRUE(std::ranges::equal(std::span(values, count), same.state()));
  const std::vector<float> state(values, values + count);
  expect_ok(rwa_stream_reset(stream.get()));
  expect_ok(rwa_stream_set_state(stream.get(), state.data(), state.size()));
  step(3);

  expect_failure(rwa_stream_step(stream.get(), state.data(), 2, y.data(), y.size()),
                 RWA_INPUT_ERROR, {"x has 2 values, expected 3"});
  expect_failure(rwa_stream_step_symbol(stream.get(), 1, y.data(), y.size()), RWA_INPUT_ERROR,
                 {"the symbol 1"});
  expect_failure(rwa_stream_set_state(stream.get(), state.data(), 1), RWA_INPUT_ERROR, {"state"});
  rwa_stream* out = nullptr;
  const auto both_ways = new_model(R"({"bidirectional": true})");
  expect_failure(rwa_stream_new(both_ways.get(), &out), RWA_CONFIG_ERROR, {"cannot be streamed"});
}

TEST(CStream, TakesSymbols) {
  Both b = std::move(all().at(1));
  const auto stream = made<StreamHandle>(rwa_stream_new, b.c.get());
  Stream same(b.model);
  std::vector<float> y(3), expected(3);
  same.step(4, expected);
  expect_ok(rwa_stream_step_symbol(stream.get(), 4, y.data(), y.size()));
  EXPECT_EQ(y, expected);
}

TEST(CTrainer, TrainsAsThatOfTheLibrary) {
  for (Both& b : all()) {
    const auto trainer =
        made<TrainerHandle>(rwa_trainer_new, b.c.get(), R"({"learning_rate": 0.01, "threads": 2})");
    Trainer same(b.model, {.learning_rate = 0.01});
    double loss = 0, norm = 0;
    const auto step = [&] {
      const StepResult expected = same.step(b.data.view(), b.data.targets());
      expect_ok(rwa_trainer_step(trainer.get(), &b.batch, &b.targets, &loss, &norm));
      EXPECT_EQ(loss, expected.loss);
      EXPECT_EQ(norm, expected.gradient_norm);
    };
    for (int i = 0; i < 3; ++i) step();
    expect_ok(rwa_trainer_set_learning_rate(trainer.get(), 0.1));
    same.set_learning_rate(0.1);
    step();

    const float *weights = nullptr, *mean = nullptr, *variance = nullptr;
    std::size_t count = 0;
    std::int64_t steps = 0;
    expect_ok(rwa_model_weights(b.c.get(), &weights, &count));
    EXPECT_TRUE(std::ranges::equal(std::span(weights, count), b.model.weights()));
    expect_ok(rwa_trainer_state(trainer.get(), &steps, &mean, &variance, &count));
    EXPECT_EQ(steps, 4);
    EXPECT_TRUE(std::ranges::equal(std::span(mean, count), same.state().mean));
    EXPECT_TRUE(std::ranges::equal(std::span(variance, count), same.state().variance));
    expect_ok(rwa_trainer_set_state(trainer.get(), steps, mean, variance, count));
    step();
  }
}

TEST(CTrainer, RefusesWhatCannotBe) {
  Both b = std::move(all().front());
  rwa_trainer* out = nullptr;
  expect_failure(rwa_trainer_new(b.c.get(), R"({"learning_rat": 1})", &out), RWA_CONFIG_ERROR,
                 {"did you mean learning_rate?"});
  expect_failure(rwa_trainer_new(b.c.get(), R"({"beta1": 1})", &out), RWA_CONFIG_ERROR, {"beta1"});
  expect_failure(rwa_trainer_new(b.c.get(), R"({"memory": "none"})", &out), RWA_CONFIG_ERROR,
                 {"'none'", "chunked"});
  EXPECT_EQ(out, nullptr);
  const auto trainer = made<TrainerHandle>(rwa_trainer_new, b.c.get(), nullptr);
  expect_failure(rwa_trainer_set_learning_rate(trainer.get(), -1), RWA_CONFIG_ERROR,
                 {"learning_rate is -1"});
  expect_failure(rwa_trainer_step(trainer.get(), &b.batch, nullptr, nullptr, nullptr),
                 RWA_INPUT_ERROR, {"targets is null"});
  expect_failure(rwa_trainer_set_state(trainer.get(), 1, nullptr, nullptr, 3), RWA_INPUT_ERROR,
                 {"mean is null"});
  rwa_trainer_free(nullptr);
}

}  // namespace
}  // namespace rwa::c_api
