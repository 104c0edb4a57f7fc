#include "export/onnx/data.h"

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/scale.h"

namespace rwa::exports {
namespace {

Value constant(Graph& graph, const std::string& name, const std::vector<double>& values) {
  const std::vector<float> numbers(values.begin(), values.end());
  return graph.constant(name, numbers, {static_cast<std::int64_t>(numbers.size())});
}

// The parts of the means that do not fit into floats.
std::vector<double> lost(std::vector<double> mean) {
  for (double& value : mean) value -= static_cast<double>(static_cast<float>(value));
  return mean;
}

// The positional encoding, [T,B,positions]: Gaussian bumps over the steps, evenly spaced.
Value hills(Graph& graph, const datasets::Widening& widening, const Value& steps,
            const Value& batch) {
  const double apart = static_cast<double>(widening.span) / widening.positions;
  std::vector<double> tops;
  for (int p = 0; p < widening.positions; ++p) tops.push_back((p + 0.5) * apart);
  const Value range = graph.add("Range", {graph.integer(0), steps, graph.integer(1)});
  const Value place = graph.add("Cast", {range}, {attribute("to", onnx::TensorProto::FLOAT)});
  const Value column = graph.add("Unsqueeze", {place, graph.integers({1, 2})});
  const Value from_top = graph.add("Sub", {column, constant(graph, "data.positions", tops)});
  const Value distance = graph.add("Div", {from_top, graph.number(static_cast<float>(apart))});
  const Value square = graph.add("Mul", {distance, distance});
  const Value hill = graph.add("Exp", {graph.add("Mul", {square, graph.number(-0.5F)})});
  const Value one = graph.integers({1});
  return graph.add("Expand",
                   {hill, graph.add("Concat", {one, batch, one}, {attribute("axis", 0)})});
}

// Replaces missing values, NaN in x, by the mean if the model was trained so.
Value filled(Graph& graph, const datasets::Encoding& data, const Value& x, const Value& mean,
             const Value& normal) {
  if (data.missing != datasets::Missing::kMean) return normal;
  return graph.add("Where", {graph.add("IsNaN", {x}), mean, normal});
}

Value standardised(Graph& graph, const std::string& name, const datasets::Normal& normal,
                   const Value& x) {
  const Value mean = constant(graph, name + ".mean", normal.mean);
  const Value rest = constant(graph, name + ".mean.rest", lost(normal.mean));
  const Value scale = constant(graph, name + ".scale", normal.scale);
  return graph.add("Div", {graph.add("Sub", {graph.add("Sub", {x, mean}), rest}), scale});
}

// Whether each value of x [T,B,D] is one of the sequence: not past its end, and not missing.
Value is_present(Graph& graph, const Value& x, const Value& lengths) {
  const Value steps = graph.add("Gather", {graph.add("Shape", {x}), graph.integer(0)});
  const Value range = graph.add("Range", {graph.integer(0), steps, graph.integer(1)});
  const Value place = graph.add("Unsqueeze", {range, graph.integers({1, 2})});
  const Value ends = graph.add("Unsqueeze", {lengths, graph.integers({0, 2})});
  const Value missing = graph.add("IsNaN", {x});
  return graph.add("And", {graph.add("Less", {place, ends}), graph.add("Not", {missing})});
}

// A sequence's features by themselves, as datasets::Level has them: [1,B,D].
struct Levels {
  Value count = {}, mean = {}, deviation = {};
  Value varies = {};   // whether the deviation is more than a rounding error
  Value centred = {};  // x without the mean, [T,B,D]; 0 where it is not present
};

Levels levels_of(Graph& graph, const Value& x, const Value& present) {
  const Value zero = graph.number(0);
  const Value ones = graph.add("Cast", {present}, {attribute("to", onnx::TensorProto::FLOAT)});
  const auto sum = [&](const Value& values) {
    return graph.add("ReduceSum", {values, graph.integers({0})});
  };
  Levels found{.count = sum(ones)};
  const Value divisor = graph.add("Max", {found.count, graph.number(1)});
  const auto mean_of = [&](const Value& values) {
    return graph.add("Div", {sum(graph.add("Where", {present, values, zero})), divisor});
  };
  // The mean of the differences from a first mean is what rounding has lost of it.
  const Value first = mean_of(x);
  const Value shifted = graph.add("Sub", {x, first});
  const Value rest = mean_of(shifted);
  found.mean = graph.add("Add", {first, rest});
  found.centred = graph.add("Where", {present, graph.add("Sub", {shifted, rest}), zero});
  const Value square = graph.add("Mul", {found.centred, found.centred});
  const Value deviation = graph.add("Sqrt", {mean_of(square)});
  const Value share = graph.number(static_cast<float>(datasets::kRounding));
  const Value rounding = graph.add("Mul", {graph.add("Abs", {found.mean}), share});
  found.varies = graph.add("Greater", {deviation, rounding});
  found.deviation = graph.add("Where", {found.varies, deviation, zero});
  return found;
}

// Standardises each sequence of x [T,B,D] by itself, as datasets::OwnScale does: [T,B,3D].
Value scaled_by_itself(Graph& graph, const datasets::OwnScale& own, const Value& x,
                       const Value& lengths) {
  const Levels levels = levels_of(graph, x, is_present(graph, x, lengths));
  const Value zero = graph.number(0);
  const Value known = graph.add("Greater", {levels.count, zero});
  const auto at_every_step = [&](const char* name, const datasets::Normal& normal,
                                 const Value& value) {
    const Value level = standardised(graph, name, normal, value);
    const Value same = graph.add("Where", {known, level, zero});
    return graph.add("Expand", {same, graph.add("Shape", {x})});
  };
  const Value least = constant(graph, "data.own.least", own.least);
  const Value scale = graph.add("Max", {levels.deviation, least});
  const Value normal = graph.add("Div", {levels.centred, scale});
  return graph.add(
      "Concat",
      {graph.add("Where", {levels.varies, normal, zero}),
       at_every_step("data.own.means", own.means, levels.mean),
       at_every_step("data.own.deviations", own.deviations, graph.add("Log", {scale}))},
      {attribute("axis", -1)});
}

// Scales the values of a file as in training.
Value scaled(Graph& graph, const datasets::Encoding& data, const Value& x, const Value& lengths) {
  switch (data.scale) {
    case datasets::Scale::kSequence:
      return scaled_by_itself(graph, data.own, x, lengths);
    case datasets::Scale::kNone:
      return filled(graph, data, x, constant(graph, "data.mean", data.features.mean), x);
    case datasets::Scale::kData:
      break;
  }
  return filled(graph, data, x, graph.number(0), standardised(graph, "data", data.features, x));
}

// Joins each step of x [T,B,D] or symbols [T,B] with its context and its positional encoding.
Value widened(Graph& graph, const datasets::Encoding& data, const Value& x) {
  Value rows = x;
  if (data.schema.symbols) {
    const Value depth = graph.integer(static_cast<std::int64_t>(data.width()));
    rows = graph.add("OneHot", {x, depth, constant(graph, "data.one_hot", {0, 1})});
  }
  const Value shape = graph.add("Shape", {rows});
  const Value end = graph.add("Gather", {shape, graph.integers({0})});
  const Value first = graph.integers({0});
  Values parts = {rows};
  for (int before = 1; before < data.widening.context; ++before) {
    const Value later = graph.add("Pad", {rows, graph.integers({before, 0, 0, 0, 0, 0})});
    parts.push_back(graph.add("Slice", {later, first, end, first}));
  }
  if (data.widening.positions > 0) {
    const Value steps = graph.add("Gather", {shape, graph.integer(0)});
    const Value batch = graph.add("Gather", {shape, graph.integers({1})});
    parts.push_back(hills(graph, data.widening, steps, batch));
  }
  return graph.add("Concat", parts, {attribute("axis", -1)});
}

}  // namespace

Value encoded(Graph& graph, const datasets::Encoding& data, const Value& x, const Value& lengths) {
  const Value seen = data.schema.symbols ? x : scaled(graph, data, x, lengths);
  return data.widening.is_needed() ? widened(graph, data, seen) : seen;
}

Value in_own_unit(Graph& graph, const datasets::Encoding& data, const Value& y) {
  const bool is_forecast = data.schema.target == formats::Target::kNone;
  const datasets::Normal normal = is_forecast ? data.of_numbers() : data.targets;
  const Value scale = constant(graph, "data.targets.scale", normal.scale);
  const Value mean = constant(graph, "data.targets.mean", normal.mean);
  return graph.add("Add", {graph.add("Mul", {y, scale}), mean});
}

}  // namespace rwa::exports
