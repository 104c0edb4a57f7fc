#include "export/torch_module.h"

#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cells/traits.h"
#include "datasets/encoding.h"
#include "export/convolution.h"
#include "export/torch_formula.h"
#include "export/torch_text.h"
#include "io/replace_file.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

namespace fs = std::filesystem;

// -- The weights under the names and in the shapes of the module --

using Shape = std::vector<std::int64_t>;

// The parameters of one layer and direction, by pre-activation and unit.
class Direction {
 public:
  Direction(Cell cell, std::span<const Parameter> parameters)
      : cell_(cell_traits(cell)), parameters_(parameters) {}

  [[nodiscard]] const CellTraits& cell() const { return cell_; }
  [[nodiscard]] int units() const { return static_cast<int>(of_h().shape[1]); }
  [[nodiscard]] const Parameter& of_x() const { return parameters_[0]; }
  [[nodiscard]] const Parameter& of_h() const { return parameters_[1]; }
  [[nodiscard]] const Parameter& start() const { return parameters_[3]; }

  [[nodiscard]] std::span<const float> x_row(int preactivation, int unit) const {
    return row(of_x(), cell_.x, preactivation, unit);
  }
  [[nodiscard]] std::span<const float> h_row(int preactivation, int unit) const {
    return row(of_h(), cell_.h, preactivation, unit);
  }
  // Returns the biases of all units, zeros if the pre-activation has none.
  [[nodiscard]] std::vector<float> bias(int preactivation) const {
    const auto size = static_cast<std::size_t>(units());
    if (!cell_.bias.has(preactivation)) return std::vector<float>(size, 0.0F);
    const auto block = static_cast<std::size_t>(cell_.bias.before(preactivation));
    const auto values = parameters_[2].values.subspan(block * size, size);
    return {values.begin(), values.end()};
  }

 private:
  [[nodiscard]] std::span<const float> row(const Parameter& weight, const Terms& terms,
                                           int preactivation, int unit) const {
    if (!terms.has(preactivation)) return {};
    const auto columns = static_cast<std::size_t>(weight.shape[1]);
    const auto number = static_cast<std::size_t>(terms.before(preactivation) * units() + unit);
    return weight.values.subspan(number * columns, columns);
  }

  const CellTraits& cell_;
  std::span<const Parameter> parameters_;  // weight_x, weight_h, bias, optionally start
};

class Weights {
 public:
  [[nodiscard]] std::vector<io::Tensor> take() { return std::move(all_); }

  // Adds the weight of a torch.nn.Conv1d.
  void add_convolution(const Parameter& weight, int kernel) {
    const auto width = static_cast<int>(weight.shape[1]) / kernel;
    add(weight.name, {weight.shape[0], width, kernel},
        convolution_weight(weight.values, width, kernel));
  }

  void add(std::string name, Shape shape, std::span<const float> values) {
    all_.push_back({std::move(name), std::move(shape), {values.begin(), values.end()}});
  }

  // Adds the layer as torch.nn.LSTM or torch.nn.GRU, which have two biases per gate. rwa's bias
  // becomes bias_ih, or bias_hh if the pre-activation depends on h alone. `suffix` is "l0",
  // "l0_reverse", ….
  void add_of_torch(const std::string& name, const std::string& suffix, const Direction& from) {
    const CellTraits& cell = from.cell();
    std::vector<float> of_x, of_h;
    for (int p = 0; p < cell.preactivations(); ++p) {
      const std::vector<float> bias = from.bias(p);
      const std::vector<float> none(bias.size(), 0.0F);
      if (cell.x.has(p)) of_x.insert(of_x.end(), bias.begin(), bias.end());
      if (!cell.h.has(p)) continue;
      const auto& second = cell.x.has(p) ? none : bias;
      of_h.insert(of_h.end(), second.begin(), second.end());
    }
    add(fmt::format("{}.weight_ih_{}", name, suffix), from.of_x().shape, from.of_x().values);
    add(fmt::format("{}.weight_hh_{}", name, suffix), from.of_h().shape, from.of_h().values);
    add_vector(fmt::format("{}.bias_ih_{}", name, suffix), of_x);
    add_vector(fmt::format("{}.bias_hh_{}", name, suffix), of_h);
  }

  // Adds the layer as the module's class Layer.
  void add_of_ours(const std::string& name, const Direction& from) {
    if (from.cell().learned_start) add_vector(name + ".start", from.start().values);
    for (const LinearLayer& linear : linear_layers(from.cell())) {
      add_linear(fmt::format("{}.{}", name, linear.name), linear.preactivations, from);
    }
  }

 private:
  void add_vector(const std::string& name, std::span<const float> values) {
    add(name, {static_cast<std::int64_t>(values.size())}, values);
  }

  // A pre-activation that depends on neither x nor h is a constant vector.
  void add_linear(const std::string& name, const std::vector<int>& preactivations,
                  const Direction& from) {
    std::vector<float> weight, bias;
    for (const int p : preactivations) {
      for (int u = 0; u < from.units(); ++u) {
        for (const auto row : {from.x_row(p, u), from.h_row(p, u)}) {
          weight.insert(weight.end(), row.begin(), row.end());
        }
      }
      const std::vector<float> part = from.bias(p);
      bias.insert(bias.end(), part.begin(), part.end());
    }
    const auto rows = static_cast<std::int64_t>(bias.size());
    if (weight.empty()) return add_vector(name, bias);
    add(name + ".weight", {rows, static_cast<std::int64_t>(weight.size()) / rows}, weight);
    if (from.cell().bias.has(preactivations.front())) add_vector(name + ".bias", bias);
  }

  std::vector<io::Tensor> all_;
};

// Parses "layers.2.reverse." or "decoder.layers.0." and gives the layer's name in the module.
struct LayerName {
  bool in_decoder = false;
  bool reverse = false;
  std::string_view number;

  explicit LayerName(std::string_view name) {
    in_decoder = name.starts_with("decoder.");
    name.remove_prefix(name.find("layers.") + std::string_view("layers.").size());
    number = name.substr(0, name.find('.'));
    reverse = name.find(".reverse.") != std::string_view::npos;
  }
  [[nodiscard]] std::string of_torch() const { return in_decoder ? "decoder" : "rnn"; }
  [[nodiscard]] std::string suffix() const {
    return fmt::format("l{}{}", number, reverse ? "_reverse" : "");
  }
  [[nodiscard]] std::string of_ours() const {
    const char* list = in_decoder ? "decoder" : reverse ? "reverse_layers" : "layers";
    return fmt::format("{}.{}", list, number);
  }
};

// The tensors for the module's load_state_dict().
std::vector<io::Tensor> torch_weights(const Model& model) {
  const ModelConfig& config = model.config();
  const std::vector<Parameter> parameters = model.parameters();
  const std::size_t of_layer = cell_traits(config.cell).learned_start ? 4 : 3;
  auto kernel = config.stem.begin();
  Weights weights;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.name.find("layers.") != std::string::npos) {
      const Direction from(config.cell, std::span(parameters).subspan(i, of_layer));
      const LayerName name(parameter.name);
      if (is_of_torch(config)) {
        weights.add_of_torch(name.of_torch(), name.suffix(), from);
      } else {
        weights.add_of_ours(name.of_ours(), from);
      }
      i += of_layer - 1;
    } else if (parameter.name.starts_with("stem.") && parameter.name.ends_with(".weight")) {
      weights.add_convolution(parameter, *kernel++);
    } else if (parameter.name == "attention.weight") {
      weights.add(parameter.name, {1, parameter.shape[0]}, parameter.values);
    } else {
      const bool labels = parameter.name == "decoder.embedding.weight";
      weights.add(labels ? "labels.weight" : parameter.name, parameter.shape, parameter.values);
    }
  }
  return weights.take();
}

// -- The two files --

// Metadata that identifies the weights of a module; "pt" is the format of PyTorch's own files.
constexpr const char* kFormat = "pt";
constexpr const char* kWriterKey = "written_by";
constexpr const char* kWriter = "rwa export --torch";

bool is_of_a_module(const fs::path& weights) try {
  const io::TensorFile file = io::read_safetensors(weights);
  const auto writer = file.metadata.find(kWriterKey);
  return writer != file.metadata.end() && writer->second == kWriter;
} catch (const ModelFileError&) {
  return false;
}

// "rwa export model.safetensors --torch model.py" must not overwrite the model.
fs::path weights_beside(const fs::path& file) {
  if (file.extension() != ".py") {
    throw ConfigError(fmt::format("{}: expected a file name that ends in .py", file.string()));
  }
  fs::path weights = file;
  weights.replace_extension(".safetensors");
  std::error_code refused;  // an error is reported when the file is written
  if (fs::exists(weights, refused) && !is_of_a_module(weights)) {
    throw ConfigError(fmt::format(
        "{}: the weights would overwrite {}, which is not part of an exported module: use another "
        "name",
        file.string(), weights.string()));
  }
  return weights;
}

}  // namespace

void export_torch(const Model& model, const fs::path& file) {
  const fs::path weights_file = weights_beside(file);
  const auto data = datasets::find_encoding(model.notes(), model.config(), "the model");
  if (data) datasets::check_exportable(*data);
  const std::string text = torch_module_text(model.config(), data);
  const auto weights =
      io::format_safetensors({{{"format", kFormat}, {kWriterKey, kWriter}}, torch_weights(model)});
  io::Replacement new_weights(weights_file), new_text(file);
  new_weights.write(weights);
  new_text.write(std::as_bytes(std::span(text)));
  new_weights.finish();
  new_text.finish();
}

}  // namespace rwa::exports
