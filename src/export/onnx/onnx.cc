#include "export/onnx.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/encoding.h"
#include "export/onnx/network.h"
#include "io/replace_file.h"
#include "model/config_json.h"
#include "rwa/errors.h"
#include "rwa/version.h"

namespace rwa::exports {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIrVersion = 7;  // the version that belongs to the opset

// Names in data files may not be valid UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

// The metadata on inputs and outputs, as JSON by key.
std::map<std::string, std::string> names_of(const datasets::Encoding& data) {
  std::map<std::string, std::string> names = {
      {"outputs", text_of(data.outputs())},
      {"target", text_of(formats::to_string(data.schema.target))},
      {"window", text_of(data.window)}};
  if (data.schema.symbols) {
    names["symbols"] = text_of(data.alphabet);
    names["kmer"] = text_of(data.kmer);
    names["tokens"] = text_of(formats::to_string(data.tokens));
    names["lower"] = text_of(data.lower);
    names["unknown"] = text_of(data.unknown);
  } else {
    names["features"] = text_of(data.schema.features);
    names["missing"] = text_of(datasets::to_string(data.missing));
    names["scale"] = text_of(datasets::to_string(data.scale));
  }
  return names;
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

// Standardises each sequence of x [T,B,D] by itself, as datasets::OwnScale does: [T,B,3D].
Value scaled_by_itself(Graph& graph, const datasets::OwnScale& own, const Value& x,
                       const Value& lengths) {
  const Value present = is_present(graph, x, lengths);
  const Value zero = graph.number(0), one = graph.number(1);
  const auto sum = [&](const Value& values) {
    return graph.add("ReduceSum", {values, graph.integers({0})});
  };
  const Value ones = graph.add("Cast", {present}, {attribute("to", onnx::TensorProto::FLOAT)});
  const Value found = sum(ones);  // [1,B,D]
  const Value count = graph.add("Max", {found, one});
  const auto mean_of = [&](const Value& values) {
    return graph.add("Div", {sum(graph.add("Where", {present, values, zero})), count});
  };
  // The mean of the differences from a first mean is what rounding has lost of it.
  const Value first = mean_of(x);
  const Value shifted = graph.add("Sub", {x, first});
  const Value rest = mean_of(shifted);
  const Value centred = graph.add("Where", {present, graph.add("Sub", {shifted, rest}), zero});
  const Value mean = graph.add("Add", {first, rest});
  const Value deviation = graph.add("Sqrt", {mean_of(graph.add("Mul", {centred, centred}))});
  const Value rounding = graph.add(
      "Mul", {graph.add("Abs", {mean}), graph.number(static_cast<float>(datasets::kRounding))});
  const Value varies = graph.add("Greater", {deviation, rounding});
  const Value real = graph.add("Where", {varies, deviation, zero});
  const Value scale = graph.add("Max", {real, constant(graph, "data.own.least", own.least)});
  const Value known = graph.add("Greater", {found, zero});
  const auto constant_input = [&](const char* name, const datasets::Normal& normal,
                                  const Value& value) {
    const Value level = standardised(graph, name, normal, value);
    const Value same = graph.add("Where", {known, level, zero});
    return graph.add("Expand", {same, graph.add("Shape", {x})});
  };
  const Value normal = graph.add("Where", {varies, graph.add("Div", {centred, scale}), zero});
  return graph.add(
      "Concat",
      {normal, constant_input("data.own.means", own.means, mean),
       constant_input("data.own.deviations", own.deviations, graph.add("Log", {scale}))},
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

// Converts the network's outputs to their original unit.
Value in_own_unit(Graph& graph, const datasets::Encoding& data, const Value& y) {
  const bool is_forecast = data.schema.target == formats::Target::kNone;
  const datasets::Normal normal = is_forecast ? data.of_numbers() : data.targets;
  const Value scale = constant(graph, "data.targets.scale", normal.scale);
  const Value mean = constant(graph, "data.targets.mean", normal.mean);
  return graph.add("Add", {graph.add("Mul", {y, scale}), mean});
}

class OnnxFile {
 public:
  OnnxFile(const Model& model, const NetworkSpec& spec)
      : spec_(spec),
        data_(datasets::find_encoding(model.notes(), model.config(), "the model")),
        nodes_(graph_, spec, model.weights()) {
    file_.set_ir_version(kIrVersion);
    file_.add_opset_import()->set_version(kOnnxOpset);
    file_.set_producer_name("rwa");
    file_.set_producer_version(std::string(version()));
    add_metadata("rwa", std::string(version()));
    add_metadata("network", format_config(model.config()));
    if (!data_) return;
    for (const auto& [key, text] : names_of(*data_)) add_metadata(key, text);
  }

  void add_sequences() {
    const Value x = input({"T", "B"});
    const Value lengths = graph_.input("lengths", Type::kInteger, {"B"});
    const Value seen = encoded(x, lengths);
    const Value steps = spec_.decodes() ? graph_.input("steps", Type::kInteger, {}) : Value();
    Shape shape = {"B", spec_.outputs()};
    if (spec_.decodes()) shape.insert(shape.begin(), "steps");
    if (spec_.readout == Readout::kEvery) shape.insert(shape.begin(), "T");
    add_answers(nodes_.run(seen, lengths, steps), shape);
    file_.set_doc_string("A recurrent network of rwa for whole sequences.");
  }

  void add_step() {
    check_step();
    const Value x = input({"B"});
    const Shape state_shape = {"B", static_cast<int>(spec_.state_size())};
    const Value state = graph_.input("state", Type::kFloat, state_shape);
    const auto made = nodes_.step(encoded(x), state);
    add_answers(made.y, {"B", spec_.outputs()});
    // An output cannot have the name of an input.
    add_output("next_state", "Identity", made.state, state_shape);
    add_metadata("initial_state", Json(made.start).dump());
    file_.set_doc_string("One step of a recurrent network of rwa, for streams.");
  }

  std::string bytes() {
    *file_.mutable_graph() = graph_.take();
    file_.mutable_graph()->set_name("rwa");
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (const std::size_t size = file_.ByteSizeLong(); size > kMost) {
      throw ConfigError(
          fmt::format("the network takes {} bytes, expected at most {}, the limit of an ONNX file",
                      size, kMost));
    }
    return file_.SerializeAsString();
  }

 private:
  void check_step() const {
    if (const std::string why = spec_.why_no_stream(); !why.empty()) {
      throw ConfigError("this network cannot be streamed: " + why);
    }
    if (data_ && data_->widening.is_needed()) {
      throw ConfigError(
          fmt::format("the network was trained with context {} and positions {}, which a graph of "
                      "one step cannot compute: export whole sequences",
                      data_->widening.context, data_->widening.positions));
    }
    if (data_ && data_->scale == datasets::Scale::kSequence) {
      throw ConfigError(
          "the network scales each sequence by itself, which a graph of one step cannot do: export "
          "whole sequences, or train with --scale data");
    }
  }

  void add_metadata(const std::string& key, const std::string& text) {
    auto& entry = *file_.add_metadata_props();
    entry.set_key(key);
    entry.set_value(text);
  }

  // Adds the input, as in files.
  Value input(Shape shape) {
    graph_.begin_part("input");
    const bool symbols = data_ ? data_->schema.symbols : spec_.takes_symbols();
    if (symbols) return graph_.input("symbols", Type::kInteger, shape);
    shape.emplace_back(data_ ? static_cast<int>(data_->schema.features.size()) : spec_.inputs());
    return graph_.input("x", Type::kFloat, shape);
  }

  // Returns the input as the network sees it. A step has no lengths.
  Value encoded(const Value& x, const Value& lengths = {}) {
    if (!data_) return x;
    const Value seen = data_->schema.symbols ? x : scaled(graph_, *data_, x, lengths);
    return data_->widening.is_needed() ? widened(graph_, *data_, seen) : seen;
  }

  // Adds y, as Session::run() writes it, and the probabilities or values.
  void add_answers(const Value& made, const Shape& shape) {
    graph_.begin_part("answers");
    add_output("y", "Identity", made, shape);
    if (spec_.loss == Loss::kSoftmax) add_output("probabilities", "Softmax", "y", shape);
    if (spec_.loss == Loss::kSigmoid) add_output("probabilities", "Sigmoid", "y", shape);
    if (spec_.loss == Loss::kSquaredError && data_) {
      add_output("values", "Identity", in_own_unit(graph_, *data_, "y"), shape);
    }
  }

  void add_output(const char* name, const char* op, const Value& of, const Shape& shape) {
    graph_.add_named(op, {of}, {name});
    graph_.output(name, Type::kFloat, shape);
  }

  const NetworkSpec& spec_;
  std::optional<datasets::Encoding> data_;
  Graph graph_;
  NetworkNodes nodes_;
  onnx::ModelProto file_;
};

}  // namespace

void export_onnx(const Model& model, const std::filesystem::path& file,
                 const OnnxOptions& options) {
  const NetworkSpec spec(model.config());
  OnnxFile made(model, spec);
  if (options.step) {
    made.add_step();
  } else {
    made.add_sequences();
  }
  const std::string bytes = made.bytes();
  io::replace_file(file, std::as_bytes(std::span(bytes)));
}

}  // namespace rwa::exports
