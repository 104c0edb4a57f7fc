// tests/api/layer_test.cc: a layer in the caller's memory agrees with the double-precision
// reference and with a network of one layer; a sequence may be processed in parts; tapes and
// threads do not interfere.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "io/io_testing.h"
#include "rwa/rwa.h"
#include "support/layer_runs.h"

namespace rwa {
namespace {

using cases::LayerMemory;
using cases::LayerResult;
using cases::run_on_cpu;
using io::expect_error;

constexpr double kOutputBound = 5e-6;  // as in tests/backend/parity_test.cc
constexpr double kGradientBound = 3.3e-5;

// L of a sequence without steps is -infinity in both.
template <class A, class B>
double error_of_finite(std::vector<A> found, std::vector<B> exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::isinf(exact[i]) && std::isinf(found[i])) found[i] = static_cast<A>(exact[i] = 0);
  }
  return cases::relative_error(found, exact);
}

void expect_close(const LayerResult<float>& found, const LayerResult<double>& exact,
                  const std::string& what) {
  EXPECT_LE(cases::relative_error(found.h, exact.h), kOutputBound) << what << ", h";
  EXPECT_LE(error_of_finite(found.state, exact.state), kOutputBound) << what << ", state";
  EXPECT_LE(cases::relative_error(found.parameters, exact.parameters), kGradientBound)
      << what << ", parameters";
  EXPECT_LE(cases::relative_error(found.x, exact.x), kGradientBound) << what << ", x";
  EXPECT_LE(cases::relative_error(found.initial, exact.initial), kGradientBound)
      << what << ", initial";
}

// Outputs are NaN before, so that the zeros past the end are compared too.
TEST(Layer, AgreesWithTheReference) {
  for (const auto& data : cases::all_runs(3, 19, 37, 11)) {
    const auto exact = cases::reference_result(data);
    LayerConfig config = cases::config_of(data.spec);
    const auto found = run_on_cpu(data, config);
    expect_close(found, exact, cases::name(data));
    config.threads = 3;
    EXPECT_TRUE(same_bits(run_on_cpu(data, config), found)) << cases::name(data) << ", threads";
    config.memory = Memory::kChunked;
    EXPECT_TRUE(same_bits(run_on_cpu(data, config), found))
        << cases::name(data) << ", little memory";
  }
}

TEST(Layer, AgreesWithTheReferenceWithoutAFunctionOfTheState) {
  for (auto data : cases::all_runs(1, 5, 9, 3)) {
    data.spec.activation = Activation::kIdentity;
    expect_close(run_on_cpu(data, cases::config_of(data.spec)), cases::reference_result(data),
                 cases::name(data));
  }
}

TEST(Layer, WithoutATapeGivesTheSame) {
  const auto backend = make_cpu_backend(1);
  for (const auto& data : cases::all_runs(2, 7, 12, 5)) {
    LayerMemory memory(*backend, data);
    rwa::Layer(cases::config_of(data.spec)).run(memory.in(), memory.out());
    const auto found = memory.read();
    const auto expected = run_on_cpu(data, cases::config_of(data.spec));
    EXPECT_TRUE(cases::same_bits(found.h, expected.h)) << cases::name(data);
    EXPECT_TRUE(cases::same_bits(found.state, expected.state)) << cases::name(data);
  }
}

// Outputs that are not requested are not needed for the others.
TEST(Layer, GivesOnlyWhatIsWanted) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(2);
  for (const Cell cell : all_cells()) {
    const auto data = cases::make_run({.cell = cell, .units = 6}, 9, 4, true, true, draw);
    LayerMemory memory(*backend, data);
    Tape tape = rwa::Layer(cases::config_of(data.spec)).forward(memory.in(), {});
    LayerGradient gradient = memory.gradient();
    gradient.x = nullptr;
    gradient.initial = nullptr;
    tape.backward(memory.in(), gradient);
    EXPECT_TRUE(cases::same_bits(memory.read().parameters,
                                 run_on_cpu(data, cases::config_of(data.spec)).parameters));
  }
}

TEST(Layer, WithoutAGradientThereIsNone) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(2);
  const auto data = cases::make_run({.units = 6}, 9, 4, true, true, draw);
  LayerMemory memory(*backend, data);
  LayerGradient none = memory.gradient();
  none.h = none.state = nullptr;
  rwa::Layer(cases::config_of(data.spec))
      .forward(memory.in(), memory.out())
      .backward(memory.in(), none);
  const auto found = memory.read();
  for (const auto* numbers : {&found.parameters, &found.x, &found.initial}) {
    EXPECT_TRUE(std::ranges::all_of(*numbers, [](float v) { return v == 0; }));
  }
}

// -- Comparison with a network -------------------------------------------------------------------

// The output layer is the identity: outputs are h, and their gradients are those of h.
Model one_layer(const cases::Layer& data) {
  Model model({.inputs = data.spec.inputs,
               .cell = data.spec.cell,
               .units = data.spec.units,
               .readout = Readout::kEvery,
               .outputs = data.spec.units,
               .loss = Loss::kSquaredError});
  std::vector<float> weights(model.parameter_count(), 0.0F);
  std::ranges::copy(data.parameters, weights.begin());
  const auto H = static_cast<std::size_t>(data.spec.units);
  for (std::size_t j = 0; j < H; ++j) weights[data.parameters.size() + j * (H + 1)] = 1;
  model.set_weights(weights);
  return model;
}

TEST(Layer, AgreesWithASession) {
  const auto backend = make_cpu_backend(1);
  for (auto data : cases::all_runs(3, 19, 37, 11)) {
    if (data.spec.reverse || !data.initial_state.empty()) continue;
    data.dfinal_state.clear();
    const Model model = one_layer(data);
    Session session(model);
    std::vector<float> y(data.dh_every.size(), 0.0F);
    std::vector<float> targets = cases::Draw(8).numbers(y.size(), 1);
    std::vector<float> weights(model.parameter_count()), x(data.x.size());
    const BatchView batch{data.x, data.steps, data.batch, data.lengths};
    session.run(batch, y);
    (void)session.gradient(batch, {.values = targets}, {.weights = weights, .x = x});

    const double rows = data.lengths.empty()
                            ? data.steps * data.batch
                            : std::accumulate(data.lengths.begin(), data.lengths.end(), 0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      data.dh_every[i] = static_cast<float>(2 * (y[i] - targets[i]) / (rows * data.spec.units));
    }
    LayerMemory memory(*backend, data);
    rwa::Layer(cases::config_of(data.spec))
        .forward(memory.in(), memory.out())
        .backward(memory.in(), memory.gradient());
    const auto found = memory.read();
    EXPECT_TRUE(cases::same_bits(found.h, y)) << cases::name(data);
    weights.resize(data.parameters.size());
    EXPECT_LE(cases::relative_error(found.parameters, weights), 1e-6) << cases::name(data);
    EXPECT_LE(cases::relative_error(found.x, x), 1e-6) << cases::name(data);
  }
}

// -- Parts of a sequence -------------------------------------------------------------------------

// The steps [begin, end) as a separate batch.
cases::Layer part(const cases::Layer& whole, int begin, int end) {
  cases::Layer cut = whole;
  cut.steps = end - begin;
  const auto rows = [&](const std::vector<float>& all, int width) {
    const auto row = cases::product(whole.batch, width);
    return std::vector<float>(all.begin() + begin * static_cast<std::ptrdiff_t>(row),
                              all.begin() + end * static_cast<std::ptrdiff_t>(row));
  };
  cut.x = rows(whole.x, whole.spec.inputs);
  cut.dh_every = rows(whole.dh_every, whole.spec.units);
  for (auto& length : cut.lengths) length = std::clamp(length - begin, 0, cut.steps);
  return cut;
}

std::vector<float> joined(std::vector<float> first, const std::vector<float>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The state is passed forward between the parts, its gradient backward.
TEST(Layer, TwoPartsMakeTheWhole) {
  const auto backend = make_cpu_backend(1);
  for (const auto& whole : cases::all_runs(2, 9, 23, 6)) {
    if (whole.spec.reverse) continue;
    const auto expected = run_on_cpu(whole, cases::config_of(whole.spec));
    LayerMemory first(*backend, part(whole, 0, 10));
    LayerMemory second(*backend, part(whole, 10, 23));
    rwa::Layer layer(cases::config_of(whole.spec));
    Tape first_tape = layer.forward(first.in(), first.out());
    LayerInput rest = second.in();
    rest.state = first.out().state;
    Tape second_tape = layer.forward(rest, second.out());
    second_tape.backward(rest, second.gradient());
    LayerGradient back = first.gradient();
    back.state = second.gradient().initial;
    first_tape.backward(first.in(), back);

    const auto a = first.read();
    const auto b = second.read();
    EXPECT_TRUE(cases::same_bits(joined(a.h, b.h), expected.h)) << cases::name(whole);
    EXPECT_TRUE(cases::same_bits(b.state, expected.state)) << cases::name(whole);
    EXPECT_LE(cases::relative_error(joined(a.x, b.x), expected.x), 1e-6) << cases::name(whole);
    EXPECT_LE(cases::relative_error(a.initial, expected.initial), 1e-6) << cases::name(whole);
    std::vector<float> sum = a.parameters;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b.parameters[i];
    EXPECT_LE(cases::relative_error(sum, expected.parameters), 1e-6) << cases::name(whole);
  }
}

TEST(Layer, OfNoStepsHandsTheStateOn) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(3);
  for (const Cell cell : all_cells()) {
    const auto data = cases::make_run({.cell = cell, .units = 5}, 0, 3, false, true, draw);
    LayerMemory memory(*backend, data);
    rwa::Layer(cases::config_of(data.spec))
        .forward(memory.in(), memory.out())
        .backward(memory.in(), memory.gradient());
    EXPECT_EQ(memory.read().state, cases::outside(data.spec, data.initial_state));
    EXPECT_EQ(memory.read().initial, cases::outside(data.spec, data.dfinal_state));
  }
}

// -- Tapes and threads ---------------------------------------------------------------------------

TEST(Layer, ManyTapesMayBeAlive) {
  const auto backend = make_cpu_backend(1);
  for (const int threads : {1, 2}) {
    std::vector<LayerResult<float>> expected;
    std::vector<std::unique_ptr<LayerMemory>> memories;
    std::vector<Tape> tapes;
    cases::Draw draw(4);
    {
      LayerConfig config{.inputs = 2, .units = 12, .threads = threads};
      rwa::Layer layer(config);
      for (const int steps : {5, 17, 2, 17}) {  // equal and different shapes
        const auto data = cases::make_run({.inputs = 2, .units = 12}, steps, 7, true, false, draw);
        expected.push_back(run_on_cpu(data, config));
        memories.push_back(std::make_unique<LayerMemory>(*backend, data));
        tapes.push_back(layer.forward(memories.back()->in(), memories.back()->out()));
      }
    }  // the tapes outlive the layer
    for (const std::size_t i : {2U, 0U, 3U, 1U}) {
      tapes[i].backward(memories[i]->in(), memories[i]->gradient());
      EXPECT_TRUE(same_bits(memories[i]->read(), expected[i])) << i;
    }
  }
}

// Forward on one thread, backward on another, many concurrently.
TEST(Layer, ThreadsMayShareLayersAndDevices) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(5);
  const auto data = cases::make_run({.inputs = 2, .units = 20}, 30, 16, true, true, draw);
  const LayerConfig config{.inputs = 2, .units = 20, .threads = 2};
  const auto expected = run_on_cpu(data, config);
  rwa::Layer shared(config);
  std::vector<LayerResult<float>> found(6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      std::optional<rwa::Layer> own;
      if (i % 2 == 0) own.emplace(config);
      rwa::Layer& layer = own ? *own : shared;
      for (int round = 0; round < 20; ++round) {
        LayerMemory memory(*backend, data);
        Tape tape = layer.forward(memory.in(), memory.out());
        std::thread([&] { tape.backward(memory.in(), memory.gradient()); }).join();
        found[i] = memory.read();
        if (!same_bits(found[i], expected)) return;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : found) EXPECT_TRUE(same_bits(result, expected));
}

// A forked child has the parent's layers and tapes, but none of its threads.
TEST(Layer, AChildOfTheProcessGoesOn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer does not support forking with threads";
#endif
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(6);
  const auto data = cases::make_run({.units = 20}, 9, 16, true, true, draw);
  LayerConfig config = cases::config_of(data.spec);
  config.threads = 2;
  const auto expected = run_on_cpu(data, config);
  LayerMemory memory(*backend, data);
  std::optional<rwa::Layer> parents(config);
  std::optional<Tape> tape(parents->forward(memory.in(), memory.out()));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // in case it waits for the missing threads
    tape->backward(memory.in(), memory.gradient());
    const bool goes_back = same_bits(memory.read(), expected);
    const bool begins_anew = same_bits(run_on_cpu(data, config), expected);
    tape.reset();
    parents.reset();
    _exit(goes_back && begins_anew ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// -- Layout and errors ---------------------------------------------------------------------------

using Letters = std::vector<std::string_view>;

TEST(Layer, NamesItsNumbers) {
  const auto layout = [](Cell cell) {
    return rwa::Layer({.cell = cell, .inputs = 3, .units = 4}).layout();
  };
  EXPECT_EQ(layout(Cell::kRwa).gates_x, (Letters{"g", "a", "u"}));
  EXPECT_EQ(layout(Cell::kRwa).gates_h, (Letters{"g", "a"}));
  EXPECT_EQ(layout(Cell::kRwa).gates_bias, (Letters{"g", "u"}));
  EXPECT_EQ(layout(Cell::kRwaDecay).gates_h, (Letters{"g", "a"}));
  EXPECT_EQ(layout(Cell::kRwaDecay).gates_bias, (Letters{"g", "f", "u"}));
  EXPECT_EQ(layout(Cell::kLstm).gates_bias, (Letters{"i", "f", "g", "o"}));
  EXPECT_EQ(layout(Cell::kGru).gates_h, (Letters{"r", "z", "m"}));
  for (const Cell cell : all_cells()) {
    const LayerLayout found = layout(cell);
    const RecurrentSpec spec{.cell = cell, .inputs = 3, .units = 4};
    EXPECT_EQ(found.parameters, 4 * (3 * found.gates_x.size() + 4 * found.gates_h.size() +
                                     found.gates_bias.size() + found.gates_start.size()));
    EXPECT_EQ(found.state.size() * 4 * cases::halves(spec), spec.state_size());
    EXPECT_EQ(found.carried.size() * 4 * cases::halves(spec), spec.carried_size());
  }
}

TEST(Layer, RefusesWhatCannotBe) {
  const auto make = [](const LayerConfig& config) { return [=] { (void)rwa::Layer(config); }; };
  expect_error<ConfigError>(make({.inputs = 0}), {"inputs is 0"});
  expect_error<ConfigError>(make({.units = -1}), {"units is -1"});
  expect_error<ConfigError>(make({.threads = 0}), {"threads is 0"});
  expect_error<ConfigError>(make({.device = "tpu"}), {"device is 'tpu'"});

  const auto backend = make_cpu_backend(1);
  cases::Draw draw(7);
  const auto data = cases::make_run({.units = 3}, 4, 2, true, false, draw);
  LayerMemory memory(*backend, data);
  rwa::Layer layer(cases::config_of(data.spec));
  const auto refused = [&](auto&& change, std::initializer_list<std::string_view> words) {
    LayerInput in = memory.in();
    change(in);
    expect_error<InputError>([&] { layer.run(in, memory.out()); }, words);
  };
  const std::vector<std::int32_t> too_long = {4, 5}, too_many = {1, 2, 3};
  refused([](LayerInput& in) { in.x = nullptr; }, {"x is null"});
  refused([](LayerInput& in) { in.parameters = nullptr; }, {"parameters is null"});
  refused([](LayerInput& in) { in.steps = -1; }, {"steps is -1"});
  refused([](LayerInput& in) { in.batch = 0; }, {"batch is 0"});
  refused([&](LayerInput& in) { in.lengths = too_long; }, {"sequence 1 is 5", "0 to 4"});
  refused([&](LayerInput& in) { in.lengths = too_many; }, {"lengths has 3"});
}

TEST(Layer, ATapeIsUsedOnceAndForItsForward) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(7);
  const auto data = cases::make_run({.units = 3}, 4, 2, true, true, draw);
  LayerMemory memory(*backend, data);
  Tape tape = rwa::Layer(cases::config_of(data.spec)).forward(memory.in(), memory.out());
  LayerInput other = memory.in();
  other.steps = 3;
  const auto backward = [&](const LayerInput& in, const LayerGradient& gradient) {
    return [&] { tape.backward(in, gradient); };
  };
  expect_error<InputError>(backward(other, memory.gradient()), {"is 3 x 2", "expected 4 x 2"});
  other = memory.in();
  other.state = nullptr;
  expect_error<InputError>(backward(other, memory.gradient()), {"state is null"});
  expect_error<InputError>(backward(memory.in(), {}), {"gradient of the parameters is null"});
  tape.backward(memory.in(), memory.gradient());
  expect_error<InputError>(backward(memory.in(), memory.gradient()), {"has been used"});
}

}  // namespace
}  // namespace rwa
