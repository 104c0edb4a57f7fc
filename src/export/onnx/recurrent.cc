#include "export/onnx/recurrent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace rwa::exports {
namespace {

// -- The formulas of src/cells, evaluated on names of values instead of numbers --

namespace formulas {
// A lazy formula: it becomes nodes when it is used, and only once.
struct Formula {
  std::string op = {};  // empty: a number or an existing value
  std::vector<std::shared_ptr<Formula>> of = {};
  float number = 0;
  Value value = {};
};

// The vector type of src/cells, here a formula. Comparisons return it too.
class V {
 public:
  V() = default;
  explicit V(float number) : V(Formula{.number = number}) {}
  explicit V(const Value& value) : V(Formula{.value = value}) {}
  template <class... Operands>
  static V make(const char* op, const Operands&... operands) {
    return V(Formula{.op = op, .of = {operands.formula_...}});
  }

  [[nodiscard]] Value in(Graph& graph) const { return add(graph, *formula_); }

 private:
  explicit V(Formula formula) : formula_(std::make_shared<Formula>(std::move(formula))) {}

  static Value add(Graph& graph, Formula& formula) {
    if (!formula.value.empty()) return formula.value;
    if (formula.op.empty()) return formula.value = graph.number(formula.number);
    Values operands;
    for (const auto& operand : formula.of) operands.push_back(add(graph, *operand));
    return formula.value = graph.add(formula.op, operands);
  }

  std::shared_ptr<Formula> formula_;
};

V operator+(const V& a, const V& b) { return V::make("Add", a, b); }
V operator-(const V& a, const V& b) { return V::make("Sub", a, b); }
V operator*(const V& a, const V& b) { return V::make("Mul", a, b); }
V operator/(const V& a, const V& b) { return V::make("Div", a, b); }
V operator-(const V& a) { return V::make("Neg", a); }
V operator>(const V& a, const V& b) { return V::make("Greater", a, b); }
V operator>=(const V& a, const V& b) { return V::make("GreaterOrEqual", a, b); }
V operator==(const V& a, const V& b) { return V::make("Equal", a, b); }
V tanh(const V& x) { return V::make("Tanh", x); }
V exp(const V& x) { return V::make("Exp", x); }
V abs(const V& x) { return V::make("Abs", x); }
V select(const V& mask, const V& yes, const V& no) { return V::make("Where", mask, yes, no); }
// ONNX has no Log1p. The division cancels the rounding error of 1 + x (Kahan).
V log1p(const V& x) {
  const V sum = V(1) + x;
  const V is_lost = sum == V(1);
  return select(is_lost, x, V::make("Log", sum) * x / select(is_lost, V(1), sum - V(1)));
}
// A single node, also free of overflow, instead of the cells' own formula.
V sigmoid(const V& x) { return V::make("Sigmoid", x); }

#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL
}  // namespace formulas

// Runs one step: takes the pre-activations in the cell's order and the state (h and the parts that
// the cell carries), all [B,H], and returns the next state.
Values add_cell(Graph& graph, const RecurrentSpec& spec, const Values& preactivations,
                const Values& state) {
  using formulas::V;
  return formulas::visit_cell(spec.cell, spec.activation, [&]<class C>() {
    std::array<V, C::kGates + C::kInputs> pre;
    std::array<V, C::kState> carried;
    std::array<V, C::kSaved> saved;
    std::ranges::transform(preactivations, pre.begin(),
                           [](const Value& value) { return V(value); });
    std::transform(state.begin() + 1, state.end(), carried.begin(),
                   [](const Value& value) { return V(value); });
    Values next{C::forward(pre.data(), carried.data(), saved.data()).in(graph)};
    for (const V& number : carried) next.push_back(number.in(graph));
    return next;
  });
}

// The state before the first step, [1 + state, H]. The logarithm of 0 is the lowest float instead
// of minus infinity, which JSON cannot store; both vanish with the first step.
std::vector<float> start_of(const RecurrentSpec& spec, std::span<const float> parameters) {
  return formulas::visit_cell(spec.cell, spec.activation, [&]<class C>() {
    const auto units = static_cast<std::size_t>(spec.units);
    std::vector<float> start(units, 0.0F);
    if constexpr (C::kLearnedStart) {
      std::ranges::copy(parameters.subspan(spec.start(), units), start.begin());
      if (spec.activation == Activation::kTanh) {
        std::ranges::transform(start, start.begin(), [](float s) { return std::tanh(s); });
      }
    }
    for (const float number : C::kInitialState) {
      start.insert(start.end(), units, std::max(number, std::numeric_limits<float>::lowest()));
    }
    return start;
  });
}

// -- LSTM and GRU as ONNX operators, which are faster than a loop --

using Blocks = std::vector<int>;  // of H rows

// The cell's block for each gate of the operator. The operator has two biases per gate, one added
// to the product with x and one to the product with h; -1: zeros.
struct Order {
  const char* op;
  Blocks weight_x, weight_h, bias;
};

// rwa has i, f, g, o; the operator has i, o, f, g.
const Order& lstm() {
  static const Order order{"LSTM", {0, 3, 1, 2}, {0, 3, 1, 2}, {0, 3, 1, 2, -1, -1, -1, -1}};
  return order;
}

// rwa has r, z, n, and the biases r, z, n with h, n with x; the operator has z, r, n.
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

// The operators take numbers, not symbols.
bool has_native(const RecurrentSpec& spec) {
  return !spec.symbols && (spec.cell == Cell::kLstm || spec.cell == Cell::kGru);
}

// Like run_layer().
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
  // [T,1,B,H] for every step, or [1,B,H] for the last; the 1 is the number of directions.
  const Value made = graph.fresh(order.op);
  graph.add_named(order.op, {x, weight_x, weight_h, bias, lengths},
                  every ? Values{made} : Values{"", made}, attributes_of(spec));
  return graph.add("Squeeze", {made, graph.integers({every ? 1 : 0})});
}

std::span<const float> block(std::span<const float> values, int number, std::size_t size) {
  return values.subspan(static_cast<std::size_t>(number) * size, size);
}
}  // namespace

RecurrentNodes::RecurrentNodes(Graph& graph, const NamedLayer& layer)
    : spec_(layer.spec), name_(layer.name), start_(start_of(layer.spec, layer.parameters)) {
  const CellTraits& cell = spec_.traits();
  const int H = spec_.units;
  const auto& all = layer.parameters;
  weight_x_ = add_weight(graph, name_ + ".weight_x", all.subspan(spec_.weight_x()),
                         cell.x.count() * H, spec_.inputs);
  weight_h_ =
      add_weight(graph, name_ + ".weight_h", all.subspan(spec_.weight_h()), cell.h.count() * H, H);
  std::vector<float> of_x(static_cast<std::size_t>(cell.x.count()) * units(), 0.0F);
  biases_.resize(static_cast<std::size_t>(cell.preactivations()));
  for (int p = 0; p < cell.preactivations(); ++p) {
    if (!cell.bias.has(p)) continue;
    const auto bias = block(all.subspan(spec_.bias()), cell.bias.before(p), units());
    if (cell.x.has(p)) {
      std::ranges::copy(bias, of_x.begin() + cell.x.before(p) * H);
    } else {
      biases_[static_cast<std::size_t>(p)] =
          graph.constant(fmt::format("{}.bias.{}", name_, p), bias, {H});
    }
  }
  bias_x_ = graph.constant(name_ + ".bias", of_x, {cell.x.count() * H});
}

Value RecurrentNodes::seen(Graph& graph, const Value& x) const {
  // The product with a one-hot symbol is a row of the weights.
  const Value product =
      spec_.symbols ? graph.add("Gather", {weight_x_, x}) : graph.add("MatMul", {x, weight_x_});
  return graph.add("Add", {product, bias_x_});
}

Values RecurrentNodes::step_from(Graph& graph, const Value& seen, const Values& state) const {
  const CellTraits& cell = spec_.traits();
  const Values of_x = split(graph, seen, static_cast<std::size_t>(cell.x.count()));
  const Values of_h = split(graph, graph.add("MatMul", {state.front(), weight_h_}),
                            static_cast<std::size_t>(cell.h.count()));
  Values preactivations = biases_;
  const auto add = [&](Value& sum, const Value& part) {
    sum = sum.empty() ? part : graph.add("Add", {sum, part});
  };
  for (int p = 0; p < cell.preactivations(); ++p) {
    Value& sum = preactivations[static_cast<std::size_t>(p)];
    if (cell.x.has(p)) add(sum, of_x[static_cast<std::size_t>(cell.x.before(p))]);
    if (cell.h.has(p)) add(sum, of_h[static_cast<std::size_t>(cell.h.before(p))]);
  }
  return add_cell(graph, spec_, preactivations, state);
}

Values RecurrentNodes::step(Graph& graph, const Value& x, const Values& state) const {
  return step_from(graph, seen(graph, x), state);
}

// One step of the loop. Past its end a sequence keeps its state, so that the reverse direction
// starts at the last step.
Graph RecurrentNodes::body(const Graph& outer, bool every) const {
  Graph body = outer.body();
  const Shape shape = {"B", spec_.units};
  Values state;
  for (std::size_t i = 0; i < state_blocks(); ++i) {
    state.push_back(body.input(body.fresh("state"), Type::kFloat, shape));
  }
  const int width = spec_.traits().x.count() * spec_.units;
  const Value seen = body.input(body.fresh("seen"), Type::kFloat, {"B", width});
  const Value is_there = body.input(body.fresh("mask"), Type::kTruth, {"B", 1});
  Values next = step_from(body, seen, state);
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] = body.add("Where", {is_there, next[i], state[i]});
    body.output(next[i], Type::kFloat, shape);
  }
  if (every) body.output(body.add("Identity", {next.front()}), Type::kFloat, shape);
  return body;
}

Value RecurrentNodes::run(Graph& graph, const Value& x, const Steps& steps, bool every) const {
  Values inputs = split(graph, add_start(graph, name_, start_, steps.batch), state_blocks());
  inputs.insert(inputs.end(), {seen(graph, x), steps.mask});
  using Numbers = std::vector<std::int64_t>;
  const std::int64_t way = spec_.reverse ? 1 : 0;
  Attributes attributes = {attribute("body", body(graph, every)), attribute("num_scan_inputs", 2),
                           attribute("scan_input_directions", Numbers{way, way})};
  if (every) attributes.push_back(attribute("scan_output_directions", Numbers{way}));
  const Values made =
      graph.add_many("Scan", inputs, state_blocks() + (every ? 1 : 0), std::move(attributes));
  return every ? made.back() : made.front();
}

Value run_layer(Graph& graph, const NamedLayer& layer, const Value& x, const Steps& steps,
                bool every) {
  if (has_native(layer.spec)) return run_native(graph, layer, x, steps, every);
  return RecurrentNodes(graph, layer).run(graph, x, steps, every);
}

Value add_start(Graph& graph, const std::string& name, const std::vector<float>& start,
                const Value& batch) {
  const auto size = static_cast<std::int64_t>(start.size());
  const Value one = graph.constant(name + ".start", start, {1, size});
  const Value shape = graph.add("Concat", {batch, graph.integers({1})}, {attribute("axis", 0)});
  return graph.add("Expand", {one, shape});
}

}  // namespace rwa::exports
