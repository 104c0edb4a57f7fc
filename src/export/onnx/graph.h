// src/export/onnx/graph.h: builds an ONNX graph. Values are identified by their names; constants
// belong to the outermost graph, where the bodies of loops see them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <onnx/onnx_pb.h>

namespace rwa::exports {

using Value = std::string;
using Values = std::vector<Value>;
using Attributes = std::vector<onnx::AttributeProto>;

// A known size, or the name of a free dimension.
struct Dimension {
  Dimension(int known) : size(known) {}
  Dimension(const char* unknown) : name(unknown) {}

  std::int64_t size = 0;
  std::string name = {};
};
using Shape = std::vector<Dimension>;

enum class Type { kFloat, kInteger, kTruth };

class Graph {
 public:
  Graph() : root_(this) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) = default;  // bodies only: other graphs point to the outermost one

  // Returns a graph for a node of this one to run. It sees the values created so far.
  [[nodiscard]] Graph body() const { return Graph(root_); }
  // Sets the prefix of the following values' names: the part of the network.
  void begin_part(std::string name) { root_->part_ = std::move(name); }

  Value input(const std::string& name, Type type, const Shape& shape);
  void output(const Value& value, Type type, const Shape& shape);

  Value constant(const std::string& name, std::span<const float> values,
                 const std::vector<std::int64_t>& shape);
  Value number(float value);                                // a scalar
  Value integer(std::int64_t value);                        // a scalar
  Value integers(const std::vector<std::int64_t>& values);  // a list

  // Adds a node and returns its outputs.
  Value add(std::string_view op, const Values& inputs, Attributes attributes = {});
  Values add_many(std::string_view op, const Values& inputs, std::size_t outputs,
                  Attributes attributes = {});
  // Adds a node with outputs of these names; an empty name skips an optional output.
  void add_named(std::string_view op, const Values& inputs, const Values& outputs,
                 Attributes attributes = {});

  // Returns an unused name.
  Value fresh(std::string_view what);
  // Moves the finished graph out.
  onnx::GraphProto take() { return std::move(proto_); }

 private:
  explicit Graph(Graph* root) : root_(root) {}
  onnx::TensorProto& tensor(const std::string& name, Type type,
                            const std::vector<std::int64_t>& shape);

  Graph* root_;
  onnx::GraphProto proto_;
  // Used in the outermost graph only:
  std::string part_;
  int made_ = 0;
  std::map<std::string, Value> shared_;  // small constants
};

onnx::AttributeProto attribute(const std::string& name, std::int64_t value);
onnx::AttributeProto attribute(const std::string& name, const std::string& value);
onnx::AttributeProto attribute(const std::string& name, const std::vector<std::int64_t>& values);
onnx::AttributeProto attribute(const std::string& name, const std::vector<float>& values);
onnx::AttributeProto attribute(const std::string& name, const std::vector<std::string>& values);
onnx::AttributeProto attribute(const std::string& name, Graph&& body);

// Adds the weight [rows, columns] at the start of `values` as a constant [columns, rows]: the right
// operand of a product.
Value add_weight(Graph& graph, const std::string& name, std::span<const float> values, int rows,
                 int columns);
// Splits the last dimension into equal parts.
Values split(Graph& graph, const Value& value, std::size_t parts);
// Splits it into parts of these sizes.
Values split_into(Graph& graph, const Value& value, const std::vector<std::int64_t>& sizes);
// Joins parts along the last dimension.
Value join(Graph& graph, const Values& parts);

}  // namespace rwa::exports
