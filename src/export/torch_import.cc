#include "export/torch_import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/quote.h"
#include "io/safetensors.h"
#include "model/model_file.h"
#include "model/network_spec.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

// -- The file --

// The tensors of the file; keeps track of those that the model uses.
class Tensors {
 public:
  // Throws like io::read_safetensors(), and ModelFileError if the file is a model of rwa already.
  explicit Tensors(const std::filesystem::path& file);

  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] const std::vector<io::Tensor>& all() const { return file_.tensors; }
  // Returns null if there is no such tensor.
  [[nodiscard]] const io::Tensor* find(std::string_view name) const;
  // Like find(), and marks the tensor as used.
  const io::Tensor* take(std::string_view name);
  [[nodiscard]] bool is_taken(std::string_view name) const { return taken_.contains(name); }
  // Like take(); throws ModelFileError unless the tensor exists and has this shape.
  const io::Tensor& take(const std::string& name, const std::vector<std::int64_t>& shape);
  void expect_shape(const io::Tensor& tensor, const std::vector<std::int64_t>& shape) const;

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(
        fmt::format("{}: {}", origin_, fmt::format(text, std::forward<Args>(args)...)));
  }

 private:
  std::string origin_;
  io::TensorFile file_;
  std::set<std::string_view> taken_;  // into file_
};

// "[12, 3]"
std::string shape_text(const io::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

// The first few names, for a message.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> first;
  for (const std::string& name : names) {
    if (first.size() < kMost) first.push_back(io::escape(name));
  }
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > kMost ? ", ..." : "");
}

Tensors::Tensors(const std::filesystem::path& file)
    : origin_(file.string()), file_(io::read_safetensors(file, io::Accept::kAnyFloat)) {
  const auto format = file_.metadata.find("format");
  if (format != file_.metadata.end() && format->second == kModelFormat) {
    fail("is already a model of rwa, expected weights of PyTorch");
  }
}

const io::Tensor* Tensors::find(std::string_view name) const {
  const auto found = std::ranges::find(file_.tensors, name, &io::Tensor::name);
  return found == file_.tensors.end() ? nullptr : &*found;
}

const io::Tensor* Tensors::take(std::string_view name) {
  const io::Tensor* tensor = find(name);
  if (tensor != nullptr) taken_.insert(tensor->name);
  return tensor;
}

const io::Tensor& Tensors::take(const std::string& name, const std::vector<std::int64_t>& shape) {
  const io::Tensor* tensor = take(name);
  if (tensor == nullptr) {
    fail("has no tensor {}, expected one of shape [{}]", io::quote(name), fmt::join(shape, ", "));
  }
  expect_shape(*tensor, shape);
  return *tensor;
}

void Tensors::expect_shape(const io::Tensor& tensor, const std::vector<std::int64_t>& shape) const {
  if (tensor.shape == shape) return;
  fail("tensor {} has shape {}, expected [{}]", io::quote(tensor.name), shape_text(tensor),
       fmt::join(shape, ", "));
}

// -- Recurrent layers, converted to rwa's layout --

// Parameters of one layer and direction in rwa's layout.
struct Direction {
  std::vector<float> weight_x, weight_h, bias;
};

struct Rnn {
  Cell cell = Cell::kLstm;
  int inputs = 0, units = 0;
  std::vector<std::vector<Direction>> layers = {};  // forward and, if bidirectional, reverse

  [[nodiscard]] bool is_bidirectional() const { return layers.front().size() == 2; }
  [[nodiscard]] int width() const { return units * static_cast<int>(layers.front().size()); }
};

constexpr std::string_view kFirst = "weight_ih_l0";

// Appends a dot unless the prefix is empty.
std::string dotted(const std::string& prefix) { return prefix.empty() ? "" : prefix + "."; }

// Returns the layer that a tensor of the RNN with this dotted prefix belongs to.
std::optional<int> layer_of(std::string_view name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  for (const std::string_view kind :
       {"weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l", "weight_hr_l"}) {
    int layer = 0;
    if (!name.starts_with(kind)) continue;
    name.remove_prefix(kind.size());
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
    const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
    const bool is_number = error == std::errc{} && layer >= 0 && layer <= kMostLayers;
    if (is_number && (rest.empty() || rest == "_reverse")) return layer;
  }
  return std::nullopt;
}

// Tells an LSTM (4 blocks of H rows) from a GRU (3 blocks).
void read_kind(const Tensors& tensors, const std::string& prefix, Rnn& rnn) {
  const auto matrix = [&](const std::string& name) -> const io::Tensor& {
    const io::Tensor* tensor = tensors.find(name);
    if (tensor == nullptr) tensors.fail("has no tensor {}, expected one", io::quote(name));
    if (tensor->shape.size() != 2) {
      tensors.fail("tensor {} has shape {}, expected 2 dimensions", io::quote(name),
                   shape_text(*tensor));
    }
    return *tensor;
  };
  if (const io::Tensor* projection = tensors.find(prefix + "weight_hr_l0")) {
    tensors.fail("tensor {} is a projection (proj_size), expected an LSTM without projections",
                 io::quote(projection->name));
  }
  const io::Tensor& recurrent = matrix(prefix + "weight_hh_l0");
  const std::int64_t rows = recurrent.shape[0], units = recurrent.shape[1];
  if (rows != 4 * units && rows != 3 * units) {
    tensors.fail("tensor {} has shape {}{}, expected 4 rows per column (LSTM) or 3 (GRU)",
                 io::quote(recurrent.name), shape_text(recurrent),
                 rows == units ? " like a torch.nn.RNN" : "");
  }
  rnn.cell = rows == 4 * units ? Cell::kLstm : Cell::kGru;
  rnn.units = static_cast<int>(units);
  rnn.inputs = static_cast<int>(matrix(prefix + std::string(kFirst)).shape[1]);
}

// PyTorch has two biases per gate and adds them, except in the candidate of a GRU, where the second
// one is inside the reset gate. rwa's order for a GRU: r, z, inner bias, outer bias.
std::vector<float> joined(Cell cell, std::span<const float> of_x, std::span<const float> of_h) {
  std::vector<float> sum(of_x.begin(), of_x.end());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += of_h[i];
  if (cell == Cell::kLstm) return sum;
  const auto candidate = static_cast<std::ptrdiff_t>(sum.size() / 3 * 2);
  sum.resize(static_cast<std::size_t>(candidate));
  sum.insert(sum.end(), of_h.begin() + candidate, of_h.end());
  sum.insert(sum.end(), of_x.begin() + candidate, of_x.end());
  return sum;
}

// `suffix` is "l0", "l1_reverse", …. PyTorch and rwa have the gates in the same order.
Direction read_direction(Tensors& tensors, const std::string& prefix, const std::string& suffix,
                         const Rnn& rnn, int inputs) {
  const std::int64_t rows = rnn.units * (rnn.cell == Cell::kLstm ? 4 : 3);
  const std::vector<float> none(static_cast<std::size_t>(rows), 0.0F);
  const auto bias = [&](const std::string& name, const std::string& other) {
    const bool has_none = tensors.find(name) == nullptr && tensors.find(other) == nullptr;
    return has_none ? std::span<const float>(none) : tensors.take(name, {rows}).values;
  };
  const std::string bias_x = prefix + "bias_ih_" + suffix, bias_h = prefix + "bias_hh_" + suffix;
  return {tensors.take(prefix + "weight_ih_" + suffix, {rows, inputs}).values,
          tensors.take(prefix + "weight_hh_" + suffix, {rows, rnn.units}).values,
          joined(rnn.cell, bias(bias_x, bias_h), bias(bias_h, bias_x))};
}

// Returns the prefixes of all tensors *.weight_ih_l0; the prefix of a plain weight_ih_l0 is empty.
std::vector<std::string> rnn_prefixes(const Tensors& tensors) {
  std::vector<std::string> prefixes;
  for (const io::Tensor& tensor : tensors.all()) {
    const std::string& name = tensor.name;
    if (name == kFirst) prefixes.emplace_back();
    if (name.ends_with("." + std::string(kFirst))) {
      prefixes.push_back(name.substr(0, name.size() - kFirst.size() - 1));
    }
  }
  return prefixes;
}

// Reads the RNN with this prefix. Marks the tensors of all other RNNs as used: they are ignored.
Rnn read_rnn(Tensors& tensors, const std::string& prefix) {
  const std::string own = dotted(prefix);
  const std::vector<std::string> prefixes = rnn_prefixes(tensors);
  int layers = 0;
  for (const io::Tensor& tensor : tensors.all()) {
    layers = std::max(layers, layer_of(tensor.name, own).value_or(0) + 1);
    for (const std::string& other : prefixes) {
      if (other != prefix && layer_of(tensor.name, dotted(other))) tensors.take(tensor.name);
    }
  }
  Rnn rnn;
  read_kind(tensors, own, rnn);
  const bool both = tensors.find(own + "weight_ih_l0_reverse") != nullptr;
  for (int l = 0; l < layers; ++l) {
    const int inputs = l == 0 ? rnn.inputs : rnn.width();
    auto& directions = rnn.layers.emplace_back();
    for (const char* way : {"", "_reverse"}) {
      if (*way != '\0' && !both) continue;
      directions.push_back(read_direction(tensors, own, fmt::format("l{}{}", l, way), rnn, inputs));
    }
  }
  return rnn;
}

// -- Embedding and output layer --

constexpr std::string_view kWeight = ".weight", kBias = ".bias";

// Accepts "lstm." for "lstm".
std::optional<std::string> without_dot(std::optional<std::string> prefix) {
  if (prefix && prefix->ends_with('.')) prefix->pop_back();
  return prefix;
}

// Returns the name that the option gives, or else the only one. Nothing if none fits.
std::optional<std::string> choose(const std::optional<std::string>& wanted,
                                  const std::vector<std::string>& fitting, std::string_view what,
                                  std::string_view option, const Tensors& tensors) {
  if (wanted) {
    if (std::ranges::find(fitting, *wanted) != fitting.end()) return wanted;
    throw ConfigError(fmt::format(
        "{}: the option {} is {}, expected {}{}", tensors.origin(), option, io::quote(*wanted),
        what, fitting.empty() ? ", but there is none" : ": " + list_of(fitting)));
  }
  if (fitting.size() > 1) {
    throw ConfigError(
        fmt::format("{}: found {} candidates for {}, expected the option {} to name one of: {}",
                    tensors.origin(), fitting.size(), what, option, list_of(fitting)));
  }
  return fitting.empty() ? std::nullopt : std::optional(fitting.front());
}

// Names, without ".weight", of the embeddings and linear layers with this many columns.
std::vector<std::string> with_columns(const Tensors& tensors, int columns) {
  std::vector<std::string> names;
  for (const io::Tensor& tensor : tensors.all()) {
    const bool fits = tensor.shape.size() == 2 && tensor.shape[1] == columns;
    if (!fits || !tensor.name.ends_with(kWeight)) continue;
    names.push_back(tensor.name.substr(0, tensor.name.size() - kWeight.size()));
  }
  return names;
}

// Looks at the last part of the name: "encoder.embed", "emb", "Embedding".
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
  const auto what = fmt::format("an embedding with embedding_dim = {}", inputs);
  const auto name = choose(options.embedding, fitting, what, "embedding", tensors);
  for (const std::string& other : fitting) tensors.take(other + std::string(kWeight));
  return name ? tensors.find(*name + std::string(kWeight)) : nullptr;
}

struct Head {
  std::vector<float> weight, bias;

  [[nodiscard]] int outputs() const { return static_cast<int>(bias.size()); }
};

// A head that passes the hidden state through.
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
  const auto what = fmt::format("a linear layer with in_features = {}", width);
  const auto name =
      options.no_head ? std::nullopt : choose(options.head, fitting, what, "head", tensors);
  if (!name && !options.no_head) {
    tensors.fail(
        "has no linear layer on top of the RNN, expected a *.weight of shape [outputs, {}]; with "
        "the option no_head the hidden state is the output",
        width);
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

// Throws if the file has tensors that the model cannot represent.
void refuse_the_rest(const Tensors& tensors) {
  for (const io::Tensor& tensor : tensors.all()) {
    if (tensors.is_taken(tensor.name)) continue;
    tensors.fail(
        "tensor {} {} has no place in the model, expected the weights of an LSTM or GRU, one "
        "linear "
        "layer on top, and at most an embedding below",
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
          .readout = options.readout.value_or(Readout::kLast),
          .outputs = head.outputs(),
          .loss = options.loss.value_or(Loss::kSoftmax)};
}

ImportOptions checked(ImportOptions options) {
  if (options.no_head && options.head) {
    throw ConfigError("the options head and no_head are both given, expected at most one");
  }
  if (options.readout == Readout::kAttention) {
    throw ConfigError(
        "readout is attention, expected last, every or mean: torch.nn has no such attention");
  }
  for (auto* prefix : {&options.rnn, &options.head, &options.embedding}) {
    *prefix = without_dot(*prefix);
  }
  return options;
}

// torch.save() writes a zip archive.
void refuse_pickles(const std::filesystem::path& file) {
  std::array<char, 4> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) != "PK\x03\x04") return;
  throw ModelFileError(
      fmt::format("{}: is an archive of torch.save(), expected a safetensors file: write one with "
                  "safetensors.torch.save_file(network.state_dict(), \"{}.safetensors\")",
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
