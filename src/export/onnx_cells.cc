#include "export/onnx_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace rwa::exports {
namespace {

// A formula that has not become nodes yet: only what is asked for does, and once.
struct Formula {
  std::string op = {};  // empty: a number, or a value that there is
  std::vector<std::shared_ptr<Formula>> of = {};
  float number = 0;
  Value value = {};
};

// What the cells ask of V. A comparison is one too.
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
// The error of 1 + x is made up for by that of what it is divided by (Kahan); ONNX has no such
// node.
V log1p(const V& x) {
  const V sum = V(1) + x;
  const V is_lost = sum == V(1);
  return select(is_lost, x, V::make("Log", sum) * x / select(is_lost, V(1), sum - V(1)));
}
// One node instead of the cells' own, which is safe too.
V sigmoid(const V& x) { return V::make("Sigmoid", x); }

#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL

}  // namespace

Values add_cell(Graph& graph, const RecurrentSpec& spec, const Values& preactivations,
                const Values& state) {
  return visit_cell(spec.cell, spec.activation, [&]<class C>() {
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

std::vector<float> start_of(const RecurrentSpec& spec, std::span<const float> parameters) {
  return visit_cell(spec.cell, spec.activation, [&]<class C>() {
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

}  // namespace rwa::exports
