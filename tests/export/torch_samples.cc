// tests/export/torch_samples.cc: writes the samples that torch_module_test.py and
// torch_import_test.py compare PyTorch with:
//   torch_samples networks FOLDER [CELL]
//                                   random networks with all cells or one, as modules NAME.py with
//                                   their weights; inputs and outputs in NAME.expected.safetensors
//   torch_samples data FOLDER       the same for networks with a description of their data:
//                                   NAME.json has a sequence as in a file, and its predictions
//   torch_samples run MODEL IN OUT  the outputs y of a model for x or symbols, and lengths
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "datasets/encoding.h"
#include "export/torch_module.h"
#include "io/replace_file.h"
#include "io/safetensors.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "support/random_data.h"
#include "workflows/predictions.h"

namespace rwa {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 6, kBatch = 5, kSaid = 4;

struct In {
  int steps = 0, batch = 0;
  std::vector<float> x;
  std::vector<std::int32_t> symbols, lengths;
};

template <class T>
io::Tensor tensor(std::string name, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  return {std::move(name), std::move(shape), {values.begin(), values.end()}};
}

io::Tensor outputs(std::string name, const Model& model, const In& in,
                   std::span<const std::int32_t> lengths) {
  const ModelConfig& config = model.config();
  std::vector<std::int64_t> shape = {in.batch, config.outputs};
  if (config.readout == Readout::kEvery) shape.insert(shape.begin(), in.steps);
  if (config.code > 0) shape.insert(shape.begin(), kSaid);
  std::size_t size = 1;
  for (const std::int64_t dim : shape) size *= static_cast<std::size_t>(dim);
  std::vector<float> y(size);
  Session(model).run(
      {.x = in.x, .steps = in.steps, .batch = in.batch, .lengths = lengths, .symbols = in.symbols},
      y);
  return tensor(std::move(name), shape, y);
}

In random_input(const ModelConfig& config, RandomData& random) {
  const int steps = config.layers == 0 ? 1 : kSteps;  // without layers only one is allowed
  const auto rows = static_cast<std::size_t>(steps * kBatch);
  In in{.steps = steps, .batch = kBatch, .x = {}, .symbols = {}, .lengths = {}};
  if (config.input == Input::kSymbols) {
    in.symbols = random.classes(rows, config.inputs);
  } else {
    in.x = random.normal<float>(rows * static_cast<std::size_t>(config.inputs));
  }
  in.lengths = random.lengths(kBatch, steps);
  return in;
}

std::vector<io::Tensor> tensors_of(const In& in) {
  const std::int64_t rows = std::int64_t{in.steps} * in.batch;
  std::vector<io::Tensor> all = {tensor("lengths", {in.batch}, in.lengths)};
  if (in.x.empty()) {
    all.push_back(tensor("symbols", {in.steps, in.batch}, in.symbols));
  } else {
    const auto width = static_cast<std::int64_t>(in.x.size()) / rows;
    all.push_back(tensor("x", {in.steps, in.batch, width}, in.x));
  }
  return all;
}

void randomise(Model& model, RandomData& random) {
  model.set_weights(random.uniform<float>(model.parameter_count(), -1, 1));
}

std::string name_of(const ModelConfig& c) {
  return fmt::format("{}_{}_{}_{}{}{}{}_{}{}{}", to_string(c.cell), to_string(c.activation),
                     to_string(c.readout), to_string(c.input), c.embedding,
                     c.stem.empty() ? "" : "_stem", fmt::join(c.stem, "-"), c.layers,
                     c.bidirectional ? "_both" : "", c.code > 0 ? "_decoder" : "");
}

// The network behind a stem of one convolution that is longer than the sequences, and of several.
void add_stems(ModelConfig config, std::vector<ModelConfig>& all) {
  config.channels = 5;
  config.stem = {kSteps + 2};
  all.push_back(config);
  config.code = 2;
  all.push_back(config);
  config.code = 0;
  config.layers = 2;
  config.stem = {3, 1, 2};
  config.input = Input::kSymbols;
  config.embedding = 2;
  all.push_back(config);
  config.bidirectional = true;
  config.readout = Readout::kEvery;
  all.push_back(config);
}

// Every cell with every activation and readout; inputs, depths and directions in turn.
std::vector<ModelConfig> networks(std::string_view only) {
  constexpr Readout kReadouts[] = {Readout::kLast, Readout::kEvery, Readout::kMean,
                                   Readout::kAttention};
  std::vector<ModelConfig> all;
  for (const Cell cell : all_cells()) {
    if (!only.empty() && to_string(cell) != only) continue;
    for (const Activation activation : {Activation::kTanh, Activation::kIdentity}) {
      ModelConfig config{.inputs = 3,
                         .cell = cell,
                         .activation = activation,
                         .units = 4,
                         .learned_decay = all.size() % 2 == 0,
                         .outputs = 2};
      for (const Readout readout : kReadouts) {
        config.readout = readout;
        for (int variant = 0; variant < 4; ++variant) {
          const std::size_t turn = all.size();
          config.bidirectional = variant % 2 == 1;
          config.layers = 1 + variant / 2;
          config.dropout = config.layers > 1 ? 0.3 : 0;
          config.input = turn % 3 == 0 ? Input::kNumbers : Input::kSymbols;
          config.embedding = turn % 3 == 1 ? 5 : 0;
          config.seed = turn;
          all.push_back(config);
        }
      }
      config = {
          .inputs = 3, .cell = cell, .activation = activation, .units = 4, .outputs = 3, .code = 2};
      for (const int layers : {0, 1, 2}) {
        config.layers = layers;
        config.dropout = layers > 1 ? 0.3 : 0;
        config.readout = layers == 0 ? Readout::kMean : kReadouts[2 * (layers - 1)];
        all.push_back(config);
      }
      add_stems({.inputs = 3, .cell = cell, .activation = activation, .units = 4, .outputs = 2},
                all);
    }
  }
  return all;
}

void write_networks(const fs::path& folder, std::string_view only) {
  for (const ModelConfig& config : networks(only)) {
    RandomData random(config.seed + 1);
    Model model(config);
    randomise(model, random);
    const std::string name = name_of(config);
    exports::export_torch(model, folder / (name + ".py"));
    const In in = random_input(config, random);
    std::vector<io::Tensor> all = tensors_of(in);
    all.push_back(outputs("y", model, in, in.lengths));
    all.push_back(outputs("y_whole", model, in, {}));
    io::write_safetensors(folder / (name + ".expected.safetensors"), {{}, std::move(all)});
    std::cout << name << '\n';
  }
}

// Descriptions of data for all kinds of tasks.
std::vector<datasets::Encoding> encodings() {
  using formats::Target;
  const std::vector<std::string> alphabet = {"a", "\"'\\", "\n", "ü"},
                                 labels = {"yes", "é\t\"no\""};
  const datasets::Normal normal = {.mean = {1e6, -0.25}, .scale = {1e3, 0.125}};
  return {{.schema = {.features = {"load", "heat"}, .target = Target::kClass, .targets = {"class"}},
           .missing = datasets::Missing::kPrevious,
           .features = normal,
           .labels = labels},
          {.schema = {.features = {"load", "heat"}, .target = Target::kNumbers, .targets = {"y"}},
           .missing = datasets::Missing::kMean,
           .widening = {.context = 3, .positions = 4, .span = 9},
           .features = normal,
           .targets = {.mean = {100}, .scale = {30}}},
          {.schema = {.features = {"load", "heat"}}, .features = normal},
          {.schema = {.features = {"load", "heat"}, .target = Target::kClass, .targets = {"class"}},
           .missing = datasets::Missing::kMean,
           .widening = {.context = 3},
           .scale = datasets::Scale::kSequence,
           .features = normal,
           .own = {.least = {500, 1e-3},  // both above and below the deviations
                   .means = {.mean = {1e6, 2}, .scale = {100, 2}},
                   .deviations = {.mean = {5, -1}, .scale = {2, 3}}},
           .labels = labels},
          {.schema = {.features = {"load", "heat"},
                      .target = Target::kNumbersPerStep,
                      .targets = {"y"}},
           .missing = datasets::Missing::kMean,
           .scale = datasets::Scale::kNone,
           .features = {.mean = {1, -0.25}, .scale = {2, 0.125}},
           .targets = {.mean = {100}, .scale = {30}}},
          {.schema = {.symbols = true, .target = Target::kLabels},
           .alphabet = alphabet,
           .labels = labels},
          {.schema = {.symbols = true}, .widening = {.context = 2}, .alphabet = alphabet},
          {.schema = {.symbols = true, .target = Target::kClassPerStep},
           .widening = {.positions = 3, .span = 4},
           .alphabet = alphabet,
           .labels = labels},
          {.schema = {.symbols = true},
           .alphabet = {"a", "b", std::string(datasets::kUnknown)},
           .unknown = true}};
}

// A sequence as in a file, with missing values if they are allowed.
formats::Sequence random_sequence(const datasets::Encoding& encoding, formats::Vocabulary& words,
                                  RandomData& random) {
  formats::Sequence sequence;
  sequence.steps = kSteps;
  if (encoding.schema.symbols) {
    const auto symbols = static_cast<int>(encoding.alphabet.size());
    for (const std::int32_t symbol : random.classes(kSteps, symbols)) {
      const bool unknown = encoding.unknown && symbol + 1 == symbols;
      const std::string word =
          unknown ? "never seen" : encoding.alphabet[static_cast<std::size_t>(symbol)];
      sequence.symbols.push_back(words.symbols.number(word));
    }
    return sequence;
  }
  for (int t = 0; t < kSteps; ++t) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double number = random.normal<double>(1)[0];
      const auto& normal = encoding.features;
      sequence.x.push_back(static_cast<float>(normal.mean[i] + normal.scale[i] * number));
    }
  }
  if (encoding.missing != datasets::Missing::kRefuse) {
    for (const std::size_t i : {0, 3, 5}) sequence.x[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return sequence;
}

// Missing values become null.
nlohmann::json json_of(const formats::Sequence& sequence, const formats::Vocabulary& words) {
  auto json = nlohmann::json::array();
  for (std::size_t t = 0; t < kSteps; ++t) {
    if (sequence.x.empty()) {
      json.push_back(words.symbols.words()[static_cast<std::size_t>(sequence.symbols[t])]);
    } else {
      json.push_back({sequence.x[2 * t], sequence.x[2 * t + 1]});
    }
  }
  return json;
}

nlohmann::json answers_to(const Model& model, const datasets::Encoding& encoding,
                          const datasets::Encoder& encoder, const formats::Sequence& encoded) {
  datasets::Batch batch;
  const formats::Sequence* const one[] = {&encoded};
  encoder.fill(one, batch, true);
  const In in{batch.steps, 1, batch.x, batch.symbols, batch.lengths};
  const std::vector<float> y = outputs("y", model, in, in.lengths).values;
  const workflows::OutputDecoder decoder(encoding);
  const std::size_t width = decoder.names().size();
  auto json = nlohmann::json::array();
  for (std::size_t row = 0; row < y.size(); row += width) {
    workflows::Prediction prediction;
    decoder.decode(std::span(y).subspan(row, width), prediction);
    json.push_back(nlohmann::json::object());
    for (std::size_t i = 0; i < width; ++i) json.back()[decoder.names()[i]] = prediction.values[i];
  }
  return decoder.every_step() ? json : json[0];
}

void write_data(const fs::path& folder) {
  RandomData random(7);
  for (const datasets::Encoding& encoding : encodings()) {
    const datasets::Shape shape = encoding.shape();
    Model model({.input = shape.input,
                 .inputs = shape.inputs,
                 .units = 4,
                 .readout = shape.readout,
                 .outputs = shape.outputs,
                 .loss = shape.loss});
    randomise(model, random);
    model.set_note(std::string(datasets::kEncodingNote), datasets::to_json(encoding));
    const auto name = fmt::format("{}_{}", to_string(encoding.schema.target), shape.inputs);
    exports::export_torch(model, folder / (name + ".py"));
    formats::Vocabulary words;
    formats::Sequence sequence = random_sequence(encoding, words, random);
    nlohmann::json json = {{"sequence", json_of(sequence, words)}};
    datasets::Encoder encoder(encoding, words);
    encoder.encode(sequence, name, false);
    json["answers"] = answers_to(model, encoding, encoder, sequence);
    const std::string text = json.dump();
    io::replace_file(folder / (name + ".json"), std::as_bytes(std::span(text)));
    std::cout << name << '\n';
  }
}

void run_model(const fs::path& model_file, const fs::path& in_file, const fs::path& out_file) {
  const Model model = Model::load(model_file);
  In in;
  for (const io::Tensor& tensor : io::read_safetensors(in_file).tensors) {
    const auto whole = [&] {
      return std::vector<std::int32_t>(tensor.values.begin(), tensor.values.end());
    };
    if (tensor.name == "lengths") {
      in.lengths = whole();
      continue;
    }
    in.steps = static_cast<int>(tensor.shape[0]);
    in.batch = static_cast<int>(tensor.shape[1]);
    if (tensor.name == "x") {
      in.x = tensor.values;
    } else {
      in.symbols = whole();
    }
  }
  io::write_safetensors(out_file, {{}, {outputs("y", model, in, in.lengths)}});
}

int run(std::span<const std::string_view> arguments) {
  if ((arguments.size() == 3 || arguments.size() == 4) && arguments[1] == "networks") {
    write_networks(arguments[2], arguments.size() == 4 ? arguments[3] : "");
  } else if (arguments.size() == 3 && arguments[1] == "data") {
    write_data(arguments[2]);
  } else if (arguments.size() == 5 && arguments[1] == "run") {
    run_model(arguments[2], arguments[3], arguments[4]);
  } else {
    std::cerr << "expected: networks FOLDER [CELL], data FOLDER, or run MODEL IN OUT\n";
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace rwa

int main(int count, char** values) try {
  const std::vector<std::string_view> arguments(values, values + count);
  return rwa::run(arguments);
} catch (const rwa::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
