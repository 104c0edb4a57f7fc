// src/export/onnx_data.h: what a model that was trained on files knows of them, as ONNX nodes and
// metadata.
#pragma once

#include <map>
#include <string>

#include "datasets/encoding.h"
#include "export/onnx_graph.h"

namespace rwa::exports {

// Names of what comes in and goes out, by their key, as JSON.
std::map<std::string, std::string> names_of(const datasets::Encoding& data);

// The numbers of a file as the network sees them. What is missing, a NaN, becomes the mean, where
// the model was trained so.
Value made_normal(Graph& graph, const datasets::Encoding& data, const Value& x);
// Where steps are seen with others: of x [T,B,D], or symbols [T,B], the rows that the network sees.
Value widened(Graph& graph, const datasets::Encoding& data, const Value& x);
// The network's numbers as those of a file.
Value in_own_unit(Graph& graph, const datasets::Encoding& data, const Value& y);

}  // namespace rwa::exports
