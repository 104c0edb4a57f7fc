// tests/datasets/encoding_json_test.cc: the encoding in a model file: reads what was written,
// rejects anything else, and checks that it fits the network.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "datasets/encoding.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
using Json = nlohmann::ordered_json;
using formats::Target;
using io::expect_error;

// Texts of characters that JSON must escape, and of others.
rc::Gen<std::string> texts() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "a", "Z", "0", " ", "\"", "\\", "\n", std::string(1, '\0'), "é", "漢", "\x7f", "🧬")),
      [](const std::vector<std::string>& letters) {
        std::string text;
        for (const std::string& letter : letters) text += letter;
        return text;
      });
}
rc::Gen<std::vector<std::string>> words() {
  return rc::gen::nonEmpty(rc::gen::unique<std::vector<std::string>>(texts()));
}

Normal any_normal(std::size_t size) {
  Normal normal;
  normal.mean = *rc::gen::container<std::vector<double>>(size, rc::gen::arbitrary<double>());
  normal.scale = *rc::gen::container<std::vector<double>>(
      size, rc::gen::suchThat<double>([](double scale) { return scale > 0; }));
  return normal;
}

Encoding any_encoding() {
  using rc::gen::element;
  using rc::gen::inRange;
  Encoding encoding;
  formats::Schema& schema = encoding.schema;
  schema.format = *element(formats::Format::kTable, formats::Format::kFasta, formats::Format::kNpz);
  if (*rc::gen::arbitrary<bool>())
    schema.layout = *element(formats::Layout::kLong, formats::Layout::kNct);
  schema.symbols = *rc::gen::arbitrary<bool>();
  schema.features = *words();
  schema.target = *element(Target::kNone, Target::kClass, Target::kLabels, Target::kNumbers,
                           Target::kClassPerStep, Target::kNumbersPerStep);
  schema.targets = *words();
  schema.id = *texts();
  schema.time = *texts();
  schema.label_from = *texts();
  encoding.missing = *element(Missing::kRefuse, Missing::kPrevious, Missing::kMean);
  encoding.window = *inRange(0, 1000);
  if (encoding.window > 0) encoding.stride = *inRange(1, encoding.window + 1);
  if (schema.symbols) {
    encoding.tokens = *element(formats::Tokens::kCharacters, formats::Tokens::kWords);
    if (encoding.tokens == formats::Tokens::kCharacters) encoding.kmer = *inRange(1, 101);
    encoding.lower = *rc::gen::arbitrary<bool>();
    encoding.alphabet = *words();
    encoding.unknown = *rc::gen::arbitrary<bool>();
    if (encoding.unknown) encoding.alphabet.emplace_back(kUnknown);
  } else {
    encoding.features = any_normal(schema.features.size());
    encoding.scale = *element(Scale::kData, Scale::kNone);
    if (schema.target != Target::kNone && *rc::gen::arbitrary<bool>()) {
      encoding.scale = Scale::kSequence;
      encoding.own = {.least = any_normal(schema.features.size()).scale,
                      .means = any_normal(schema.features.size()),
                      .deviations = any_normal(schema.features.size())};
    }
  }
  if (schema.target == Target::kNumbers || schema.target == Target::kNumbersPerStep) {
    encoding.targets = any_normal(schema.targets.size());
  } else if (schema.target != Target::kNone) {
    encoding.labels = *words();
  }
  return encoding;
}

RC_GTEST_PROP(EncodingJson, IsReadAsItWasWritten, ()) {
  const Encoding encoding = any_encoding();
  RC_ASSERT(parse_encoding(to_json(encoding), "m") == encoding);
}

// An encoding of numbers with all of its fields.
Encoding example() {
  return {.schema = {.layout = formats::Layout::kLong,
                     .features = {"a", "b"},
                     .target = Target::kNumbers,
                     .targets = {"y"},
                     .id = "id",
                     .time = "t"},
          .missing = Missing::kMean,
          .window = 10,
          .stride = 5,
          .features = {.mean = {0.1, -3e-7}, .scale = {1, 1e30}},
          .targets = {.mean = {2}, .scale = {0.5}}};
}

Encoding example_of_symbols() {
  return {.schema = {.format = formats::Format::kText, .symbols = true, .target = Target::kClass},
          .alphabet = {"a", "b"},
          .labels = {"x", "y"}};
}

// Returns the JSON of an encoding with the value at a JSON pointer replaced.
template <class Value>
std::string changed(const Encoding& encoding, const std::string& pointer, Value value) {
  Json json = Json::parse(to_json(encoding));
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}

void refuse(const std::string& text, std::initializer_list<std::string_view> parts) {
  SCOPED_TRACE(text);
  expect_error<ModelFileError>([&] { parse_encoding(text, "m.safetensors"); }, parts);
}

TEST(EncodingJson, LooksLikeThis) {
  EXPECT_EQ(to_json(example()),
            R"({"schema":{"format":"table","layout":"long","symbols":false,"features":["a","b"],)"
            R"("target":"numbers","targets":["y"],"id":"id","time":"t","label_from":""},)"
            R"("kmer":1,"missing":"mean","window":10,"stride":5,)"
            R"("widening":{"context":1,"positions":0,"span":0},)"
            R"("features":{"mean":[0.1,-3e-07],"scale":[1.0,1e+30]},"alphabet":[],"labels":[],)"
            R"("targets":{"mean":[2.0],"scale":[0.5]}})");
}

TEST(EncodingJson, FieldsOfLaterVersionsAreOptional) {
  Encoding encoding = example_of_symbols();
  EXPECT_EQ(to_json(encoding).find("unknown"), std::string::npos);
  encoding.tokens = formats::Tokens::kWords;
  encoding.lower = encoding.unknown = true;
  encoding.alphabet.emplace_back(kUnknown);
  EXPECT_TRUE(to_json(encoding).ends_with(R"("tokens":"words","lower":true,"unknown":true})"));
  EXPECT_EQ(parse_encoding(to_json(encoding), "m"), encoding);
  refuse(changed(encoding, "/kmer", 2), {"\"kmer\" is 2, expected 1 for words"});
  refuse(changed(encoding, "/tokens", "syllables"), {"tokens", "characters, words"});
  refuse(changed(encoding, "/alphabet", Json{"a", "b"}),
         {"\"alphabet\" does not end with \"<unknown>\""});
}

TEST(EncodingJson, HasTheScaleOfSequences) {
  Encoding encoding = example();
  EXPECT_EQ(to_json(encoding).find("scale\":\""), std::string::npos);  // as in earlier versions
  encoding.scale = Scale::kSequence;
  encoding.own = {.least = {0.5, 2},
                  .means = {.mean = {1, 2}, .scale = {3, 4}},
                  .deviations = {.mean = {5, 6}, .scale = {7, 8}}};
  EXPECT_TRUE(to_json(encoding).ends_with(
      R"("scale":"sequence","own":{"least":[0.5,2.0],"means":{"mean":[1.0,2.0],"scale":[3.0,4.0]},)"
      R"("deviations":{"mean":[5.0,6.0],"scale":[7.0,8.0]}}})"));
  EXPECT_EQ(parse_encoding(to_json(encoding), "m"), encoding);
  EXPECT_EQ(encoding.shape().inputs, 6);
  refuse(changed(encoding, "/own/least/1", 0), {"\"least\" contains 0", "above 0"});
  refuse(changed(encoding, "/own/least/2", 1), {"the size of \"least\" is 3, expected 2"});
  refuse(changed(encoding, "/own/means/mean", Json::array()), {"the size of \"mean\" is 0"});
  refuse(changed(encoding, "/own/more", 1), {"unknown field 'more'"});
  refuse(changed(encoding, "/scale", "data"), {"unknown field 'own'"});
  refuse(changed(encoding, "/scale", "log"), {"log", "data, sequence, none"});
  refuse(changed(example(), "/scale", "sequence"), {"'own' is missing"});
  Encoding letters = example_of_symbols();
  letters.scale = Scale::kSequence;
  refuse(to_json(letters), {"\"scale\" is sequence, expected data or none", "symbols"});
}

TEST(EncodingJson, IsAnObject) {
  for (const std::string text : {"", "[]", "null", "{", "{} {}", "\xff", "{\"a\":1e999}"}) {
    refuse(text, {"m.safetensors: ", "the data description: found", "expected a JSON object"});
  }
  refuse(std::string(1'000'000, '['), {"expected a JSON object"});
}

TEST(EncodingJson, HasEveryFieldOnce) {
  const Json whole = Json::parse(to_json(example()));
  for (const auto& [name, value] : whole.items()) {
    Json less = whole;
    less.erase(name);
    refuse(less.dump(), {"the field '" + name + "' is missing"});
  }
  for (const auto& [name, value] : whole["schema"].items()) {
    Json less = whole;
    less["schema"].erase(name);
    refuse(less.dump(), {"the field '" + name + "' is missing in [schema]"});
  }
  refuse(changed(example(), "/more", 1), {"unknown field 'more'"});
  refuse(changed(example(), "/schema/more", 1), {"unknown field 'more' in [schema]"});
  refuse(changed(example(), "/targets/more", 1), {"unknown field 'more' in [targets]"});
  const std::string text = to_json(example());
  refuse("{\"kmer\":1," + text.substr(1), {"the field \"kmer\" appears twice"});
}

TEST(EncodingJson, HasFieldsOfTheirTypes) {
  refuse(changed(example(), "/kmer", "1"), {"kmer is \"1\", expected a whole number"});
  refuse(changed(example(), "/window", -1), {"window is -1, expected a whole number"});
  refuse(changed(example(), "/window", std::int64_t{1} << 40),
         {"window is 1099511627776, expected a whole number"});
  refuse(changed(example(), "/schema", 3), {"schema is 3, expected a table"});
  refuse(changed(example(), "/schema/symbols", 0), {"symbols is 0, expected true or false"});
  refuse(changed(example(), "/schema/id", 0), {"id is 0, expected a string"});
  refuse(changed(example(), "/schema/features", "a"), {"features is \"a\", expected an array"});
  refuse(changed(example(), "/schema/features/0", 7),
         {"features is 7, expected an array of strings"});
  refuse(changed(example(), "/features/mean/1", nullptr),
         {"mean is null, expected an array of numbers"});
  refuse(changed(example(), "/missing", "guess"), {"guess", "refuse, previous, mean"});
  refuse(changed(example(), "/schema/format", "pdf"), {"pdf", "table"});
  refuse(changed(example(), "/schema/layout", "\x1b[2J"), {"long"});
  refuse(changed(example(), "/schema/target", 1), {"target is 1, expected a string"});
}

TEST(EncodingJson, HasSizesThatAgree) {
  refuse(changed(example(), "/features/mean/2", 1.0), {"the size of \"mean\" is 3, expected 2"});
  refuse(changed(example(), "/schema/features/2", "c"), {"the size of \"mean\" is 2, expected 3"});
  refuse(changed(example(), "/targets/scale", Json::array()), {"the size of \"scale\" is 0"});
  refuse(changed(example(), "/schema/target", "forecast"), {"[targets]", "expected 0"});
  refuse(changed(example(), "/labels/0", "x"), {"\"labels\" is not empty, expected none"});
  refuse(changed(example(), "/alphabet/0", "x"), {"\"alphabet\" is not empty, expected none"});
  refuse(changed(example_of_symbols(), "/alphabet", Json::array()), {"\"alphabet\" is empty"});
  refuse(changed(example_of_symbols(), "/labels", Json::array()), {"\"labels\" is empty"});
  refuse(changed(example_of_symbols(), "/features/mean/0", 1), {"the size of \"mean\" is 1"});
}

TEST(EncodingJson, HasValuesThatCanBe) {
  refuse(changed(example(), "/features/scale/1", 0), {"\"scale\" contains 0", "above 0"});
  refuse(changed(example(), "/features/scale/1", -1.5), {"contains -1.5"});
  refuse(changed(example_of_symbols(), "/labels/1", "x"), {"\"labels\" contains \"x\" twice"});
  refuse(changed(example_of_symbols(), "/alphabet/1", "a"), {"\"alphabet\" contains \"a\" twice"});
  for (const int kmer : {-1, 0, 101, 1'000'000'000}) {
    refuse(changed(example_of_symbols(), "/kmer", kmer),
           {fmt::format("kmer is {}, expected a whole number from 1 to 100", kmer)});
  }
  refuse(changed(example(), "/kmer", 2), {"found numbers with \"kmer\""});
  refuse(changed(example(), "/lower", true), {"found numbers with \"kmer\", \"tokens\" or"});
  refuse(changed(example(), "/stride", 11), {"\"stride\" is 11, expected 1 to 10"});
  refuse(changed(example(), "/stride", 0), {"\"stride\" is 0, expected 1 to 10"});
  refuse(changed(example(), "/window", 0), {"\"stride\" is 5, expected 0"});
}

using Notes = std::map<std::string, std::string>;

Encoding numbers(formats::Target target) {
  return {.schema = {.features = {"u", "v"}, .target = target},
          .features = {.mean = {0, 0}, .scale = {1, 1}},
          .labels = {"a", "b", "c"}};
}

ModelConfig network_of(const Encoding& encoding) {
  const Shape shape = encoding.shape();
  return {.input = shape.input,
          .inputs = shape.inputs,
          .readout = shape.readout,
          .outputs = shape.outputs,
          .loss = shape.loss};
}

Notes notes_of(const Encoding& encoding) { return {{"data", to_json(encoding)}, {"who", "me"}}; }

TEST(EncodingNote, FitsItsNetwork) {
  const Encoding one = numbers(formats::Target::kClass),
                 every = numbers(formats::Target::kClassPerStep);
  EXPECT_EQ(find_encoding({{"who", "me"}}, network_of(one), "m"), std::nullopt);
  EXPECT_EQ(find_encoding(notes_of(every), network_of(every), "m"), every);
  ModelConfig network = network_of(one);
  for (const Readout readout : {Readout::kLast, Readout::kMean, Readout::kAttention}) {
    network.readout = readout;
    EXPECT_EQ(find_encoding(notes_of(one), network, "m"), one);
  }
}

TEST(EncodingNote, IsRefusedForAnother) {
  const Encoding one = numbers(formats::Target::kClass),
                 every = numbers(formats::Target::kClassPerStep);
  const auto refuse = [](const Encoding& encoding, const ModelConfig& network,
                         std::string_view words) {
    expect_error<ModelFileError>([&] { find_encoding(notes_of(encoding), network, "m"); },
                                 {"m: the network has", words, "as in its note \"data\""});
  };
  const auto changed = [&](auto field, auto value) {
    ModelConfig network = network_of(one);
    network.*field = value;
    return network;
  };
  refuse(one, changed(&ModelConfig::input, Input::kSymbols), "input symbols, expected numbers");
  refuse(one, changed(&ModelConfig::inputs, 3), "inputs 3, expected 2");
  refuse(one, changed(&ModelConfig::outputs, 2), "outputs 2, expected 3");
  refuse(one, changed(&ModelConfig::loss, Loss::kSigmoid), "loss sigmoid, expected softmax");
  refuse(one, changed(&ModelConfig::code, 4), "code 4, expected 0");
  refuse(one, network_of(every), "readout every, expected last, mean or attention");
  refuse(every, network_of(one), "readout last, expected every");
  expect_error<ModelFileError>(
      [&] {
        find_encoding({{"data", "{"}}, network_of(one), "m");
      },
      {"m: the data description"});
}

}  // namespace
}  // namespace rwa::datasets
