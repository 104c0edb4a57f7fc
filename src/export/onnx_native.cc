#include "export/onnx_native.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rwa::exports {
namespace {

using Blocks = std::vector<int>;  // of H rows

// Where the operator's gates stand among the cell's blocks. It has two biases for each gate, one
// with the product of x and one with that of h; -1: zeros.
struct Order {
  const char* op;
  Blocks weight_x, weight_h, bias;
};

// Ours: i, f, g, o. The operator's: i, o, f, g.
const Order& lstm() {
  static const Order order{"LSTM", {0, 3, 1, 2}, {0, 3, 1, 2}, {0, 3, 1, 2, -1, -1, -1, -1}};
  return order;
}

// Ours: r, z, n; of the biases r, z, that of n with h, that with x. The operator's: z, r, n.
const Order& gru() {
  static const Order order{"GRU", {1, 0, 2}, {1, 0, 2}, {1, 0, 3, -1, -1, 2}};
  return order;
}

std::vector<float> take(std::span<const float> values, const Blocks& blocks, std::size_t size) {
  std::vector<float> taken;
  for (const int block : blocks) {
    if (block < 0) {
      taken.insert(taken.end(), size, 0.0F);
    } else {
      const auto part = values.subspan(static_cast<std::size_t>(block) * size, size);
      taken.insert(taken.end(), part.begin(), part.end());
    }
  }
  return taken;
}

Attributes attributes_of(const RecurrentSpec& spec) {
  const bool is_lstm = spec.cell == Cell::kLstm;
  Attributes all = {attribute("hidden_size", spec.units),
                    attribute("direction", spec.reverse ? "reverse" : "forward")};
  if (!is_lstm) all.push_back(attribute("linear_before_reset", 1));
  if (spec.activation == Activation::kIdentity) {
    std::vector<std::string> names = {"Sigmoid"};
    if (is_lstm) names.emplace_back("Tanh");
    names.emplace_back("Affine");
    all.push_back(attribute("activations", names));
    all.push_back(attribute("activation_alpha", std::vector<float>{1}));
    all.push_back(attribute("activation_beta", std::vector<float>{0}));
  }
  return all;
}

}  // namespace

bool has_native(const RecurrentSpec& spec) {
  return !spec.symbols && (spec.cell == Cell::kLstm || spec.cell == Cell::kGru);
}

Value run_native(Graph& graph, const NamedLayer& layer, const Value& x, const Steps& steps,
                 bool every) {
  const RecurrentSpec& spec = layer.spec;
  const Order& order = spec.cell == Cell::kLstm ? lstm() : gru();
  const auto D = static_cast<std::size_t>(spec.inputs);
  const auto H = static_cast<std::size_t>(spec.units);
  const auto rows = static_cast<std::int64_t>(order.weight_x.size() * H);
  const auto of = [&](std::size_t begin) { return layer.parameters.subspan(begin); };
  const Value weight_x =
      graph.constant(layer.name + ".weight_x", take(of(spec.weight_x()), order.weight_x, H * D),
                     {1, rows, spec.inputs});
  const Value weight_h =
      graph.constant(layer.name + ".weight_h", take(of(spec.weight_h()), order.weight_h, H * H),
                     {1, rows, spec.units});
  const Value bias =
      graph.constant(layer.name + ".bias", take(of(spec.bias()), order.bias, H), {1, 2 * rows});
  const Value lengths =
      graph.add("Cast", {steps.lengths}, {attribute("to", onnx::TensorProto::INT32)});
  // [T,1,B,H] of every step, and [1,B,H] at the end: the 1 is that of one direction.
  const Value made = graph.fresh(order.op);
  graph.add_named(order.op, {x, weight_x, weight_h, bias, lengths},
                  every ? Values{made} : Values{"", made}, attributes_of(spec));
  return graph.add("Squeeze", {made, graph.integers({every ? 1 : 0})});
}

}  // namespace rwa::exports
