// tests/c_api/layer_test.cc: a recurrent layer gives the same bits through C and C++.
#include <nlohmann/json.hpp>
#include <vector>

#include "backend/device.h"
#include "c_api/c_api_testing.h"
#include "rwa/cells.h"
#include "rwa/rwa.h"
#include "support/layer_runs.h"

namespace rwa::c_api {
namespace {

using LayerHandle = std::unique_ptr<rwa_layer, Free<rwa_layer_free>>;
using TapeHandle = std::unique_ptr<rwa_tape, Free<rwa_tape_free>>;
using cases::LayerMemory;

LayerHandle new_layer(const std::string& config) {
  return made<LayerHandle>(rwa_layer_new, config.c_str());
}

rwa_layer_input input(const LayerInput& in) {
  return {.parameters = in.parameters,
          .x = in.x,
          .lengths = in.lengths.empty() ? nullptr : in.lengths.data(),
          .state = in.state,
          .steps = in.steps,
          .batch = in.batch};
}

TEST(CLayer, HasTheBitsOfCpp) {
  const auto backend = make_cpu_backend(1);
  for (const auto& data : cases::all_runs(2, 9, 12, 5)) {
    LayerMemory expected(*backend, data);
    Layer(cases::config_of(data.spec))
        .forward(expected.in(), expected.out())
        .backward(expected.in(), expected.gradient());

    LayerMemory found(*backend, data);
    const rwa_layer_input in = input(found.in());
    const rwa_layer_output out = {.h = found.out().h, .state = found.out().state};
    const LayerGradient g = found.gradient();
    const rwa_layer_gradient gradient = {
        .h = g.h, .state = g.state, .parameters = g.parameters, .x = g.x, .initial = g.initial};
    LayerHandle layer =
        new_layer(R"({"cell": ")" + std::string(to_string(data.spec.cell)) +
                  R"(", "inputs": 2, "units": 9, "reverse": )" +
                  (data.spec.reverse ? "true" : "false") + R"(, "threads": 2, "device": "cpu"})");
    const TapeHandle tape = made<TapeHandle>(rwa_layer_forward, layer.get(), &in, &out, nullptr);
    layer.reset();
    expect_ok(rwa_layer_backward(tape.get(), &in, &gradient, nullptr));
    EXPECT_TRUE(same_bits(found.read(), expected.read())) << cases::name(data);
    expect_failure(rwa_layer_backward(tape.get(), &in, &gradient, nullptr), RWA_INPUT_ERROR,
                   {"has been used"});
  }
}

TEST(CLayer, RunsWithoutATape) {
  const auto backend = make_cpu_backend(1);
  cases::Draw draw(3);
  const auto data = cases::make_run({.inputs = 2, .units = 9}, 12, 5, true, true, draw);
  LayerMemory expected(*backend, data);
  LayerMemory found(*backend, data);
  Layer(cases::config_of(data.spec)).run(expected.in(), expected.out());
  const rwa_layer_input in = input(found.in());
  const rwa_layer_output out = {.h = found.out().h, .state = found.out().state};
  const LayerHandle layer = new_layer(R"({"inputs": 2, "units": 9})");
  expect_ok(rwa_layer_forward(layer.get(), &in, &out, nullptr, nullptr));
  EXPECT_TRUE(cases::same_bits(found.read().h, expected.read().h));
}

TEST(CLayer, Describes) {
  const char* text = nullptr;
  expect_ok(rwa_layer_describe(new_layer(R"({"inputs": 3, "units": 4})").get(), &text));
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(R"({
      "parameters": 80, "weight_x": [12, 3], "weight_h": [8, 4], "bias": [8], "start": [4],
      "gates_x": ["g", "a", "u"], "gates_h": ["g", "a"], "gates_bias": ["g", "u"],
      "gates_start": ["s"],
      "state": ["h", "r", "r_lo", "L", "L_lo"], "carried": ["h", "r", "L"]})"));
  expect_ok(rwa_layer_describe(new_layer(R"({"cell": "gru", "units": 4})").get(), &text));
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(R"({
      "parameters": 76, "weight_x": [12, 1], "weight_h": [12, 4], "bias": [16], "start": [0],
      "gates_x": ["r", "z", "n"], "gates_h": ["r", "z", "m"], "gates_bias": ["r", "z", "m", "n"],
      "gates_start": [],
      "state": ["h"], "carried": ["h"]})"));
}

TEST(CLayer, CellsAreListed) {
  const char* text = nullptr;
  expect_ok(rwa_cells(&text));
  const auto cells = nlohmann::json::parse(text);
  ASSERT_EQ(cells.size(), all_cells().size());
  EXPECT_EQ(cells[1], nlohmann::json::parse(R"({
      "name": "rwa-forget", "title": "rwa-forget", "description": "RWA with a forget gate",
      "averages": true, "gates": "gafu", "initial_bias": [0, 0, 0, 0], "spread": "f"})"));
  EXPECT_EQ(cells[3]["initial_bias"], nlohmann::json::parse("[0, 1, 0, 0]"));
  EXPECT_EQ(cells[3]["spread"], nullptr);
}

TEST(CLayer, RefusesWhatCannotBe) {
  rwa_layer* layer = nullptr;
  expect_failure(rwa_layer_new(R"({"unit": 3})", &layer), RWA_CONFIG_ERROR, {"unit", "units"});
  expect_failure(rwa_layer_new(R"({"cell": "elman"})", &layer), RWA_CONFIG_ERROR,
                 {"elman", "lstm"});
  expect_failure(rwa_layer_new(R"({"units": "3"})", &layer), RWA_CONFIG_ERROR, {"units is"});
  EXPECT_EQ(layer, nullptr);
  const LayerHandle one = new_layer("{}");
  const rwa_layer_input nothing = {};
  const rwa_layer_output out = {};
  expect_failure(rwa_layer_forward(one.get(), &nothing, &out, nullptr, nullptr), RWA_INPUT_ERROR,
                 {"parameters is null"});
  expect_failure(rwa_layer_forward(one.get(), nullptr, &out, nullptr, nullptr), RWA_INPUT_ERROR,
                 {"in is null"});
  expect_failure(rwa_layer_backward(nullptr, &nothing, nullptr, nullptr), RWA_INPUT_ERROR,
                 {"tape is null"});
  rwa_layer_free(nullptr);
  rwa_tape_free(nullptr);
}

}  // namespace
}  // namespace rwa::c_api
