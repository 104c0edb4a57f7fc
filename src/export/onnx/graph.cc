#include "export/onnx/graph.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace rwa::exports {
namespace {
int number_of(Type type) {
  switch (type) {
    case Type::kInteger:
      return onnx::TensorProto::INT64;
    case Type::kTruth:
      return onnx::TensorProto::BOOL;
    case Type::kFloat:
      break;
  }
  return onnx::TensorProto::FLOAT;
}

void describe(onnx::ValueInfoProto& info, const std::string& name, Type type, const Shape& shape) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(number_of(type));
  auto& dimensions = *tensor.mutable_shape();
  for (const Dimension& dimension : shape) {
    auto& dim = *dimensions.add_dim();
    if (dimension.name.empty()) {
      dim.set_dim_value(dimension.size);
    } else {
      dim.set_dim_param(dimension.name);
    }
  }
}

onnx::AttributeProto named(const std::string& name, onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}
}  // namespace

Value Graph::input(const std::string& name, Type type, const Shape& shape) {
  describe(*proto_.add_input(), name, type, shape);
  return name;
}

void Graph::output(const Value& value, Type type, const Shape& shape) {
  describe(*proto_.add_output(), value, type, shape);
}

onnx::TensorProto& Graph::tensor(const std::string& name, Type type,
                                 const std::vector<std::int64_t>& shape) {
  onnx::TensorProto& made = *root_->proto_.add_initializer();
  made.set_name(name);
  made.set_data_type(number_of(type));
  for (const std::int64_t size : shape) made.add_dims(size);
  return made;
}

Value Graph::constant(const std::string& name, std::span<const float> values,
                      const std::vector<std::int64_t>& shape) {
  // Raw bytes: float_data is slower to parse and no smaller.
  tensor(name, Type::kFloat, shape).set_raw_data(values.data(), values.size_bytes());
  return name;
}

Value Graph::number(float value) {
  auto [found, is_new] = root_->shared_.try_emplace(fmt::format("number {}", value));
  if (is_new) {
    found->second = fresh("number");
    tensor(found->second, Type::kFloat, {}).add_float_data(value);
  }
  return found->second;
}

Value Graph::integer(std::int64_t value) {
  auto [found, is_new] = root_->shared_.try_emplace(fmt::format("integer {}", value));
  if (is_new) {
    found->second = fresh("integer");
    tensor(found->second, Type::kInteger, {}).add_int64_data(value);
  }
  return found->second;
}

Value Graph::integers(const std::vector<std::int64_t>& values) {
  Value name = fresh("integers");
  auto& made = tensor(name, Type::kInteger, {static_cast<std::int64_t>(values.size())});
  for (const std::int64_t value : values) made.add_int64_data(value);
  return name;
}

Value Graph::add(std::string_view op, const Values& inputs, Attributes attributes) {
  return add_many(op, inputs, 1, std::move(attributes)).front();
}

Values Graph::add_many(std::string_view op, const Values& inputs, std::size_t outputs,
                       Attributes attributes) {
  Values made(outputs);
  std::ranges::generate(made, [&] { return fresh(op); });
  add_named(op, inputs, made, std::move(attributes));
  return made;
}

void Graph::add_named(std::string_view op, const Values& inputs, const Values& outputs,
                      Attributes attributes) {
  onnx::NodeProto& node = *proto_.add_node();
  node.set_name(fresh(fmt::format("node.{}", op)));
  node.set_op_type(std::string(op));
  for (const Value& value : inputs) node.add_input(value);
  for (const Value& value : outputs) node.add_output(value);
  for (onnx::AttributeProto& attribute : attributes) *node.add_attribute() = std::move(attribute);
}

Value Graph::fresh(std::string_view what) {
  return fmt::format("{}/{}_{}", root_->part_, what, ++root_->made_);
}

onnx::AttributeProto attribute(const std::string& name, std::int64_t value) {
  auto made = named(name, onnx::AttributeProto::INT);
  made.set_i(value);
  return made;
}

onnx::AttributeProto attribute(const std::string& name, const std::string& value) {
  auto made = named(name, onnx::AttributeProto::STRING);
  made.set_s(value);
  return made;
}

onnx::AttributeProto attribute(const std::string& name, const std::vector<std::int64_t>& values) {
  auto made = named(name, onnx::AttributeProto::INTS);
  made.mutable_ints()->Add(values.begin(), values.end());
  return made;
}

onnx::AttributeProto attribute(const std::string& name, const std::vector<float>& values) {
  auto made = named(name, onnx::AttributeProto::FLOATS);
  made.mutable_floats()->Add(values.begin(), values.end());
  return made;
}

onnx::AttributeProto attribute(const std::string& name, const std::vector<std::string>& values) {
  auto made = named(name, onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) made.add_strings(value);
  return made;
}

onnx::AttributeProto attribute(const std::string& name, Graph&& body) {
  auto made = named(name, onnx::AttributeProto::GRAPH);
  *made.mutable_g() = body.take();
  made.mutable_g()->set_name(name);
  return made;
}

Value add_weight(Graph& graph, const std::string& name, std::span<const float> values, int rows,
                 int columns) {
  const auto R = static_cast<std::size_t>(rows);
  const auto C = static_cast<std::size_t>(columns);
  std::vector<float> transposed(R * C);
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t c = 0; c < C; ++c) transposed[c * R + r] = values[r * C + c];
  }
  return graph.constant(name, transposed, {columns, rows});
}

Values split(Graph& graph, const Value& value, std::size_t parts) {
  return graph.add_many("Split", {value}, parts, {attribute("axis", -1)});
}

Values split_into(Graph& graph, const Value& value, const std::vector<std::int64_t>& sizes) {
  if (sizes.size() == 1) return {value};
  return graph.add_many("Split", {value, graph.integers(sizes)}, sizes.size(),
                        {attribute("axis", -1)});
}

Value join(Graph& graph, const Values& parts) {
  if (parts.size() == 1) return parts.front();
  return graph.add("Concat", parts, {attribute("axis", -1)});
}

}  // namespace rwa::exports
