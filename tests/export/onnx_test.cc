// tests/export/onnx_test.cc: ONNX files pass ONNX's own checker and shape inference, and errors
// leave no file. onnx_runtime_test.py tests what the files compute.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <nlohmann/json.hpp>

#include "datasets/encoding.h"
#include "export/onnx.h"
#include "io/io_testing.h"
#include "model/config_json.h"
#include "model/network_spec.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

using io::expect_error;
using Json = nlohmann::json;
using Texts = std::map<std::string, std::string>;

onnx::ModelProto exported(const Model& model, const OnnxOptions& options = {}) {
  const io::TempFolder folder;
  const auto file = folder.path() / "model.onnx";
  export_onnx(model, file, options);
  EXPECT_EQ(folder.count(), 1U);
  onnx::ModelProto read;
  EXPECT_TRUE(read.ParseFromString(io::get(file)));
  return read;
}

std::string name_of(int type) {
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(type));
}

// "FLOAT [T,B,3]" by name.
template <class Infos>
Texts shapes(const Infos& infos) {
  Texts all;
  for (const onnx::ValueInfoProto& info : infos) {
    const auto& tensor = info.type().tensor_type();
    std::vector<std::string> dims;
    for (const auto& dim : tensor.shape().dim()) {
      dims.push_back(dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param());
    }
    all[info.name()] = fmt::format("{} [{}]", name_of(tensor.elem_type()), fmt::join(dims, ","));
  }
  return all;
}

Texts metadata(const onnx::ModelProto& file) {
  Texts all;
  for (const auto& entry : file.metadata_props()) all[entry.key()] = entry.value();
  return all;
}

// The shapes that inference finds for the outputs, without the declared ones.
Texts inferred(onnx::ModelProto file) {
  for (auto& output : *file.mutable_graph()->mutable_output()) {
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  const onnx::ShapeInferenceOptions strict(true, 1, true);
  onnx::shape_inference::InferShapes(file, onnx::OpSchemaRegistry::Instance(), strict);
  return shapes(file.graph().output());
}

// Inference must find the known last size and the number of dimensions.
void expect_inferred(const onnx::ModelProto& file) {
  Texts declared = shapes(file.graph().output());
  const Texts found = inferred(file);
  for (const auto& [name, shape] : declared) {
    const auto last = shape.substr(shape.rfind(','));
    ASSERT_TRUE(found.contains(name));
    EXPECT_EQ(std::ranges::count(found.at(name), ','), std::ranges::count(shape, ',')) << name;
    EXPECT_TRUE(found.at(name).ends_with(last)) << name << ": " << found.at(name) << ", " << shape;
  }
}

void expect_valid(const Model& model, const OnnxOptions& options) {
  SCOPED_TRACE(format_config(model.config()) + (options.step ? ", a step" : ""));
  const onnx::ModelProto file = exported(model, options);
  ASSERT_NO_THROW(onnx::checker::check_model(file));
  expect_inferred(file);
  EXPECT_EQ(metadata(file).at("network"), format_config(model.config()));
  EXPECT_EQ(metadata(file).contains("initial_state"), options.step);
}

std::vector<ModelConfig> networks() {
  std::vector<ModelConfig> all;
  for (const Cell cell : all_cells()) {
    for (const Readout readout :
         {Readout::kLast, Readout::kEvery, Readout::kMean, Readout::kAttention}) {
      for (const bool both : {false, true}) {
        all.push_back({.inputs = 3,
                       .cell = cell,
                       .units = 4,
                       .layers = 2,
                       .bidirectional = both,
                       .readout = readout,
                       .outputs = 5});
      }
      all.push_back(all.back());
      all.back().input = Input::kSymbols;
      all.back().activation = Activation::kIdentity;
      all.push_back(all.back());
      all.back().embedding = 2;
      all.back().bidirectional = false;
      all.back().loss = Loss::kSigmoid;
      if (readout == Readout::kEvery) continue;
      all.back().loss = Loss::kSoftmax;
      all.back().code = 6;
    }
  }
  all.push_back({.layers = 0, .readout = Readout::kMean, .outputs = 2, .code = 3});
  for (const std::vector<int>& stem : {std::vector{5}, {3, 1, 2}, {1}}) {
    all.push_back({.inputs = 3, .stem = stem, .channels = 4, .readout = Readout::kEvery});
    all.push_back(all.back());
    all.back().input = Input::kSymbols;
    all.back().embedding = 2;
    all.back().cell = Cell::kLstm;
  }
  return all;
}

TEST(Onnx, IsValidForEveryNetwork) {
  int steps = 0;
  for (const ModelConfig& config : networks()) {
    const Model model(config);
    expect_valid(model, {});
    if (!NetworkSpec(config).why_no_stream().empty()) continue;
    expect_valid(model, {.step = true});
    ++steps;
  }
  EXPECT_GE(steps, 10);
}

TEST(Onnx, NamesWhatComesInAndGoesOut) {
  const Model model({.inputs = 3, .units = 4, .layers = 2, .outputs = 5});
  const auto whole = exported(model);
  EXPECT_EQ(shapes(whole.graph().input()),
            (Texts{{"x", "FLOAT [T,B,3]"}, {"lengths", "INT64 [B]"}}));
  EXPECT_EQ(shapes(whole.graph().output()),
            (Texts{{"y", "FLOAT [B,5]"}, {"probabilities", "FLOAT [B,5]"}}));
  const auto step = exported(model, {.step = true});
  EXPECT_EQ(shapes(step.graph().input()), (Texts{{"x", "FLOAT [B,3]"}, {"state", "FLOAT [B,40]"}}));
  EXPECT_EQ(shapes(step.graph().output()), (Texts{{"y", "FLOAT [B,5]"},
                                                  {"probabilities", "FLOAT [B,5]"},
                                                  {"next_state", "FLOAT [B,40]"}}));
  const auto decoder = exported(Model({.input = Input::kSymbols,
                                       .inputs = 7,
                                       .cell = Cell::kLstm,
                                       .units = 4,
                                       .outputs = 5,
                                       .code = 2}));
  EXPECT_EQ(shapes(decoder.graph().input()),
            (Texts{{"symbols", "INT64 [T,B]"}, {"lengths", "INT64 [B]"}, {"steps", "INT64 []"}}));
  EXPECT_EQ(shapes(decoder.graph().output()).at("y"), "FLOAT [steps,B,5]");
}

TEST(Onnx, BeginsAStreamWhereOneBegins) {
  const Model model({.inputs = 2,
                     .stem = {3, 1, 2},
                     .channels = 4,
                     .cell = Cell::kRwaForget,
                     .units = 3,
                     .layers = 2});
  const auto start = Json::parse(metadata(exported(model, {.step = true})).at("initial_state"))
                         .get<std::vector<float>>();
  const Stream stream(model);
  ASSERT_EQ(start.size(), stream.state().size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    const float lowest = std::numeric_limits<float>::lowest();
    EXPECT_FLOAT_EQ(start[i], std::max(stream.state()[i], lowest)) << i;
  }
}

TEST(Onnx, UsesTheOperatorsThatThereAre) {
  const auto count = [](const onnx::ModelProto& file, std::string_view op) {
    return std::ranges::count(file.graph().node(), op, &onnx::NodeProto::op_type);
  };
  const auto lstm = exported(Model({.cell = Cell::kLstm, .bidirectional = true}));
  EXPECT_EQ(count(lstm, "LSTM"), 2);
  EXPECT_EQ(count(lstm, "Scan"), 0);
  const auto gru = exported(Model({.cell = Cell::kGru, .layers = 3}));
  EXPECT_EQ(count(gru, "GRU"), 3);
  EXPECT_EQ(count(exported(Model({.layers = 2})), "Scan"), 2);
  EXPECT_EQ(count(exported(Model({.stem = {5, 3}})), "Conv"), 2);
  for (const auto& opset : lstm.opset_import()) EXPECT_EQ(opset.version(), kOnnxOpset);
}

// A model of three features, trained on a table with labels.
Model trained(datasets::Encoding encoding = {}) {
  encoding.schema.features = {"x", "ä\"", "z"};
  encoding.schema.target = formats::Target::kClass;
  encoding.labels = {"no", "yes"};
  encoding.features = {{1, 2, 3}, {1, 0.5, 2}};
  Model model({.inputs = encoding.shape().inputs, .units = 4, .outputs = 2});
  model.set_note(std::string(datasets::kEncodingNote), datasets::to_json(encoding));
  return model;
}

TEST(Onnx, KnowsItsData) {
  const auto file = exported(trained());
  ASSERT_NO_THROW(onnx::checker::check_model(file));
  Texts found = metadata(file);
  EXPECT_EQ(Json::parse(found.at("features")), Json({"x", "ä\"", "z"}));
  EXPECT_EQ(Json::parse(found.at("outputs")), Json({"no", "yes"}));
  EXPECT_EQ(Json::parse(found.at("target")), Json("class"));
  EXPECT_EQ(file.graph().node(0).op_type(), "Sub");
}

TEST(Onnx, SeesStepsWithOthers) {
  const auto file = exported(trained({.widening = {.context = 3, .positions = 2, .span = 9}}));
  ASSERT_NO_THROW(onnx::checker::check_model(file));
  expect_inferred(file);
  EXPECT_EQ(shapes(file.graph().input()).at("x"), "FLOAT [T,B,3]");
}

datasets::Encoding scaled_by_itself() {
  const datasets::Normal normal = {{1, 2, 3}, {1, 0.5, 2}};
  return {.scale = datasets::Scale::kSequence,
          .own = {.least = {1, 2, 3}, .means = normal, .deviations = normal}};
}

TEST(Onnx, ScalesSequencesByThemselves) {
  const auto file = exported(trained(scaled_by_itself()));
  ASSERT_NO_THROW(onnx::checker::check_model(file));
  expect_inferred(file);
  EXPECT_EQ(shapes(file.graph().input()).at("x"), "FLOAT [T,B,3]");
  EXPECT_EQ(Json::parse(metadata(file).at("scale")), Json("sequence"));
}

void expect_refused(const Model& model, const OnnxOptions& options, std::string_view why) {
  const io::TempFolder folder;
  expect_error<ConfigError>([&] { export_onnx(model, folder.path() / "x.onnx", options); }, {why});
  EXPECT_EQ(folder.count(), 0U);
}

TEST(Onnx, RefusesWhatItCannotSay) {
  expect_refused(Model({.units = 3, .bidirectional = true}), {.step = true}, "bidirectional");
  expect_refused(Model({.units = 3, .readout = Readout::kMean}), {.step = true}, "averages");
  expect_refused(Model({.units = 3, .code = 2}), {.step = true}, "decodes");
  expect_refused(trained({.widening = {.context = 3}}), {.step = true}, "context 3");
  expect_refused(trained(scaled_by_itself()), {.step = true}, "--scale data");
  const io::TempFolder folder;
  const auto file = folder.path() / "x.onnx";
  Model other({.inputs = 3, .units = 3, .outputs = 3});
  other.set_note("data", trained().notes().at("data"));
  expect_error<ModelFileError>([&] { export_onnx(other, file); }, {"outputs 3, expected 2"});
  Model every({.inputs = 3, .units = 3, .readout = Readout::kEvery, .outputs = 2});
  every.set_note("data", trained().notes().at("data"));
  expect_error<ModelFileError>([&] { export_onnx(every, file); }, {"the model", "readout every"});
  expect_error<ResourceError>([&] { export_onnx(trained(), folder.path() / "no" / "x.onnx"); },
                              {"no"});
  EXPECT_EQ(folder.count(), 0U);
}

}  // namespace
}  // namespace rwa::exports
