#include "export/onnx/network.h"

#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "export/convolution.h"

namespace rwa::exports {
namespace {

NamedLayer named(const std::string& stack, std::size_t number, const Placed<RecurrentSpec>& layer,
                 std::span<const float> weights) {
  return {.spec = layer,
          .parameters = weights.subspan(layer.offset, layer.parameters()),
          .name = fmt::format("{}.{}{}", stack, number, layer.reverse ? ".reverse" : "")};
}

// Forward layers that run step by step. The state of all layers is [B,S].
class ForwardStack {
 public:
  ForwardStack(Graph& graph, const std::string& name, const StackSpec& stack,
               std::span<const float> weights) {
    for (const LayerSpec& layer : stack.layers) {
      layers_.emplace_back(graph, named(name, layers_.size(), layer.directions.front(), weights));
    }
  }

  [[nodiscard]] std::vector<float> start() const {
    std::vector<float> all;
    for (const RecurrentNodes& layer : layers_) {
      all.insert(all.end(), layer.start().begin(), layer.start().end());
    }
    return all;
  }

  // Returns h of the last layer, and replaces the state.
  Value step(Graph& graph, Value x, Value& state) const {
    const std::size_t blocks = layers_.front().state_blocks();
    const Values before = split(graph, state, blocks * layers_.size());
    Values after;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const auto first = before.begin() + static_cast<std::ptrdiff_t>(l * blocks);
      const Values made =
          layers_[l].step(graph, x, Values(first, first + static_cast<std::ptrdiff_t>(blocks)));
      after.insert(after.end(), made.begin(), made.end());
      x = made.front();
    }
    state = join(graph, after);
    return x;
  }

 private:
  std::vector<RecurrentNodes> layers_;
};

// The sizes of the parts of a stream's state: the stack's, then those of the convolutions that see
// steps before.
std::vector<std::int64_t> state_sizes(const EncoderSpec& encoder) {
  std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(encoder.stack.state_size())};
  for (const ConvolutionSpec& convolution : encoder.stem.convolutions) {
    if (convolution.kernel == 1) continue;
    sizes.push_back(static_cast<std::int64_t>(convolution.state_size()));
  }
  return sizes;
}

std::string name_of_convolution(std::size_t number) { return fmt::format("stem.{}", number); }

}  // namespace

Value NetworkNodes::run(const Value& x, const Value& lengths, const Value& steps) {
  graph_.begin_part("input");
  const Steps rows = steps_of(x, lengths);
  Value seen = x;
  if (spec_.takes_symbols()) {
    // Padding may hold any value.
    const Value is_there = graph_.add("Squeeze", {rows.mask, graph_.integers({2})});
    seen = embedded(graph_.add("Where", {is_there, x, graph_.integer(0)}));
  }
  const Value h = stack(convolved(seen), rows);
  const Value read = spec_.encoder.averages() ? averaged(h, rows) : h;
  if (spec_.decoder) return decode(read, steps, rows.batch);
  const Value y = dense(graph_, "output", spec_.output, read);
  if (spec_.readout != Readout::kEvery) return y;
  return graph_.add("Where", {rows.mask, y, graph_.number(0)});
}

NetworkNodes::Stepped NetworkNodes::step(const Value& x, const Value& state) {
  graph_.begin_part("step");
  const ForwardStack layers(graph_, "layers", spec_.encoder.stack, weights_);
  Values states = split_into(graph_, state, state_sizes(spec_.encoder));
  const Value seen = convolved_step(embedded(x), std::span(states).subspan(1));
  const Value h = layers.step(graph_, seen, states.front());
  Stepped made{.y = dense(graph_, "output", spec_.output, h),
               .state = join(graph_, states),
               .start = layers.start()};
  made.start.resize(spec_.state_size(), 0.0F);  // the stem sees zeros before the first step
  return made;
}

Steps NetworkNodes::steps_of(const Value& x, const Value& lengths) {
  const Value shape = graph_.add("Shape", {x});
  const Value count = graph_.add("Gather", {shape, graph_.integer(0)});
  const Value number = graph_.add("Range", {graph_.integer(0), count, graph_.integer(1)});
  const Value column = graph_.add("Unsqueeze", {number, graph_.integers({1})});
  const Value mask = graph_.add("Less", {column, lengths});
  return {.lengths = lengths,
          .mask = graph_.add("Unsqueeze", {mask, graph_.integers({2})}),
          .batch = graph_.add("Gather", {shape, graph_.integers({1})})};
}

Value NetworkNodes::embedded(const Value& x) {
  const auto& embedding = spec_.encoder.embedding;
  return embedding ? graph_.add("Gather", {table("embedding.weight", *embedding), x}) : x;
}

Value NetworkNodes::convolved(const Value& x) {
  const auto& convolutions = spec_.encoder.stem.convolutions;
  if (convolutions.empty()) return x;
  using Axes = std::vector<std::int64_t>;
  Value seen = graph_.add("Transpose", {x}, {attribute("perm", Axes{1, 2, 0})});  // [B,D,T]
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    const ConvolutionSpec& spec = convolutions[i];
    const auto values = weights_.subspan(spec.dense.offset, spec.dense.parameters());
    const std::string name = name_of_convolution(i);
    graph_.begin_part(name);
    const Value weight = graph_.constant(
        name + ".weight",
        convolution_weight(values.first(spec.dense.bias()), spec.width(), spec.kernel),
        {spec.dense.outputs, spec.width(), spec.kernel});
    const Value bias =
        graph_.constant(name + ".bias", values.subspan(spec.dense.bias()), {spec.dense.outputs});
    // Padding on the left only: no step sees a later one, so what is past the end does not matter.
    const Value made =
        graph_.add("Conv", {seen, weight, bias}, {attribute("pads", Axes{spec.kernel - 1, 0})});
    seen = graph_.add("Relu", {made});
  }
  return graph_.add("Transpose", {seen}, {attribute("perm", Axes{2, 0, 1})});
}

Value NetworkNodes::convolved_step(Value x, std::span<Value> states) {
  const auto& convolutions = spec_.encoder.stem.convolutions;
  auto state = states.begin();
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    const ConvolutionSpec& spec = convolutions[i];
    if (spec.kernel > 1) {
      x = join(graph_, {x, *state});
      const auto kept = static_cast<std::int64_t>(spec.state_size());
      *state++ = split_into(graph_, x, {kept, spec.width()}).front();
    }
    x = graph_.add("Relu", {dense(graph_, name_of_convolution(i), spec.dense, x)});
  }
  return x;
}

Value NetworkNodes::stack(const Value& x, const Steps& steps) {
  const StackSpec& stack = spec_.encoder.stack;
  Value h = x;
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    const bool every = stack.every || l + 1 < stack.layers.size();
    Values ways;
    for (const auto& direction : stack.layers[l].directions) {
      const NamedLayer layer = named("layers", l, direction, weights_);
      graph_.begin_part(layer.name);
      ways.push_back(run_layer(graph_, layer, h, steps, every));
    }
    h = join(graph_, ways);
  }
  return h;
}

// The average of an empty sequence is zero.
Value NetworkNodes::averaged(const Value& h, const Steps& steps) {
  graph_.begin_part("readout");
  const EncoderSpec& encoder = spec_.encoder;
  const Value first_axis = graph_.integers({0});
  // Padding may hold any value, even NaN.
  const Value there = graph_.add("Where", {steps.mask, h, graph_.number(0)});
  const auto sum = [&](const Value& rows) {
    return graph_.add("ReduceSum", {rows, first_axis}, {attribute("keepdims", 0)});
  };
  if (encoder.readout == Readout::kMean) {
    const Value lengths =
        graph_.add("Cast", {steps.lengths}, {attribute("to", onnx::TensorProto::FLOAT)});
    const Value count = graph_.add("Max", {lengths, graph_.number(1)});
    return graph_.add("Div", {sum(there), graph_.add("Unsqueeze", {count, graph_.integers({1})})});
  }
  const auto width = static_cast<std::size_t>(encoder.width);
  const Value weight = graph_.constant("attention.weight", weights_.subspan(encoder.score, width),
                                       {encoder.width, 1});
  const Value lowest = graph_.number(std::numeric_limits<float>::lowest());
  const Value score =
      graph_.add("Where", {steps.mask, graph_.add("MatMul", {there, weight}), lowest});
  const Value share = graph_.add("Softmax", {score}, {attribute("axis", 0)});
  return sum(graph_.add("Mul", {share, there}));
}

// Each step sees the most likely label of the one before; the first sees row 0 of the labels.
Value NetworkNodes::decode(const Value& read, const Value& steps, const Value& batch) {
  graph_.begin_part("decoder");
  const DecoderSpec& decoder = *spec_.decoder;
  const Value code = dense(graph_, "code", decoder.code, read);
  const Value labels = table("decoder.embedding.weight", decoder.labels);
  const ForwardStack layers(graph_, "decoder.layers", decoder.stack, weights_);
  const Value none = graph_.add("Expand", {graph_.integer(0), batch});
  const Value start = add_start(graph_, "decoder", layers.start(), batch);

  Graph body = graph_.body();
  const Shape state_shape = {"B", static_cast<int>(decoder.stack.state_size())};
  body.input(body.fresh("number"), Type::kInteger, {});
  const Value going = body.input(body.fresh("going"), Type::kTruth, {});
  const Value before = body.input(body.fresh("before"), Type::kInteger, {"B"});
  Value state = body.input(body.fresh("state"), Type::kFloat, state_shape);
  const Value seen = body.add("Add", {body.add("Gather", {labels, before}), code});
  const Value y = dense(body, "output", spec_.output, layers.step(body, seen, state));
  const Value said = body.add("ArgMax", {y}, {attribute("axis", -1), attribute("keepdims", 0)});
  body.output(body.add("Identity", {going}), Type::kTruth, {});
  body.output(body.add("Add", {said, body.integer(1)}), Type::kInteger, {"B"});
  body.output(state, Type::kFloat, state_shape);
  body.output(y, Type::kFloat, {"B", spec_.outputs()});
  return graph_.add_many("Loop", {steps, "", none, start}, 3, {attribute("body", std::move(body))})
      .back();
}

Value NetworkNodes::dense(Graph& graph, const std::string& name, const Placed<DenseSpec>& spec,
                          const Value& x) {
  const auto values = weights_.subspan(spec.offset, spec.parameters());
  const Value weight =
      add_weight(graph, fmt::format("{}.weight", name), values, spec.outputs, spec.inputs);
  const Value bias =
      graph.constant(fmt::format("{}.bias", name), values.subspan(spec.bias()), {spec.outputs});
  return graph.add("Add", {graph.add("MatMul", {x, weight}), bias});
}

Value NetworkNodes::table(const char* name, const Placed<TableSpec>& spec) {
  return graph_.constant(name, weights_.subspan(spec.offset, spec.parameters()),
                         {spec.symbols, spec.width});
}

}  // namespace rwa::exports
