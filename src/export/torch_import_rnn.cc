#include "export/torch_import_rnn.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "io/quote.h"

namespace rwa::exports {
namespace {

constexpr std::string_view kFirst = "weight_ih_l0";
constexpr int kMostLayers = 1000;  // far beyond any use

// With the dot that ends it.
std::string dotted(const std::string& prefix) { return prefix.empty() ? "" : prefix + "."; }

// The number of the layer that a tensor is of, of a recurrence with that dotted prefix.
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

// Of 4 blocks of H rows an LSTM, of 3 a GRU.
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
    tensors.fail("tensor {} projects the units' outputs (proj_size), expected an LSTM without that",
                 io::quote(projection->name));
  }
  const io::Tensor& recurrent = matrix(prefix + "weight_hh_l0");
  const std::int64_t rows = recurrent.shape[0], units = recurrent.shape[1];
  if (rows != 4 * units && rows != 3 * units) {
    tensors.fail("tensor {} has shape {}, {}expected 4 rows for each column (LSTM) or 3 (GRU)",
                 io::quote(recurrent.name), shape_text(recurrent),
                 rows == units ? "that of a torch.nn.RNN, " : "");
  }
  rnn.cell = rows == 4 * units ? Cell::kLstm : Cell::kGru;
  rnn.units = static_cast<int>(units);
  rnn.inputs = static_cast<int>(matrix(prefix + std::string(kFirst)).shape[1]);
}

// PyTorch has two biases of each gate and adds them. In a GRU's candidate the second stands inside
// the reset gate, as ours does: r, z, the inner one, the outer one.
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

// `suffix` is "l0", "l1_reverse", …; gates are in the order of ours.
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

}  // namespace

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

}  // namespace rwa::exports
