// tests/c_api/model_test.cc: a model is the same through C and C++, and invalid options are
// rejected with a message.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "c_api/c_api_testing.h"
#include "io/io_testing.h"
#include "rwa/rwa.h"

namespace rwa::c_api {
namespace {

using nlohmann::json;

template <class Function, class... Args>
json described(Function function, Args... args) {
  const char* text = nullptr;
  expect_ok(function(args..., &text));
  return json::parse(text);
}

std::vector<float> weights(const rwa_model* model) {
  const float* values = nullptr;
  std::size_t count = 0;
  expect_ok(rwa_model_weights(model, &values, &count));
  return {values, values + count};
}

void expect_refused(const char* config, const std::vector<std::string>& words) {
  rwa_model* out = nullptr;
  expect_failure(rwa_model_new(config, &out), RWA_CONFIG_ERROR, words);
  EXPECT_EQ(out, nullptr);
}

TEST(CModel, IsThatOfTheLibrary) {
  const ModelConfig config{.input = Input::kSymbols,
                           .inputs = 7,
                           .embedding = 3,
                           .cell = Cell::kGru,
                           .units = 5,
                           .layers = 2,
                           .bidirectional = true,
                           .dropout = 0.25,
                           .readout = Readout::kMean,
                           .outputs = 4,
                           .loss = Loss::kSigmoid,
                           .seed = std::numeric_limits<std::uint64_t>::max()};
  const auto model = new_model(
      R"({"input": "symbols", "inputs": 7, "embedding": 3, "cell": "gru", "units": 5, "layers": 2,
          "bidirectional": true, "dropout": 0.25, "readout": "mean", "outputs": 4,
          "loss": "sigmoid", "seed": 18446744073709551615, "span": null})");
  const Model same(config);
  const auto found = weights(model.get());
  EXPECT_TRUE(std::ranges::equal(found, same.weights()));

  const json parts = described(rwa_model_describe, model.get());
  const auto expected = describe(config);
  ASSERT_EQ(parts.size(), expected.size());
  EXPECT_EQ(parts.at(1).at("name"), expected.at(1).name);
  EXPECT_EQ(parts.at(1).at("what"), expected.at(1).what);
  EXPECT_EQ(parts.back().at("parameters"), expected.back().parameters);
  EXPECT_EQ(
      described(rwa_model_parameters, model.get()).back(),
      (json{{"name", "output.bias"}, {"shape", {4}}, {"offset", found.size() - 4}, {"size", 4}}));
}

TEST(CModel, SaysItsWholeDescription) {
  const auto model = new_model(nullptr);
  const json config = described(rwa_model_config, model.get());
  const ModelConfig defaults;
  EXPECT_EQ(config.at("units"), defaults.units);
  EXPECT_EQ(config.at("cell"), to_string(defaults.cell));
  EXPECT_EQ(config.at("lasting"), defaults.lasting);
  // Its configuration makes the same model again.
  const auto again = new_model(config.dump().c_str());
  EXPECT_EQ(described(rwa_model_config, again.get()), config);
  EXPECT_EQ(weights(again.get()), weights(model.get()));
}

TEST(CModel, RefusesOptionsThatCannotBe) {
  expect_refused(R"({"unit": 3})", {"unknown option 'unit'", "did you mean units?"});
  expect_refused(R"({"colour": 3})", {"unknown option 'colour'", "expected one of: input, inputs"});
  expect_refused(R"({"units": "many"})", {R"(units is "many", expected a whole number)"});
  expect_refused(R"({"units": 2.5})", {"units is 2.5, expected a whole number"});
  expect_refused(R"({"units": 4294967296})", {"units is 4294967296, expected", "2147483647"});
  expect_refused(R"({"units": -3})", {"units is -3, expected 1"});
  expect_refused(R"({"seed": -1})", {"seed is -1, expected a whole number from 0"});
  expect_refused(R"({"bidirectional": 1})", {"bidirectional is 1, expected true or false"});
  expect_refused(R"({"dropout": [0]})", {"dropout is an array, expected a finite number"});
  expect_refused(R"({"cell": 5})", {"cell is 5, expected a string"});
  expect_refused(R"({"cell": "gated"})", {"unknown cell 'gated'", "rwa, rwa-forget"});
  expect_refused(R"({"units": 3, "units": 4})", {R"("units" appears twice)"});
  expect_refused(R"({"units": 3)", {"expected a JSON object"});
  expect_refused("[3]", {"found \"[3]\", expected a JSON object"});
  expect_refused("", {"expected a JSON object"});
}

TEST(CModel, ComesBackFromItsFile) {
  const io::TempFolder folder;
  const std::string file = folder.path() / "model.safetensors";
  const auto model = new_model(R"({"inputs": 2, "units": 3})");
  expect_ok(rwa_model_set_note(model.get(), "who", "me"));
  expect_ok(rwa_model_save(model.get(), file.c_str()));
  const auto loaded = made<ModelHandle>(rwa_model_load, file.c_str());
  EXPECT_EQ(weights(loaded.get()), weights(model.get()));
  EXPECT_EQ(described(rwa_model_notes, loaded.get()), (json{{"who", "me"}}));
  EXPECT_TRUE(std::ranges::equal(Model::load(file).weights(), weights(model.get())));

  rwa_model* out = nullptr;
  std::filesystem::resize_file(file, 20);
  expect_failure(rwa_model_load(file.c_str(), &out), RWA_MODEL_FILE_ERROR, {file});
  expect_failure(rwa_model_load((file + "x").c_str(), &out), RWA_RESOURCE_ERROR, {"cannot open"});
  EXPECT_EQ(out, nullptr);
}

TEST(CModel, TakesWeights) {
  const auto model = new_model(R"({"inputs": 2, "units": 3})");
  auto values = weights(model.get());
  std::ranges::reverse(values);
  expect_ok(rwa_model_set_weights(model.get(), values.data(), values.size()));
  EXPECT_EQ(weights(model.get()), values);
  const float bias = 3;
  expect_ok(rwa_model_set_parameter(model.get(), "output.bias", &bias, 1));
  EXPECT_EQ(weights(model.get()).back(), bias);

  expect_failure(rwa_model_set_weights(model.get(), values.data(), 2), RWA_INPUT_ERROR,
                 {"weights has 2 values"});
  expect_failure(rwa_model_set_parameter(model.get(), "output.bia", &bias, 1), RWA_INPUT_ERROR,
                 {"did you mean output.bias?"});
  expect_failure(rwa_model_set_note(model.get(), "format", "x"), RWA_INPUT_ERROR, {"format"});
}

TEST(CModel, RefusesNull) {
  const auto model = new_model(nullptr);
  const char* text = nullptr;
  rwa_model* out = nullptr;
  expect_failure(rwa_model_new(nullptr, nullptr), RWA_INPUT_ERROR, {"out is null"});
  expect_failure(rwa_model_load(nullptr, &out), RWA_INPUT_ERROR, {"path is null"});
  expect_failure(rwa_model_save(nullptr, "x"), RWA_INPUT_ERROR, {"model is null"});
  expect_failure(rwa_model_config(nullptr, &text), RWA_INPUT_ERROR, {"model is null"});
  expect_failure(rwa_model_config(model.get(), nullptr), RWA_INPUT_ERROR, {"json is null"});
  expect_failure(rwa_model_set_weights(model.get(), nullptr, 5), RWA_INPUT_ERROR,
                 {"values is null"});
  expect_failure(rwa_model_set_parameter(model.get(), nullptr, nullptr, 0), RWA_INPUT_ERROR,
                 {"name is null"});
  expect_failure(rwa_model_set_note(model.get(), "a", nullptr), RWA_INPUT_ERROR, {"text is null"});
  rwa_model_free(nullptr);
}

TEST(CLibrary, SaysWhatItIs) {
  EXPECT_EQ(rwa_c_api_version(), RWA_C_API_VERSION);
  EXPECT_EQ(rwa_version(), version());
  const json all = described(rwa_devices);
  ASSERT_EQ(all.size(), devices().size());
  EXPECT_EQ(all.at(0).at("name"), "cpu");
  EXPECT_EQ(all.at(0).at("description"), devices().at(0).description);
}

}  // namespace
}  // namespace rwa::c_api
