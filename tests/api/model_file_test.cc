// tests/api/model_file_test.cc: a saved model is loaded bit for bit. Any other file is rejected
// with the right error, and without allocating more memory than the file's size.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/safetensors.h"
#include "rwa/rwa.h"
#include "support/cases.h"

namespace {
constexpr std::size_t kMemory = std::size_t{1} << 30;
std::atomic<std::size_t> largest_request = 0;  // in bytes
}  // namespace

// Simulates a machine with little memory: all allocations of standard containers pass here. Not
// inlined: GCC 12 would warn of mismatched new and delete.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  largest_request = std::max(largest_request.load(), bytes);
  return bytes > kMemory ? nullptr : std::malloc(std::max<std::size_t>(bytes, 1));
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace rwa {
namespace {

namespace fs = std::filesystem;
using io::expect_error;
using io::TempFolder;

constexpr ModelConfig kSmall{.inputs = 1, .units = 2, .span = 100, .lasting = 0.25, .outputs = 1};

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

// Every kind of network, and a non-default value for every field.
std::vector<ModelConfig> various() {
  return {
      kSmall,
      {.inputs = 3, .cell = Cell::kLstm, .units = 5, .outputs = 2, .seed = 0},
      {.activation = Activation::kIdentity, .readout = Readout::kEvery, .loss = Loss::kSigmoid},
      {.inputs = 2,
       .cell = Cell::kLstm,
       .activation = Activation::kIdentity,
       .units = 17,
       .readout = Readout::kEvery,
       .outputs = 4,
       .loss = Loss::kSquaredError,
       .seed = std::numeric_limits<std::uint64_t>::max()},
      {.cell = Cell::kRwaDecay,
       .units = 4,
       .span = 7,
       .lasting = 0.1,
       .learned_decay = false,
       .readout = Readout::kMean},
      {.inputs = 2, .units = 4, .layers = 3, .bidirectional = true, .dropout = 0.3},
      {.inputs = 2, .stem = {3, 1}, .channels = 5, .units = 4},
      {.input = Input::kSymbols, .inputs = 7, .units = 4, .readout = Readout::kAttention},
      {.input = Input::kSymbols, .inputs = 7, .embedding = 3, .cell = Cell::kGru, .units = 4},
      {.input = Input::kSymbols,
       .inputs = 7,
       .embedding = 3,
       .units = 4,
       .layers = 2,
       .bidirectional = true,
       .readout = Readout::kAttention,
       .outputs = 5,
       .code = 6},
      {.inputs = 4, .units = 3, .layers = 0, .readout = Readout::kMean, .outputs = 5, .code = 2}};
}

// The outputs for some batch; a decoder runs freely.
std::vector<float> outputs_of(const Model& model) {
  const ModelConfig& c = model.config();
  constexpr int kBatch = 3;
  const int steps = c.layers == 0 ? 1 : 4;
  cases::Draw draw(1);
  std::vector<float> x;
  std::vector<std::int32_t> symbols;
  if (c.input == Input::kSymbols) {
    symbols = draw.integers(cases::product(steps, kBatch), 0, c.inputs - 1);
  } else {
    x = draw.numbers(cases::product(steps, kBatch, c.inputs), 1.0F);
  }
  const int rows = c.code > 0 || c.readout == Readout::kEvery ? 4 * kBatch : kBatch;
  std::vector<float> y(cases::product(rows, c.outputs));
  Session(model).run({.x = x, .steps = steps, .batch = kBatch, .symbols = symbols}, y);
  return y;
}

TEST(ModelFile, ComesBackBitForBit) {
  const TempFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  for (const ModelConfig& config : various()) {
    Model model(config);
    auto weights = copy(model.weights());
    // Values that text might not preserve: the smallest, the largest, and -0.
    weights[0] = std::numeric_limits<float>::denorm_min();
    weights[1] = -std::numeric_limits<float>::max();
    weights[2] = -0.0F;
    model.set_weights(weights);
    model.save(file);
    const Model loaded = Model::load(file);
    EXPECT_EQ(loaded.config(), config);
    EXPECT_TRUE(cases::same_bits(loaded.weights(), model.weights()));
    EXPECT_EQ(folder.count(), 1U);
  }
}

TEST(ModelFile, ALoadedModelComputesTheSameBits) {
  const TempFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  for (const ModelConfig& config : various()) {
    const Model model(config);
    model.save(file);
    EXPECT_TRUE(cases::same_bits(outputs_of(Model::load(file)), outputs_of(model)));
  }
}

TEST(ModelFile, EqualModelsGiveEqualFiles) {
  const TempFolder folder;
  Model(kSmall).save(folder.path() / "a");
  Model(kSmall).save(folder.path() / "b");
  EXPECT_EQ(io::get(folder.path() / "a"), io::get(folder.path() / "b"));
}

void expect_parameters(
    const ModelConfig& config,
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& expected) {
  const Model model(config);
  const auto found = model.parameters();
  ASSERT_EQ(found.size(), expected.size());
  const float* next = model.weights().data();
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].first);
    EXPECT_EQ(found[i].shape, expected[i].second) << found[i].name;
    EXPECT_EQ(found[i].values.data(), next) << found[i].name;
    next += found[i].values.size();
  }
  EXPECT_EQ(next, model.weights().data() + model.parameter_count());
}

TEST(Parameters, NamesAndShapes) {
  expect_parameters({.inputs = 3, .units = 5, .outputs = 2}, {{"layers.0.weight_x", {15, 3}},
                                                              {"layers.0.weight_h", {10, 5}},
                                                              {"layers.0.bias", {10}},
                                                              {"layers.0.start", {5}},
                                                              {"output.weight", {2, 5}},
                                                              {"output.bias", {2}}});
  expect_parameters({.inputs = 3, .cell = Cell::kLstm, .units = 5, .outputs = 2},
                    {{"layers.0.weight_x", {20, 3}},
                     {"layers.0.weight_h", {20, 5}},
                     {"layers.0.bias", {20}},
                     {"output.weight", {2, 5}},
                     {"output.bias", {2}}});
}

TEST(Parameters, NamesAndShapesOfAllParts) {
  expect_parameters({.input = Input::kSymbols,
                     .inputs = 6,
                     .embedding = 4,
                     .cell = Cell::kLstm,
                     .units = 3,
                     .layers = 2,
                     .bidirectional = true,
                     .readout = Readout::kAttention,
                     .outputs = 2,
                     .code = 5},
                    {{"embedding.weight", {6, 4}},
                     {"layers.0.weight_x", {12, 4}},
                     {"layers.0.weight_h", {12, 3}},
                     {"layers.0.bias", {12}},
                     {"layers.0.reverse.weight_x", {12, 4}},
                     {"layers.0.reverse.weight_h", {12, 3}},
                     {"layers.0.reverse.bias", {12}},
                     {"layers.1.weight_x", {12, 6}},
                     {"layers.1.weight_h", {12, 3}},
                     {"layers.1.bias", {12}},
                     {"layers.1.reverse.weight_x", {12, 6}},
                     {"layers.1.reverse.weight_h", {12, 3}},
                     {"layers.1.reverse.bias", {12}},
                     {"attention.weight", {6}},
                     {"code.weight", {5, 6}},
                     {"code.bias", {5}},
                     {"decoder.embedding.weight", {3, 5}},
                     {"decoder.layers.0.weight_x", {12, 5}},
                     {"decoder.layers.0.weight_h", {12, 3}},
                     {"decoder.layers.0.bias", {12}},
                     {"decoder.layers.1.weight_x", {12, 3}},
                     {"decoder.layers.1.weight_h", {12, 3}},
                     {"decoder.layers.1.bias", {12}},
                     {"output.weight", {2, 3}},
                     {"output.bias", {2}}});
}

TEST(Parameters, PartsHaveThemAll) {
  for (const ModelConfig& config : various()) {
    std::size_t sum = 0;
    for (const NetworkPart& part : describe(config)) sum += part.parameters;
    EXPECT_EQ(sum, Model(config).parameter_count());
  }
}

TEST(Parameters, AsManyAsInThePaper) {
  const ModelConfig mnist{.inputs = 1, .units = 250, .outputs = 10};
  EXPECT_EQ(Model(mnist).parameter_count(), 129'010U);
  ModelConfig lstm = mnist;
  lstm.cell = Cell::kLstm;
  EXPECT_EQ(Model(lstm).parameter_count(), 254'510U);
}

TEST(Parameters, OneIsSetByName) {
  Model model(kSmall);
  const std::vector<float> start = {0.25F, -4.0F};
  const auto before = copy(model.weights());
  model.set_parameter("layers.0.start", start);
  for (const Parameter& parameter : model.parameters()) {
    const auto at = static_cast<std::size_t>(parameter.values.data() - model.weights().data());
    const auto expected = parameter.name == "layers.0.start"
                              ? std::span<const float>(start)
                              : std::span<const float>(before).subspan(at, parameter.values.size());
    EXPECT_TRUE(cases::same_bits(parameter.values, expected)) << parameter.name;
  }
}

// The contents of a model file, to be modified and written again.
class OtherFile : public ::testing::Test {
 protected:
  OtherFile() {
    Model(kSmall).save(file_);
    content_ = io::read_safetensors(file_);
    content_.metadata.erase(io::kChecksumKey);  // as in files of earlier builds
  }

  // Writes the current content and expects an error.
  void refuse(std::initializer_list<std::string_view> parts) {
    io::write_safetensors(file_, content_);
    refuse_file(parts);
  }
  void refuse_file(std::initializer_list<std::string_view> parts) {
    expect_error<ModelFileError>([&] { Model::load(file_); }, {file_.string()});
    expect_error<ModelFileError>([&] { Model::load(file_); }, parts);
  }
  void refuse_network(const std::string& json, std::initializer_list<std::string_view> parts) {
    content_.metadata["network"] = json;
    refuse(parts);
  }
  // Returns the network description with one part replaced.
  static std::string network(std::string_view part, std::string_view other) {
    return replaced(kNetwork, part, other);
  }
  static std::string replaced(std::string text, std::string_view part, std::string_view other) {
    const auto at = text.find(part);
    if (at == std::string::npos) throw std::logic_error("no such part");
    return text.replace(at, part.size(), other);
  }

  // Written by hand, not by the library.
  static constexpr const char* kNetwork =
      R"({"input":"numbers","inputs":1,"embedding":0,"cell":"rwa","activation":"tanh","units":2,)"
      R"("layers":1,"bidirectional":false,"dropout":0.0,"span":100,"lasting":0.25,)"
      R"("learned_decay":true,"readout":"last","outputs":1,"loss":"softmax","code":0,"seed":1})";

  TempFolder folder_;
  fs::path file_ = folder_.path() / "model.safetensors";
  io::TensorFile content_;
};

TEST_F(OtherFile, IsReadAsDescribedByHand) {
  EXPECT_EQ(content_.metadata["format"], "rwa-model");
  EXPECT_EQ(content_.metadata["format_version"], "2");
  EXPECT_EQ(content_.metadata["network"], kNetwork);
  content_.metadata["network"] = kNetwork;
  io::write_safetensors(file_, content_);
  EXPECT_EQ(Model::load(file_).config(), kSmall);
}

// A network without a stem needs neither field, one with a stem both.
TEST_F(OtherFile, MayHaveAStem) {
  const auto with = [](const char* stem) {
    return network(R"("cell")", std::string(stem) + R"(,"cell")");
  };
  content_.metadata["network"] = with(R"("stem":[],"channels":64)");
  io::write_safetensors(file_, content_);
  EXPECT_EQ(Model::load(file_).config(), kSmall);
  refuse_network(with(R"("stem":[])"), {"channels", "missing"});
  refuse_network(with(R"("channels":64)"), {"stem", "missing"});
  refuse_network(with(R"("stem":[3],"channels":64)"), {"lacks", "stem.0.weight"});
  for (const char* value : {"3", "null", "[1.5]", "[\"3\"]", "[3000000000]"}) {
    refuse_network(with(fmt::format(R"("stem":{},"channels":64)", value).c_str()),
                   {"stem is", "array of whole numbers"});
  }
}

TEST_F(OtherFile, WithoutOrWithOtherMetadata) {
  auto& metadata = content_.metadata;
  const auto all = metadata;
  metadata.clear();
  refuse({"not an rwa model"});
  for (const std::string key : {"format", "format_version", "network"}) {
    metadata = all;
    metadata.erase(key);
    refuse({'"' + key + '"'});
  }
  metadata = all;
  metadata["format"] = "pt";
  refuse({R"(format "pt")", R"("rwa-model")"});
  metadata = all;
  for (const std::string version : {"", "0", "3", "2.0"}) {
    metadata["format_version"] = version;
    refuse({"version \"" + version + '"', "reads versions 1 and 2"});
  }
}

TEST_F(OtherFile, NetworkThatIsNoObject) {
  for (const char* text : {"", "null", "[]", "1", "{", "{} {}", "{\"cell\"}", "rwa"}) {
    refuse_network(text, {"network"});
  }
}

// Returns the fields of a flat JSON object verbatim.
std::vector<std::string> fields_of(std::string_view json) {
  std::vector<std::string> fields;
  for (std::size_t begin = 1; begin < json.size();) {
    const std::size_t end = std::min(json.find(',', begin), json.size() - 1);
    fields.emplace_back(json.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

TEST_F(OtherFile, NetworkWithAFieldMissingTwiceOrUnknown) {
  refuse_network("{}", {"input", "missing"});
  const auto fields = fields_of(kNetwork);
  EXPECT_EQ(fields.size(), 17U);
  for (const std::string& field : fields) {
    const auto name = field.substr(1, field.find(':') - 2);
    const bool first = &field == &fields.front();
    refuse_network(network(first ? field + ',' : ',' + field, ""), {name, "missing"});
    refuse_network(network(field, field + ',' + field), {name, "twice"});
  }
  refuse_network(network(R"("seed":1)", R"("seed":1,"width":2)"), {"width", "unknown"});
}

TEST_F(OtherFile, NetworkWithAWrongValue) {
  refuse_network(network(R"("rwa")", R"("gated")"), {"cell 'gated'", "rwa", "lstm"});
  refuse_network(network(R"("rwa")", "1"), {"cell", "string"});
  refuse_network(network(R"("numbers")", R"("words")"), {"'words'", "numbers", "symbols"});
  refuse_network(network(R"("tanh")", R"("relu")"), {"'relu'", "tanh"});
  refuse_network(network(R"("last")", "null"), {"readout", "string"});
  refuse_network(network(R"("softmax")", R"("hinge")"), {"'hinge'", "softmax"});
  for (const std::string field : {R"("inputs":1)", R"("embedding":0)", R"("units":2)",
                                  R"("layers":1)", R"("span":100)", R"("code":0)", R"("seed":1)"}) {
    const auto name = field.substr(1, field.find(':') - 2);
    for (const char* value : {"-1", "1.5", "1e3", "\"2\"", "null", "[2]", "true"}) {
      const char* why = value == std::string("-1") ? "expected" : "whole number";
      refuse_network(network(field, fmt::format(R"("{}":{})", name, value)), {name, why});
    }
  }
  for (const char* value : {"0", "1", "\"true\"", "null", "[]"}) {
    refuse_network(network("false", value), {"bidirectional", "true or false"});
    refuse_network(network("true", value), {"learned_decay", "true or false"});
  }
  for (const char* value : {"\"0.5\"", "null", "true", "[0.5]"}) {
    refuse_network(network("0.0", value), {"dropout", "finite number"});
    refuse_network(network("0.25", value), {"lasting", "finite number"});
  }
}

TEST_F(OtherFile, NetworkThatCannotBe) {
  refuse_network(network(R"("units":2)", R"("units":0)"), {"units is 0"});
  refuse_network(network(R"("layers":1)", R"("layers":0)"), {"layers is 0", "decoder"});
  refuse_network(network(R"("embedding":0)", R"("embedding":3)"), {"embedding is 3", "numbers"});
  refuse_network(network("0.0", "1.0"), {"dropout is 1"});
  refuse_network(network("0.25", "-0.25"), {"lasting is -0.25"});
}

// A file of format version 1, written by hand.
class FirstVersion : public OtherFile {
 protected:
  static constexpr const char* kLayer = R"({"cell":"rwa","activation":"tanh","units":2})";
  static constexpr const char* kFirst =
      R"({"inputs":1,"layers":[{"cell":"rwa","activation":"tanh","units":2}],"outputs":1,)"
      R"("readout":"last","loss":"softmax","seed":1})";

  FirstVersion() { content_.metadata["format_version"] = "1"; }
  void refuse_first(std::string_view part, std::string_view other,
                    std::initializer_list<std::string_view> parts) {
    refuse_network(replaced(kFirst, part, other), parts);
  }
};

TEST_F(FirstVersion, IsStillRead) {
  content_.metadata["network"] = kFirst;
  io::write_safetensors(file_, content_);
  const Model model = Model::load(file_);
  EXPECT_EQ(model.config(), (ModelConfig{.inputs = 1, .units = 2, .outputs = 1}));
  EXPECT_TRUE(cases::same_bits(model.weights(), Model(kSmall).weights()));
}

TEST_F(FirstVersion, HasTheFieldsItHad) {
  refuse_network(kNetwork, {"layers", "list of tables"});
  for (const std::string field :
       {R"("cell":"rwa",)", R"("activation":"tanh",)", R"("inputs":1,)", R"("outputs":1,)",
        R"("readout":"last",)", R"("loss":"softmax",)"}) {
    const auto name = field.substr(1, field.find(':') - 2);
    refuse_first(field, "", {name, "missing"});
    refuse_first(field, field + field, {name, "twice"});
  }
  refuse_first(R"(,"seed":1)", "", {"seed", "missing"});
  refuse_first(R"(,"units":2)", "", {"layers 1", "units", "missing"});
  refuse_first(R"("seed":1)", R"("seed":1,"code":0)", {"code", "unknown"});
  refuse_first(R"("units":2)", R"("units":2,"seed":1)", {"layers 1", "seed", "unknown"});
}

TEST_F(FirstVersion, HasOneLayer) {
  const std::string layer = kLayer;
  refuse_first(R"("layers":[)" + layer + "],", "", {"layers", "missing"});
  for (const std::string& other : {layer, std::string("1"), std::string("null")}) {
    refuse_first('[' + layer + ']', other, {"layers", "list of tables"});
  }
  for (const std::string& other : {std::string(), layer + ',' + layer, std::string("1"),
                                   std::string("[]"), std::string("null")}) {
    refuse_first('[' + layer + ']', '[' + other + ']', {"layers", "expected"});
  }
}

// Even if the message quotes text from the file.
TEST_F(OtherFile, AMessageStaysShortAndPrintable) {
  const std::string text = "\x1b[2J\xc2\x9b" + std::string(100'000, 'n');
  const std::string json = "\"\\u001b[2J\xc2\x9b" + std::string(100'000, 'n') + '"';
  const auto refused = [&] {
    io::write_safetensors(file_, content_);
    try {
      Model::load(file_);
      FAIL() << "no error";
    } catch (const ModelFileError& error) {
      const std::string_view message = error.what();
      EXPECT_LT(message.size(), 400U + file_.string().size()) << message;
      EXPECT_EQ(message.find('\x1b'), std::string_view::npos) << message;
      EXPECT_EQ(message.find('\x9b'), std::string_view::npos) << message;
    }
  };
  for (const char* part : {R"("rwa")", R"("tanh")", R"("last")", R"("softmax")", R"("seed")",
                           R"("units")", R"("layers")", "1"}) {
    content_.metadata["network"] = network(part, json);
    refused();
  }
  content_.metadata["network"] = network("{", "{" + json + ":1," + json + ":1,");
  refused();
  content_.metadata["network"] = network("{", "{" + json + ":1,");
  refused();
  content_.metadata["network"] = kNetwork;
  content_.tensors.push_back({text, {1}, {0.0F}});
  refused();
  content_.metadata["format_version"] = text;
  refused();
  content_.metadata["format"] = text;
  refused();
}

// Rejected before memory of that size is allocated.
TEST_F(OtherFile, NetworkOfHugeSizes) {
  largest_request = 0;
  for (const char* value :
       {"1048576", "1048577", "2147483647", "2147483648", "4294967296", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "1e30"}) {
    for (const std::string field : {R"("inputs":1)", R"("embedding":0)", R"("units":2)",
                                    R"("layers":1)", R"("outputs":1)", R"("code":0)"}) {
      const auto name = field.substr(0, field.find(':'));
      refuse_network(network(field, fmt::format("{}:{}", name, value)), {});
    }
  }
  EXPECT_LT(largest_request, std::size_t{1} << 20);
}

TEST_F(OtherFile, DeeplyNestedJson) {
  constexpr std::size_t kDepth = 100'000;
  const std::string open(kDepth, '[');
  refuse_network(open, {"network"});
  refuse_network(open + std::string(kDepth, ']'), {"network"});
  refuse_network(network("1", open + std::string(kDepth, ']')), {"network"});
  const std::string header = R"({"__metadata__":)" + open + std::string(kDepth, ']') + "}";
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  io::put(file_, bytes + header);
  refuse_file({"JSON"});
}

TEST_F(OtherFile, OtherTensors) {
  const auto tensors = content_.tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    content_.tensors = tensors;
    content_.tensors.erase(content_.tensors.begin() + static_cast<std::ptrdiff_t>(i));
    refuse({"lacks", '"' + tensors[i].name + '"'});
  }
  content_.tensors = tensors;
  content_.tensors.push_back({"layers.1.bias", {1}, {0.0F}});
  refuse({R"("layers.1.bias")"});
  content_.tensors = tensors;
  content_.tensors[0].shape = {2, 3};  // the same size in another shape
  refuse({R"("layers.0.weight_x")", "[2, 3]", "expected [6, 1]"});
  content_.tensors[0].shape = {6};
  refuse({R"("layers.0.weight_x")", "[6]", "expected [6, 1]"});
  content_.tensors.clear();
  refuse({"lacks"});
}

TEST_F(OtherFile, NetworkThatDisagreesWithTheTensors) {
  refuse_network(network(R"("units":2)", R"("units":3)"), {"shape", "expected"});
  refuse_network(network(R"("inputs":1)", R"("inputs":2)"), {R"("layers.0.weight_x")", "[6, 2]"});
  refuse_network(network(R"("outputs":1)", R"("outputs":3)"), {R"("output.weight")", "[3, 2]"});
  refuse_network(network(R"("rwa")", R"("lstm")"), {R"("layers.0.start")"});
}

TEST_F(OtherFile, TensorsInAnyOrder) {
  std::reverse(content_.tensors.begin(), content_.tensors.end());
  io::write_safetensors(file_, content_);
  EXPECT_TRUE(cases::same_bits(Model::load(file_).weights(), Model(kSmall).weights()));
}

TEST_F(OtherFile, SavedAgainByAnotherProgram) {
  io::seal(content_);
  std::reverse(content_.tensors.begin(), content_.tensors.end());
  io::write_safetensors(file_, content_);
  EXPECT_TRUE(cases::same_bits(Model::load(file_).weights(), Model(kSmall).weights()));
  content_.tensors[0].values[0] += 1;
  refuse({"is damaged", "if it was edited on purpose, remove \"sha256\" from its metadata"});
}

// In the name of the checksum it makes a note of it, of a model that is intact.
TEST_F(OtherFile, AFlippedBitInAnyByte) {
  Model(kSmall).save(file_);
  const std::string whole = io::get(file_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    io::put(file_, damaged);
    try {
      const Model model = Model::load(file_);
      EXPECT_FALSE(model.notes().empty()) << "byte " << at;
      EXPECT_TRUE(cases::same_bits(model.weights(), Model(kSmall).weights())) << "byte " << at;
    } catch (const ModelFileError&) {
    }
  }
}

TEST_F(OtherFile, CutShortAnywhere) {
  const std::string whole = io::get(file_);
  for (std::size_t size = whole.size(); size-- > 0;) {
    fs::resize_file(file_, size);
    refuse_file({});
  }
  io::put(file_, whole + '\0');
  refuse_file({"trailing"});
}

// Returns whether the file is a valid model. Any error other than ModelFileError propagates.
bool is_model(const fs::path& file) {
  try {
    const Model model = Model::load(file);
    EXPECT_TRUE(cases::all_finite(copy(model.weights())));
    return true;
  } catch (const ModelFileError&) {
    return false;
  }
}

TEST_F(OtherFile, EveryBitOfItsHeaderAltered) {
  const std::string bytes = io::get(file_);
  const std::size_t header = bytes.size() - Model(kSmall).parameter_count() * sizeof(float);
  // Modifies the file in place: thousands of new files would be slow.
  std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, int byte) {
    stream.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte)).flush();
  };
  std::size_t models = 0;
  for (std::size_t at = 0; at < header; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      put(at, bytes[at] ^ 1 << bit);
      EXPECT_NO_THROW(models += is_model(file_) ? 1 : 0) << "byte " << at << " bit " << bit;
    }
    put(at, bytes[at]);
  }
  ASSERT_TRUE(stream.good());
  EXPECT_TRUE(is_model(file_));
  // Only a few bits may change undetected: those of the seed, of the initial forget gates, and of
  // the padding of the header.
  EXPECT_LT(models, 100U);
}

TEST_F(OtherFile, WeightsThatAreNotFinite) {
  std::string bytes = io::get(file_);
  const std::string nan("\x00\x00\xC0\x7F", 4);
  bytes.replace(bytes.size() - 4, 4, nan);
  io::put(file_, bytes);
  refuse_file({"output.bias", "nan", "finite"});
}

TEST(Memory, TooLittleForAModel) {
  expect_error<ResourceError>([] { Model({.units = 1 << 20}); }, {"memory"});
}

TEST(ModelFile, CannotBeRead) {
  const TempFolder folder;
  const auto refuse = [&](const fs::path& file) {
    expect_error<ResourceError>([&] { Model::load(file); }, {file.string()});
  };
  refuse(folder.path() / "missing");
  refuse(folder.path());
  refuse(folder.path() / "missing" / "model");
  refuse("");
}

TEST(ModelFile, CannotBeWritten) {
  const TempFolder folder;
  const Model model(kSmall);
  const auto refuse = [&](const fs::path& file) {
    expect_error<ResourceError>([&] { model.save(file); }, {file.string()});
  };
  refuse(folder.path() / "missing" / "model");
  refuse(folder.path());
  refuse("");
  EXPECT_EQ(folder.count(), 0U);
}

}  // namespace
}  // namespace rwa
