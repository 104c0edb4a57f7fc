#include "export/onnx_data.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace rwa::exports {
namespace {

// Names in people's files may not be UTF-8.
std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Value constant(Graph& graph, const char* name, const std::vector<double>& values) {
  const std::vector<float> numbers(values.begin(), values.end());
  return graph.constant(name, numbers, {static_cast<std::int64_t>(numbers.size())});
}

// What a float of the mean has lost.
std::vector<double> lost(std::vector<double> mean) {
  for (double& value : mean) value -= static_cast<double>(static_cast<float>(value));
  return mean;
}

// A hill for each position, highest where it is nearest to the step: [T,B,positions].
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

}  // namespace

std::map<std::string, std::string> names_of(const datasets::Encoding& data) {
  std::map<std::string, std::string> names = {
      {"outputs", text_of(data.outputs())},
      {"target", text_of(formats::to_string(data.schema.target))},
      {"window", text_of(data.window)}};
  if (data.schema.symbols) {
    names["symbols"] = text_of(data.alphabet);
    names["kmer"] = text_of(data.kmer);
  } else {
    names["features"] = text_of(data.schema.features);
    names["missing"] = text_of(datasets::to_string(data.missing));
  }
  return names;
}

Value made_normal(Graph& graph, const datasets::Encoding& data, const Value& x) {
  const Value mean = constant(graph, "data.mean", data.features.mean);
  const Value rest = constant(graph, "data.mean.rest", lost(data.features.mean));
  const Value scale = constant(graph, "data.scale", data.features.scale);
  const Value centred = graph.add("Sub", {graph.add("Sub", {x, mean}), rest});
  const Value normal = graph.add("Div", {centred, scale});
  if (data.missing != datasets::Missing::kMean) return normal;
  return graph.add("Where", {graph.add("IsNaN", {x}), graph.number(0), normal});
}

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

Value in_own_unit(Graph& graph, const datasets::Encoding& data, const Value& y) {
  const bool is_forecast = data.schema.target == formats::Target::kNone;
  const datasets::Normal& normal = is_forecast ? data.features : data.targets;
  const Value scale = constant(graph, "data.targets.scale", normal.scale);
  const Value mean = constant(graph, "data.targets.mean", normal.mean);
  return graph.add("Add", {graph.add("Mul", {y, scale}), mean});
}

}  // namespace rwa::exports
