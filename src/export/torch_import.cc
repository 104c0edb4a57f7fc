#include "export/torch_import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/torch_import_rnn.h"
#include "export/torch_import_tensors.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

constexpr std::string_view kWeight = ".weight", kBias = ".bias";

// As a user may write it: "lstm." is "lstm".
std::optional<std::string> without_dot(std::optional<std::string> prefix) {
  if (prefix && prefix->ends_with('.')) prefix->pop_back();
  return prefix;
}

// The one that was asked for, or the only one. Nothing where there is none.
std::optional<std::string> choose(const std::optional<std::string>& wanted,
                                  const std::vector<std::string>& fitting, std::string_view what,
                                  std::string_view option, const Tensors& tensors) {
  if (wanted) {
    if (std::ranges::find(fitting, *wanted) != fitting.end()) return wanted;
    throw ConfigError(fmt::format(
        "{}: the option {} is {}, expected {}{}", tensors.origin(), option, io::quote(*wanted),
        what, fitting.empty() ? ", of which there is none" : ": " + list_of(fitting)));
  }
  if (fitting.size() > 1) {
    throw ConfigError(
        fmt::format("{}: found {} that could be {}, expected the option {} to name one of: {}",
                    tensors.origin(), fitting.size(), what, option, list_of(fitting)));
  }
  return fitting.empty() ? std::nullopt : std::optional(fitting.front());
}

// Tables and linear layers of so many columns, by their names without ".weight".
std::vector<std::string> with_columns(const Tensors& tensors, int columns) {
  std::vector<std::string> names;
  for (const io::Tensor& tensor : tensors.all()) {
    const bool fits = tensor.shape.size() == 2 && tensor.shape[1] == columns;
    if (!fits || !tensor.name.ends_with(kWeight)) continue;
    names.push_back(tensor.name.substr(0, tensor.name.size() - kWeight.size()));
  }
  return names;
}

// By its last word: "encoder.embed", "emb", "Embedding".
bool is_called_embedding(std::string_view name) {
  std::string word(name.substr(name.rfind('.') + 1));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word.find("emb") != std::string::npos;
}

std::string find_rnn(const Tensors& tensors, const ImportOptions& options) {
  const auto found = choose(options.rnn, rnn_prefixes(tensors), "an LSTM or GRU", "rnn", tensors);
  if (found) return *found;
  tensors.fail(
      "has no tensor *.weight_ih_l0, expected the weights of a torch.nn.LSTM or torch.nn.GRU as "
      "state_dict() names them");
}

const io::Tensor* find_embedding(Tensors& tensors, const ImportOptions& options, int inputs) {
  std::vector<std::string> fitting = with_columns(tensors, inputs);
  std::erase_if(fitting, [&](const std::string& name) {
    const bool asked_for = options.embedding == name;
    return tensors.find(name + std::string(kBias)) != nullptr ||
           (!asked_for && !is_called_embedding(name));
  });
  const auto what = fmt::format("an embedding of the {} numbers that the recurrence sees", inputs);
  const auto name = choose(options.embedding, fitting, what, "embedding", tensors);
  for (const std::string& other : fitting) tensors.take(other + std::string(kWeight));
  return name ? tensors.find(*name + std::string(kWeight)) : nullptr;
}

struct Head {
  std::vector<float> weight, bias;

  [[nodiscard]] int outputs() const { return static_cast<int>(bias.size()); }
};

// The units themselves.
Head identity(int width) {
  const auto size = static_cast<std::size_t>(width);
  Head head{std::vector<float>(size * size, 0.0F), std::vector<float>(size, 0.0F)};
  for (std::size_t i = 0; i < size; ++i) head.weight[i * size + i] = 1;
  return head;
}

Head find_head(Tensors& tensors, const ImportOptions& options, int width) {
  std::vector<std::string> fitting = with_columns(tensors, width);
  std::erase_if(fitting, [&](const std::string& name) {
    const io::Tensor* bias = tensors.find(name + std::string(kBias));
    return tensors.is_taken(name + std::string(kWeight)) ||
           (bias == nullptr && is_called_embedding(name));
  });
  const auto what = fmt::format("a linear layer on top of {} units", width);
  const auto name =
      options.no_head ? std::nullopt : choose(options.head, fitting, what, "head", tensors);
  if (!name && !options.no_head) {
    tensors.fail(
        "has no linear layer on top of the {} units, expected a 2-D *.weight of {} "
        "columns; the option no_head makes the units themselves the outputs",
        width, width);
  }
  Head head = options.no_head ? identity(width) : Head{};
  for (const std::string& other : fitting) {
    const io::Tensor* weight = tensors.take(other + std::string(kWeight));
    const io::Tensor* bias = tensors.take(other + std::string(kBias));
    if (other != name) continue;
    const std::vector<std::int64_t> rows = {weight->shape[0]};
    if (bias != nullptr) tensors.expect_shape(*bias, rows);
    head.weight = weight->values;
    head.bias = bias != nullptr ? bias->values
                                : std::vector<float>(static_cast<std::size_t>(rows[0]), 0.0F);
  }
  return head;
}

// What else is in the file would be missing in the model.
void refuse_the_rest(const Tensors& tensors) {
  for (const io::Tensor& tensor : tensors.all()) {
    if (tensors.is_taken(tensor.name)) continue;
    tensors.fail(
        "tensor {} {} has no place in the model, expected the weights of an LSTM or GRU, of one "
        "linear layer on top and perhaps of an embedding below",
        io::quote(tensor.name), shape_text(tensor));
  }
}

ModelConfig config_of(const Rnn& rnn, const io::Tensor* embedding, const Head& head,
                      const ImportOptions& options) {
  return {.input = embedding != nullptr ? Input::kSymbols : Input::kNumbers,
          .inputs = embedding != nullptr ? static_cast<int>(embedding->shape[0]) : rnn.inputs,
          .embedding = embedding != nullptr ? rnn.inputs : 0,
          .cell = rnn.cell,
          .units = rnn.units,
          .layers = static_cast<int>(rnn.layers.size()),
          .bidirectional = rnn.is_bidirectional(),
          .readout = options.readout,
          .outputs = head.outputs(),
          .loss = options.loss};
}

ImportOptions checked(ImportOptions options) {
  if (options.no_head && options.head) {
    throw ConfigError("the options head and no_head are both given, expected one of them");
  }
  if (options.readout == Readout::kAttention) {
    throw ConfigError(
        "readout is attention, expected last, every or mean: no part of PyTorch has its score");
  }
  for (auto* prefix : {&options.rnn, &options.head, &options.embedding}) {
    *prefix = without_dot(*prefix);
  }
  return options;
}

// What torch.save() writes is a zip archive.
void refuse_pickles(const std::filesystem::path& file) {
  std::array<char, 4> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) != "PK\x03\x04") return;
  throw ModelFileError(fmt::format(
      "{}: is an archive of torch.save(), expected a safetensors file: "
      "safetensors.torch.save_file(network.state_dict(), \"{}.safetensors\") writes one",
      file.string(), file.stem().string()));
}

}  // namespace

Model import_torch(const std::filesystem::path& file, const ImportOptions& given) {
  const ImportOptions options = checked(given);
  refuse_pickles(file);
  Tensors tensors(file);
  const Rnn rnn = read_rnn(tensors, find_rnn(tensors, options));
  const io::Tensor* embedding = find_embedding(tensors, options, rnn.inputs);
  const Head head = find_head(tensors, options, rnn.width());
  refuse_the_rest(tensors);
  Model model(config_of(rnn, embedding, head, options));
  if (embedding != nullptr) model.set_parameter("embedding.weight", embedding->values);
  for (std::size_t l = 0; l < rnn.layers.size(); ++l) {
    for (const Direction& direction : rnn.layers[l]) {
      const auto name =
          fmt::format("layers.{}{}", l, &direction == &rnn.layers[l].front() ? "" : ".reverse");
      model.set_parameter(name + ".weight_x", direction.weight_x);
      model.set_parameter(name + ".weight_h", direction.weight_h);
      model.set_parameter(name + ".bias", direction.bias);
    }
  }
  model.set_parameter("output.weight", head.weight);
  model.set_parameter("output.bias", head.bias);
  return model;
}

}  // namespace rwa::exports
