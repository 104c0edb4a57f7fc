#include "export/torch_formula.h"

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rwa::exports {
namespace {

// Operator precedence, lowest first.
enum class Binding { kComparison, kSum, kProduct, kSign, kAtom };

// A node of the formula; `text` has a {} for each operand.
struct Expression {
  std::string text;
  Binding binding = Binding::kAtom;
  std::vector<std::shared_ptr<Expression>> operands = {};
};

namespace formulas {

// The vector type of src/cells, here an expression.
class V {
 public:
  V() = default;
  explicit V(float number) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    *this = V(std::move(text));
  }
  explicit V(std::string name) : node_(std::make_shared<Expression>(Expression{std::move(name)})) {}
  template <class... Operands>
  static V make(Binding binding, std::string_view text, const Operands&... operands) {
    V made{std::string(text)};
    made.node_->binding = binding;
    made.node_->operands = {operands.node_...};
    return made;
  }

  [[nodiscard]] const std::shared_ptr<Expression>& node() const { return node_; }

 private:
  std::shared_ptr<Expression> node_;
};

V call(std::string_view function, const V& x) {
  return V::make(Binding::kAtom, fmt::format("torch.{}({{}})", function), x);
}
V operator+(const V& a, const V& b) { return V::make(Binding::kSum, "{} + {}", a, b); }
V operator-(const V& a, const V& b) { return V::make(Binding::kSum, "{} - {}", a, b); }
V operator*(const V& a, const V& b) { return V::make(Binding::kProduct, "{} * {}", a, b); }
V operator/(const V& a, const V& b) { return V::make(Binding::kProduct, "{} / {}", a, b); }
V operator-(const V& a) { return V::make(Binding::kSign, "-{}", a); }
V operator>(const V& a, const V& b) { return V::make(Binding::kComparison, "{} > {}", a, b); }
V operator>=(const V& a, const V& b) { return V::make(Binding::kComparison, "{} >= {}", a, b); }
V tanh(const V& x) { return call("tanh", x); }
V exp(const V& x) { return call("exp", x); }
V abs(const V& x) { return call("abs", x); }
V log1p(const V& x) { return call("log1p", x); }
// A single PyTorch function, also free of overflow, instead of the cells' own formula.
V sigmoid(const V& x) { return call("sigmoid", x); }
V select(const V& mask, const V& yes, const V& no) {
  return V::make(Binding::kAtom, "torch.where({}, {}, {})", mask, yes, no);
}

#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL

}  // namespace formulas

// Writes expressions as lines of Python. Shared or long expressions become variables.
class Lines {
 public:
  void add(const std::string& line) { lines_.push_back("        " + line); }
  [[nodiscard]] std::string joined() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

  void count_uses(const Expression& root) {
    if (++uses_[&root] > 1) return;
    for (const auto& operand : root.operands) count_uses(*operand);
  }

  // Returns the text to use in place of the expression: its code or its variable.
  std::string text_of(const Expression& expression) { return written(expression).text; }

 private:
  static constexpr std::size_t kLong = 60;

  struct Written {
    std::string text;
    Binding binding;
  };

  const Written& written(const Expression& expression) {
    if (const auto known = written_.find(&expression); known != written_.end()) {
      return known->second;
    }
    std::vector<std::string> operands;
    for (const auto& operand : expression.operands) {
      const Written& made = written(*operand);
      // The right operand of a difference or quotient needs brackets at equal precedence.
      const bool looser = made.binding < expression.binding ||
                          (made.binding == expression.binding && !operands.empty());
      const bool brackets = expression.binding != Binding::kAtom && looser;
      operands.push_back(brackets ? fmt::format("({})", made.text) : made.text);
    }
    Written made{filled(expression.text, operands), expression.binding};
    const bool is_shared = uses_[&expression] > 1;
    if (!operands.empty() && (is_shared || made.text.size() > kLong)) {
      std::string name = fmt::format("v{}", ++variables_);
      add(fmt::format("{} = {}", name, made.text));
      made = {std::move(name), Binding::kAtom};
    }
    return written_.emplace(&expression, std::move(made)).first->second;
  }

  static std::string filled(std::string_view text, const std::vector<std::string>& operands) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}")) {
      out += text.substr(0, at);
      out += operands[next++];
      text.remove_prefix(at + 2);
    }
    return out += text;
  }

  std::vector<std::string> lines_;
  std::map<const Expression*, int> uses_;
  std::map<const Expression*, Written> written_;
  int variables_ = 0;
};

// Variables of the state: h and the other parts that the cell carries.
std::vector<std::string> state_names(const CellTraits& cell) {
  std::vector<std::string> names = {"h"};
  if (!cell.state_is_output) {
    names.insert(names.end(), cell.state_names.begin(), cell.state_names.end());
  }
  return names;
}

std::string init_text(const CellTraits& cell, bool is_frozen) {
  Lines lines;
  lines.add("self.units = units");
  if (cell.learned_start) lines.add("self.start = torch.nn.Parameter(torch.zeros(units))");
  for (const LinearLayer& layer : linear_layers(cell)) {
    const int p = layer.preactivations.front();
    if (!cell.x.has(p) && !cell.h.has(p)) {
      lines.add(fmt::format("self.{} = torch.nn.Parameter(torch.zeros(units){})", layer.name,
                            is_frozen ? ", requires_grad=False" : ""));
      continue;
    }
    lines.add(fmt::format("self.{} = torch.nn.Linear({}, units{})", layer.name,
                          !cell.h.has(p)   ? "inputs"
                          : !cell.x.has(p) ? "units"
                                           : "inputs + units",
                          cell.bias.has(p) ? "" : ", bias=False"));
  }
  return lines.joined();
}

std::string begin_text(const CellTraits& cell, Activation activation,
                       std::span<const float> initial_state) {
  Lines lines;
  const bool tanh = activation == Activation::kTanh;
  const auto names = state_names(cell);
  lines.add(fmt::format("\"\"\"Return the initial state, [B,units] each: {}.\"\"\"",
                        fmt::join(names, ", ")));
  lines.add(!cell.learned_start ? "h = next(self.parameters()).new_zeros(batch, self.units)"
            : tanh              ? "h = torch.tanh(self.start).expand(batch, -1)"
                                : "h = self.start.expand(batch, -1)");
  std::vector<std::string> state = {"h"};
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const float value = initial_state[i];
    state.push_back(std::isinf(value)
                        ? fmt::format("torch.full_like(h, {}torch.inf)", value < 0 ? "-" : "")
                        : fmt::format("torch.full_like(h, {})", value));
  }
  lines.add(fmt::format("return [{}]", fmt::join(state, ", ")));
  return lines.joined();
}

// Computes the pre-activations, each in a variable named after its letter.
void add_preactivations(const CellTraits& cell, Lines& lines) {
  const auto names = state_names(cell);
  lines.add(names.size() == 1 ? "(h,) = state" : fmt::format("{} = state", fmt::join(names, ", ")));
  bool sees_both = false;
  for (int p = 0; p < cell.preactivations(); ++p) sees_both |= cell.x.has(p) && cell.h.has(p);
  if (sees_both) lines.add("both = torch.cat([x, h], dim=1)");
  for (const LinearLayer& layer : linear_layers(cell)) {
    const int p = layer.preactivations.front();
    const bool x = cell.x.has(p), h = cell.h.has(p);
    const char* seen = x && h ? "(both)" : x ? "(x)" : h ? "(h)" : "";
    lines.add(fmt::format("{} = self.{}{}", layer.name, layer.name, seen));
  }
}

template <class C>
std::string step_text(const CellTraits& cell) {
  using formulas::V;
  std::array<V, C::kGates + C::kInputs> pre;
  std::array<V, C::kState> state;
  std::array<V, C::kSaved> saved;
  for (std::size_t p = 0; p < pre.size(); ++p) pre[p] = V(std::string(1, C::kLetters[p]));
  for (std::size_t s = 0; s < state.size(); ++s) state[s] = V(std::string(C::kStateNames[s]));
  std::vector<V> after = {C::forward(pre.data(), state.data(), saved.data())};
  if (!C::kCarriesOutput) after.insert(after.end(), state.begin(), state.end());
  Lines lines;
  add_preactivations(cell, lines);
  for (const V& number : after) lines.count_uses(*number.node());
  std::vector<std::string> texts;
  for (const V& number : after) texts.push_back(lines.text_of(*number.node()));
  lines.add(fmt::format("return [{}]", fmt::join(texts, ", ")));
  return lines.joined();
}

}  // namespace

std::vector<LinearLayer> linear_layers(const CellTraits& cell) {
  std::vector<LinearLayer> layers;
  for (int p = 0; p < cell.preactivations(); ++p) {
    const auto i = static_cast<std::size_t>(p);
    std::string name(cell.torch_layers.empty() ? std::string(1, cell.letters[i])
                                               : cell.torch_layers[i]);
    if (layers.empty() || layers.back().name != name) layers.push_back({std::move(name), {}});
    layers.back().preactivations.push_back(p);
  }
  return layers;
}

LayerText layer_text(const ModelConfig& config) {
  return formulas::visit_cell(config.cell, config.activation, [&]<class C>() -> LayerText {
    const CellTraits& cell = cell_traits(config.cell);
    return {.init = init_text(cell, !config.learned_decay),
            .begin = begin_text(cell, config.activation, C::kInitialState),
            .step = step_text<C>(cell)};
  });
}

}  // namespace rwa::exports
