// tests/model/network_spec_test.cc: the parts of networks: names, shapes and offsets of parameters,
// the table of parts, frozen parameters, initial weights, and invalid networks.
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "model/network_spec.h"
#include "rwa/errors.h"

namespace rwa {
namespace {

using io::expect_error;
using Shape = std::vector<std::int64_t>;

ModelConfig autoencoder() {
  return {.input = Input::kSymbols,
          .inputs = 7,
          .embedding = 3,
          .cell = Cell::kRwaDecay,
          .units = 5,
          .layers = 2,
          .bidirectional = true,
          .dropout = 0.25,
          .learned_decay = false,
          .readout = Readout::kAttention,
          .outputs = 4,
          .code = 6};
}

void expect_names(const ModelConfig& config,
                  const std::vector<std::pair<std::string, Shape>>& expected) {
  const NetworkSpec spec(config);
  const auto found = spec.describe();
  ASSERT_EQ(found.size(), expected.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].first);
    EXPECT_EQ(found[i].shape, expected[i].second) << found[i].name;
    EXPECT_EQ(found[i].offset, next) << found[i].name;
    next += found[i].size;
  }
  EXPECT_EQ(spec.parameters(), next);
}

TEST(NetworkSpec, OneLayer) {
  expect_names({.inputs = 3, .units = 5, .outputs = 4}, {{"layers.0.weight_x", {15, 3}},
                                                         {"layers.0.weight_h", {10, 5}},
                                                         {"layers.0.bias", {10}},
                                                         {"layers.0.start", {5}},
                                                         {"output.weight", {4, 5}},
                                                         {"output.bias", {4}}});
}

TEST(NetworkSpec, AStem) {
  const ModelConfig config{.inputs = 3, .stem = {5, 2}, .channels = 7, .units = 5, .outputs = 4};
  expect_names(config, {{"stem.0.weight", {7, 15}},
                        {"stem.0.bias", {7}},
                        {"stem.1.weight", {7, 14}},
                        {"stem.1.bias", {7}},
                        {"layers.0.weight_x", {15, 7}},
                        {"layers.0.weight_h", {10, 5}},
                        {"layers.0.bias", {10}},
                        {"layers.0.start", {5}},
                        {"output.weight", {4, 5}},
                        {"output.bias", {4}}});
  const NetworkSpec spec(config);
  EXPECT_EQ(spec.state_size(), spec.encoder.stack.state_size() + 4 * 3 + 1 * 7);
}

TEST(NetworkSpec, AllParts) {
  expect_names(autoencoder(), {{"embedding.weight", {7, 3}},
                               {"layers.0.weight_x", {15, 3}},
                               {"layers.0.weight_h", {10, 5}},
                               {"layers.0.bias", {15}},
                               {"layers.0.start", {5}},
                               {"layers.0.reverse.weight_x", {15, 3}},
                               {"layers.0.reverse.weight_h", {10, 5}},
                               {"layers.0.reverse.bias", {15}},
                               {"layers.0.reverse.start", {5}},
                               {"layers.1.weight_x", {15, 10}},
                               {"layers.1.weight_h", {10, 5}},
                               {"layers.1.bias", {15}},
                               {"layers.1.start", {5}},
                               {"layers.1.reverse.weight_x", {15, 10}},
                               {"layers.1.reverse.weight_h", {10, 5}},
                               {"layers.1.reverse.bias", {15}},
                               {"layers.1.reverse.start", {5}},
                               {"attention.weight", {10}},
                               {"code.weight", {6, 10}},
                               {"code.bias", {6}},
                               {"decoder.embedding.weight", {5, 6}},
                               {"decoder.layers.0.weight_x", {15, 6}},
                               {"decoder.layers.0.weight_h", {10, 5}},
                               {"decoder.layers.0.bias", {15}},
                               {"decoder.layers.0.start", {5}},
                               {"decoder.layers.1.weight_x", {15, 5}},
                               {"decoder.layers.1.weight_h", {10, 5}},
                               {"decoder.layers.1.bias", {15}},
                               {"decoder.layers.1.start", {5}},
                               {"output.weight", {4, 5}},
                               {"output.bias", {4}}});
}

TEST(NetworkSpec, ADecoderFromFeatures) {
  expect_names({.inputs = 3,
                .cell = Cell::kLstm,
                .units = 5,
                .layers = 0,
                .readout = Readout::kMean,
                .outputs = 4,
                .code = 6},
               {{"code.weight", {6, 3}},
                {"code.bias", {6}},
                {"decoder.embedding.weight", {5, 6}},
                {"decoder.layers.0.weight_x", {20, 6}},
                {"decoder.layers.0.weight_h", {20, 5}},
                {"decoder.layers.0.bias", {20}},
                {"output.weight", {4, 5}},
                {"output.bias", {4}}});
}

// For every network, the parts add up to all its parameters.
TEST(NetworkSpec, PartsAsATable) {
  const auto lines = [](const ModelConfig& config) {
    std::string text;
    std::size_t parameters = 0;
    for (const NetworkPart& part : NetworkSpec(config).parts()) {
      text += part.name + " | " + part.what + " | " + part.shape + " | " +
              std::to_string(part.parameters) + "\n";
      parameters += part.parameters;
    }
    EXPECT_EQ(parameters, NetworkSpec(config).parameters());
    return text;
  };
  EXPECT_EQ(lines({.inputs = 3, .units = 5, .outputs = 4}),
            "input | features | [T,B,3] | 0\n"
            "layers.0 | rwa, tanh, 5 units | [T,B,5] | 110\n"
            "readout | last step | [B,5] | 0\n"
            "output | fully connected, loss softmax | [B,4] | 24\n");
  EXPECT_EQ(lines({.input = Input::kSymbols,
                   .inputs = 3,
                   .cell = Cell::kGru,
                   .units = 5,
                   .readout = Readout::kEvery,
                   .outputs = 4,
                   .loss = Loss::kSigmoid}),
            "input | 3 symbols | [T,B] | 0\n"
            "layers.0 | gru, tanh, 5 units, one-hot | [T,B,5] | 140\n"
            "readout | every step | [T,B,5] | 0\n"
            "output | fully connected, loss sigmoid | [T,B,4] | 24\n");
  EXPECT_EQ(lines({.inputs = 3, .stem = {5, 1}, .channels = 7, .units = 5, .outputs = 4}),
            "input | features | [T,B,3] | 0\n"
            "stem.0 | convolution of 5 steps, rectified | [T,B,7] | 112\n"
            "stem.1 | convolution of 1 step, rectified | [T,B,7] | 56\n"
            "layers.0 | rwa, tanh, 5 units | [T,B,5] | 170\n"
            "readout | last step | [B,5] | 0\n"
            "output | fully connected, loss softmax | [B,4] | 24\n");
  EXPECT_EQ(lines(autoencoder()),
            "input | 7 symbols | [T,B] | 0\n"
            "embedding | learned vector per symbol | [T,B,3] | 21\n"
            "layers.0 | rwa-decay, tanh, 5 units, bidirectional, dropout 0.25 | [T,B,10] | 230\n"
            "layers.1 | rwa-decay, tanh, 5 units, bidirectional | [T,B,10] | 440\n"
            "attention | average over all steps, weighted by a learned score | [B,10] | 10\n"
            "code | fully connected | [B,6] | 66\n"
            "decoder.embedding | code plus a learned vector for the previous label | [S,B,6] | 30\n"
            "decoder.layers.0 | rwa-decay, tanh, 5 units, dropout 0.25 | [S,B,5] | 160\n"
            "decoder.layers.1 | rwa-decay, tanh, 5 units | [S,B,5] | 145\n"
            "output | fully connected, loss softmax | [S,B,4] | 24\n");
}

// The second of the three blocks of each bias is that of f.
TEST(NetworkSpec, HalfLivesThatAreNotLearned) {
  ModelConfig config = autoencoder();
  const NetworkSpec spec(config);
  std::vector<std::size_t> expected;
  for (const auto& info : spec.describe()) {
    const bool recurrent = info.name.find("layers") != std::string::npos;
    if (recurrent && info.name.ends_with(".bias")) expected.push_back(info.offset + 5);
  }
  std::vector<std::size_t> found;
  for (const auto& range : spec.frozen()) {
    found.push_back(range.offset);
    EXPECT_EQ(range.size, 5U);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found.size(), 6U);
  config.learned_decay = true;
  EXPECT_TRUE(NetworkSpec(config).frozen().empty());
}

TEST(NetworkSpec, SaysWhyItCannotStream) {
  const auto why = [](const ModelConfig& config) { return NetworkSpec(config).why_no_stream(); };
  EXPECT_EQ(why({.layers = 3}), "");
  EXPECT_EQ(why({.input = Input::kSymbols, .embedding = 2, .readout = Readout::kEvery}), "");
  EXPECT_NE(why({.bidirectional = true}).find("bidirectional"), std::string::npos);
  EXPECT_NE(why({.readout = Readout::kMean}).find("averages"), std::string::npos);
  EXPECT_NE(why({.readout = Readout::kAttention}).find("averages"), std::string::npos);
  EXPECT_NE(why({.code = 2}).find("decodes"), std::string::npos);
}

TEST(NetworkSpec, CountsTheStateOfAllLayers) {
  EXPECT_EQ(NetworkSpec({.cell = Cell::kLstm, .units = 5, .layers = 3}).state_size(), 3U * 2 * 5);
  EXPECT_EQ(NetworkSpec({.cell = Cell::kRwa, .units = 5, .layers = 2}).state_size(), 2U * 5 * 5);
}

TEST(NetworkSpec, RefusesWhatCannotBe) {
  const auto refused = [](const ModelConfig& config,
                          std::initializer_list<std::string_view> parts) {
    expect_error<ConfigError>([&] { (void)NetworkSpec(config); }, parts);
  };
  refused({.inputs = 0}, {"inputs is 0", "1 to"});
  refused({.units = -1}, {"units is -1", "1 to"});
  refused({.units = (1 << 20) + 1}, {"units is 1048577", "1048576"});
  refused({.outputs = 0}, {"outputs is 0", "1 to"});
  refused({.layers = -1}, {"layers is -1", "0 to 1000"});
  refused({.layers = 1001}, {"layers is 1001", "0 to 1000"});
  refused({.input = Input::kSymbols, .embedding = -2}, {"embedding is -2", "0 to"});
  refused({.code = -1}, {"code is -1", "0 to"});
  refused({.embedding = 3}, {"embedding is 3", "0 if the input is numbers"});
  for (const double dropout : {-0.1, 1.0, std::nan("")}) {
    refused({.layers = 2, .dropout = dropout}, {"dropout is", "at least 0 and less than 1"});
  }
  refused({.dropout = 0.5}, {"dropout is 0.5", "between"});
  refused({.span = 0}, {"span is 0", "at least 1"});
  for (const double lasting : {-0.1, 1.1, std::nan("")}) {
    refused({.lasting = lasting}, {"lasting is", "0 to 1"});
  }
  refused({.layers = 0}, {"layers is 0", "without a decoder"});
  refused({.layers = 0, .bidirectional = true, .readout = Readout::kMean, .code = 2},
          {"bidirectional is true", "0 layers"});
  refused({.layers = 0, .code = 2}, {"readout is last", "mean"});
  refused({.input = Input::kSymbols, .layers = 0, .readout = Readout::kMean, .code = 2},
          {"embedding is 0", "symbols"});
  refused({.loss = Loss::kSigmoid, .code = 2}, {"loss is sigmoid", "softmax"});
  refused({.readout = Readout::kEvery, .code = 2}, {"readout is every", "last, mean or attention"});
  refused({.stem = {3, 0}}, {"a kernel of the stem is 0", "1 to 1024"});
  refused({.stem = {1025}}, {"a kernel of the stem is 1025", "1 to 1024"});
  refused({.stem = std::vector<int>(17, 3)}, {"stem is 17 convolutions", "at most 16"});
  refused({.channels = 0}, {"channels is 0", "1 to"});
  refused({.input = Input::kSymbols, .stem = {3}}, {"embedding is 0", "symbols with a stem"});
  refused({.stem = {3}, .layers = 0, .readout = Readout::kMean, .code = 2},
          {"layers is 0", "at least 1 with a stem"});
  refused({.cell = static_cast<Cell>(99)}, {"99"});
  refused({.input = static_cast<Input>(99)}, {"99"});
}

// Initial weights must never change. Blocks that need a logarithm or a cosine, which differ between
// math libraries, are left out.
TEST(InitialWeights, OfOneLayerAreThoseOfBefore) {
  const std::map<Cell, std::uint64_t> before = {{Cell::kRwa, 0x7ce48704413376ed},
                                                {Cell::kRwaForget, 0x1ad436daf7b4d8d9},
                                                {Cell::kRwaDecay, 0xad9e707940273f52},
                                                {Cell::kLstm, 0x381f25b4644cfec0},
                                                {Cell::kGru, 0x6bb691088882b11c}};
  for (const auto& [cell, expected] : before) {
    const ModelConfig config{.inputs = 3, .cell = cell, .units = 5, .outputs = 4, .seed = 7};
    const NetworkSpec spec(config);
    const auto values = initial_weights(spec, config);
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, word by word
    for (const auto& info : spec.describe()) {
      if (info.name.find("weight") == std::string::npos) continue;
      for (std::size_t i = info.offset; i < info.offset + info.size; ++i) {
        hash = (hash ^ std::bit_cast<std::uint32_t>(values[i])) * 0x100000001b3;
      }
    }
    EXPECT_EQ(hash, expected) << to_string(cell);
  }
}

TEST(InitialWeights, OfAllParts) {
  const ModelConfig config = autoencoder();
  const NetworkSpec spec(config);
  const auto values = initial_weights(spec, config);
  std::map<std::string, double> largest;
  for (const auto& info : spec.describe()) {
    for (std::size_t i = info.offset; i < info.offset + info.size; ++i) {
      double& most = largest[info.name];
      most = std::max(most, static_cast<double>(std::abs(values[i])));
    }
  }
  for (const char* zero : {"attention.weight", "code.bias", "output.bias"}) {
    EXPECT_EQ(largest.at(zero), 0) << zero;
  }
  EXPECT_GT(largest.at("embedding.weight"), 1);
  const auto expect_uniform = [&](const char* name, double inputs, double outputs) {
    const double limit = std::sqrt(6 / (inputs + outputs));
    EXPECT_LE(largest.at(name), limit) << name;
    EXPECT_GT(largest.at(name), 0.7 * limit) << name;
  };
  expect_uniform("code.weight", 10, 6);
  expect_uniform("decoder.embedding.weight", 5, 6);
  expect_uniform("output.weight", 5, 4);
  // Directions and layers draw from separate streams.
  EXPECT_NE(largest.at("layers.0.weight_h"), largest.at("layers.0.reverse.weight_h"));
  EXPECT_NE(largest.at("layers.0.weight_h"), largest.at("layers.1.weight_h"));
  for (const auto& range : spec.frozen()) EXPECT_EQ(values[range.offset], 30) << "never forgets";
}

}  // namespace
}  // namespace rwa
