// tests/datasets/encoding_note_test.cc: the encoding among the notes of the network that it fits, and of
// those that it does not.
#include "datasets/encoding.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {

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
    io::expect_error<ModelFileError>([&] { find_encoding(notes_of(encoding), network, "m"); },
                                     {"m: the network has", words, "as its note \"data\" says"});
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
  refuse(one, network_of(every), "readout every, expected one answer for a sequence");
  refuse(every, network_of(one), "readout last, expected every");
  io::expect_error<ModelFileError>(
      [&] {
        find_encoding({{"data", "{"}}, network_of(one), "m");
      },
      {"m: the description of the data"});
}

}  // namespace
}  // namespace rwa::datasets
