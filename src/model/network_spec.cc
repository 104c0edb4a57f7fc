#include "model/network_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
void check_size(std::string_view name, int value, int least, int most = kMostSize) {
  if (value < least || value > most) {
    throw ConfigError(fmt::format("{} is {}, expected {} to {}", name, value, least, most));
  }
}

template <class Value>
void check(bool holds, std::string_view name, const Value& value, std::string_view expected) {
  if (!holds) throw ConfigError(fmt::format("{} is {}, expected {}", name, value, expected));
}

// to_string() throws for values outside an enumeration.
void check_names(const ModelConfig& c) {
  (void)to_string(c.input);
  (void)to_string(c.cell);
  (void)to_string(c.activation);
  (void)to_string(c.readout);
  (void)to_string(c.loss);
}

void check_numbers(const ModelConfig& c) {
  check_size("inputs", c.inputs, 1);
  check_size("embedding", c.embedding, 0);
  check(c.stem.size() <= kMostConvolutions, "stem", counted(c.stem.size(), "convolution"),
        fmt::format("at most {}", kMostConvolutions));
  for (const int kernel : c.stem) check_size("a kernel of the stem", kernel, 1, kMostKernel);
  check_size("channels", c.channels, 1);
  check_size("units", c.units, 1);
  check_size("layers", c.layers, 0, kMostLayers);
  check_size("outputs", c.outputs, 1);
  check_size("code", c.code, 0);
  check(c.dropout >= 0 && c.dropout < 1, "dropout", c.dropout, "at least 0 and less than 1");
  check(c.span >= 1, "span", c.span, "at least 1");
  check(c.lasting >= 0 && c.lasting <= 1, "lasting", c.lasting, "0 to 1");
  check(c.interval > 0 && c.interval < 1, "interval", c.interval, "more than 0 and less than 1");
}

// Rejects parts that do not fit together.
void check_parts(const ModelConfig& c) {
  if (c.input != Input::kSymbols) {
    check(c.embedding == 0, "embedding", c.embedding, "0 if the input is numbers");
  }
  if (c.layers < 2) {
    check(c.dropout == 0, "dropout", c.dropout,
          "0 with fewer than 2 layers: it acts between layers");
  }
  if (c.layers == 0) {
    check(c.code > 0, "layers", c.layers, "at least 1 without a decoder (code is 0)");
    check(!c.bidirectional, "bidirectional", c.bidirectional, "false with 0 layers");
    check(c.readout == Readout::kMean, "readout", to_string(c.readout),
          "mean with 0 layers (the mean of one step is that step)");
    check(c.input == Input::kNumbers || c.embedding > 0, "embedding", c.embedding,
          "at least 1 for symbols with 0 layers");
  }
  if (!c.stem.empty()) {
    check(c.layers > 0, "layers", c.layers, "at least 1 with a stem");
    check(c.input == Input::kNumbers || c.embedding > 0, "embedding", c.embedding,
          "at least 1 for symbols with a stem");
  }
  if (c.loss == Loss::kPinball) {
    check(c.outputs % 3 == 0, "outputs", c.outputs, "a multiple of 3 for the loss pinball");
  }
  if (c.code > 0) {
    check(c.loss == Loss::kSoftmax, "loss", to_string(c.loss), "softmax for a decoder");
    check(c.readout != Readout::kEvery, "readout", to_string(c.readout),
          "one vector per sequence for a decoder: last, mean or attention");
  }
}

// Places parts one after another in the block of parameters.
class Layout {
 public:
  explicit Layout(const ModelConfig& config) : config_(config) {}

  std::size_t place(std::size_t parameters) { return std::exchange(next_, next_ + parameters); }
  template <class Spec>
  Placed<Spec> place(const Spec& spec) {
    return {spec, place(spec.parameters())};
  }

  // The first convolution sees `inputs` features.
  StemSpec stem(int inputs) {
    StemSpec stem;
    for (const int kernel : config_.stem) {
      stem.convolutions.push_back({place(DenseSpec{kernel * inputs, config_.channels}), kernel});
      inputs = config_.channels;
    }
    return stem;
  }

  // `count` layers; the first sees `inputs` features, or symbols.
  StackSpec stack(int count, int inputs, bool symbols, bool bidirectional) {
    StackSpec stack{.dropout = config_.dropout, .seed = config_.seed, .first = layers_};
    const int directions = bidirectional ? 2 : 1;
    for (int l = 0; l < count; ++l) {
      LayerSpec& layer = stack.layers.emplace_back();
      for (int d = 0; d < directions; ++d) {
        layer.directions.push_back(place(RecurrentSpec{.cell = config_.cell,
                                                       .activation = config_.activation,
                                                       .inputs = inputs,
                                                       .units = config_.units,
                                                       .symbols = symbols && l == 0,
                                                       .reverse = d == 1,
                                                       .stride = directions * config_.units}));
      }
      inputs = directions * config_.units;
    }
    layers_ += static_cast<std::uint32_t>(count);
    return stack;
  }

 private:
  const ModelConfig& config_;
  std::size_t next_ = 0;
  std::uint32_t layers_ = 0;  // so far, of all stacks
};

EncoderSpec make_encoder(const ModelConfig& config, Layout& layout) {
  EncoderSpec encoder{.readout = config.readout, .width = config.inputs};
  if (config.embedding > 0) {
    encoder.embedding = layout.place(TableSpec{config.inputs, config.embedding});
    encoder.width = config.embedding;
  }
  encoder.stem = layout.stem(encoder.width);
  if (!encoder.stem.empty()) encoder.width = encoder.stem.width();
  const bool one_hot = config.input == Input::kSymbols && !encoder.embedding;
  encoder.stack = layout.stack(config.layers, encoder.width, one_hot, config.bidirectional);
  encoder.stack.every = config.readout != Readout::kLast;
  if (config.layers > 0) encoder.width = encoder.stack.layers.back().width();
  if (config.readout == Readout::kAttention) {
    encoder.score = layout.place(static_cast<std::size_t>(encoder.width));
  }
  return encoder;
}

DecoderSpec make_decoder(const ModelConfig& config, int width, Layout& layout) {
  DecoderSpec decoder;
  decoder.code = layout.place(DenseSpec{width, config.code});
  decoder.labels = layout.place(TableSpec{config.outputs + 1, config.code});
  decoder.stack = layout.stack(std::max(1, config.layers), config.code, false, false);
  decoder.stack.every = true;
  return decoder;
}

// Adds the biases of constant gates: the half-lives.
void add_half_lives(const StackSpec& stack, std::vector<ParameterRange>& ranges) {
  for (const LayerSpec& layer : stack.layers) {
    for (const auto& direction : layer.directions) {
      const CellTraits& cell = direction.traits();
      const auto units = static_cast<std::size_t>(direction.units);
      const auto block = static_cast<std::size_t>(cell.bias.before(cell.spread_bias));
      ranges.push_back({direction.offset + direction.bias() + block * units, units});
    }
  }
}

const ModelConfig& checked(const ModelConfig& config) {
  check_names(config);
  check_numbers(config);
  check_parts(config);
  return config;
}
}  // namespace

std::size_t StemSpec::state_size() const {
  std::size_t size = 0;
  for (const ConvolutionSpec& convolution : convolutions) size += convolution.state_size();
  return size;
}

std::size_t StackSpec::state_size() const {
  std::size_t size = 0;
  for (const LayerSpec& layer : layers) {
    for (const auto& direction : layer.directions) size += direction.state_size();
  }
  return size;
}

NetworkSpec::NetworkSpec(const ModelConfig& config)
    : readout(checked(config).readout),
      loss{config.loss, config.interval},
      inputs_(config.inputs),
      takes_symbols_(config.input == Input::kSymbols) {
  Layout layout(config);
  encoder = make_encoder(config, layout);
  if (config.code > 0) decoder = make_decoder(config, encoder.width, layout);
  output = layout.place(DenseSpec{decoder ? config.units : encoder.width, config.outputs});
  if (cell_traits(config.cell).has_constant_gate() && !config.learned_decay) {
    add_half_lives(encoder.stack, frozen_);
    if (decoder) add_half_lives(decoder->stack, frozen_);
  }
}

std::string NetworkSpec::why_no_stream() const {
  if (decoder) return "it decodes: its output starts after a sequence's end";
  if (encoder.averages()) return "it averages over all steps of a sequence";
  if (encoder.stack.layers.front().directions.size() > 1) {
    return "it is bidirectional: it must see a sequence's end first";
  }
  return {};
}

}  // namespace rwa
