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
#include "export/onnx/data.h"
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
    datasets::check_exportable(*data_);
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
                      "one step cannot compute: export whole sequences, or train with --context 1 "
                      "--positions 0",
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
    return data_ ? exports::encoded(graph_, *data_, x, lengths) : x;
  }

  // Adds y, as Session::run() writes it, and the probabilities or values.
  void add_answers(const Value& made, const Shape& shape) {
    graph_.begin_part("answers");
    add_output("y", "Identity", made, shape);
    if (spec_.loss.kind == Loss::kSoftmax) add_output("probabilities", "Softmax", "y", shape);
    if (spec_.loss.kind == Loss::kSigmoid) add_output("probabilities", "Sigmoid", "y", shape);
    if (spec_.loss.kind == Loss::kSquaredError && data_) {
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
