#include "export/onnx_recurrent.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "export/onnx_cells.h"

namespace rwa::exports {
namespace {
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
  // A symbol stands for a one-hot row, whose product is a row of the weights.
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

// One step of the loop. Past its length a sequence keeps its state; the reverse way begins there.
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

Value add_start(Graph& graph, const std::string& name, const std::vector<float>& start,
                const Value& batch) {
  const auto size = static_cast<std::int64_t>(start.size());
  const Value one = graph.constant(name + ".start", start, {1, size});
  const Value shape = graph.add("Concat", {batch, graph.integers({1})}, {attribute("axis", 0)});
  return graph.add("Expand", {one, shape});
}

}  // namespace rwa::exports
