// src/export/onnx_graph.h: an ONNX graph while it is built. Values are known by their names;
// constants lie in the outermost graph, where the bodies of loops see them.
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

// A size that is known, or the name of one that is not.
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
  Graph(Graph&&) = default;  // of a body: others point to the outermost

  // A graph that a node of this one will run, and that sees the values made so far.
  [[nodiscard]] Graph body() const { return Graph(root_); }
  // What names of values begin with from now on: the part of the network.
  void begin_part(std::string name) { root_->part_ = std::move(name); }

  Value input(const std::string& name, Type type, const Shape& shape);
  void output(const Value& value, Type type, const Shape& shape);

  Value constant(const std::string& name, std::span<const float> values,
                 const std::vector<std::int64_t>& shape);
  Value number(float value);                                // a scalar
  Value integer(std::int64_t value);                        // a scalar
  Value integers(const std::vector<std::int64_t>& values);  // a list

  // A node, and what comes out of it.
  Value add(std::string_view op, const Values& inputs, Attributes attributes = {});
  Values add_many(std::string_view op, const Values& inputs, std::size_t outputs,
                  Attributes attributes = {});
  // With outputs of these names; one that is not wanted has none.
  void add_named(std::string_view op, const Values& inputs, const Values& outputs,
                 Attributes attributes = {});

  // A name that nothing has yet.
  Value fresh(std::string_view what);
  // The graph itself, which is gone from here.
  onnx::GraphProto take() { return std::move(proto_); }

 private:
  explicit Graph(Graph* root) : root_(root) {}
  onnx::TensorProto& tensor(const std::string& name, Type type,
                            const std::vector<std::int64_t>& shape);

  Graph* root_;
  onnx::GraphProto proto_;
  // Of the outermost graph:
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

// A weight [rows, columns], with which the values begin, as a constant [columns, rows]: the right
// side of a product.
Value add_weight(Graph& graph, const std::string& name, std::span<const float> values, int rows,
                 int columns);
// Equal parts of the last index.
Values split(Graph& graph, const Value& value, std::size_t parts);

}  // namespace rwa::exports
