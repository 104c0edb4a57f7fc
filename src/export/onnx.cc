#include "export/onnx.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/onnx_data.h"
#include "export/onnx_network.h"
#include "io/replace_file.h"
#include "model/config_json.h"
#include "rwa/errors.h"
#include "rwa/version.h"

namespace rwa::exports {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIrVersion = 7;  // that came with the operators

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
    const Value steps = spec_.decodes() ? graph_.input("steps", Type::kInteger, {}) : Value();
    Shape shape = {"B", spec_.outputs()};
    if (spec_.decodes()) shape.insert(shape.begin(), "steps");
    if (spec_.readout == Readout::kEvery) shape.insert(shape.begin(), "T");
    add_answers(nodes_.run(x, lengths, steps), shape);
    file_.set_doc_string("whole sequences, through a network that rwa has trained");
  }

  void add_step() {
    check_step();
    const Value x = input({"B"});
    const Shape state_shape = {"B", static_cast<int>(spec_.state_size())};
    const Value state = graph_.input("state", Type::kFloat, state_shape);
    const auto made = nodes_.step(x, state);
    add_answers(made.y, {"B", spec_.outputs()});
    // An output cannot have the name of an input.
    add_output("next_state", "Identity", made.state, state_shape);
    add_metadata("initial_state", Json(made.start).dump());
    file_.set_doc_string("one step of a stream, through a network that rwa has trained");
  }

  std::string bytes() {
    *file_.mutable_graph() = graph_.take();
    file_.mutable_graph()->set_name("rwa");
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (const std::size_t size = file_.ByteSizeLong(); size > kMost) {
      throw ConfigError(
          fmt::format("the network takes {} bytes, expected at most the {} that an "
                      "ONNX file can have",
                      size, kMost));
    }
    return file_.SerializeAsString();
  }

 private:
  void check_step() const {
    if (const std::string why = spec_.why_no_stream(); !why.empty()) {
      throw ConfigError("no stream through this network: " + why);
    }
    if (data_ && data_->widening.is_needed()) {
      throw ConfigError(
          fmt::format("the network sees steps with others (context {}, positions {}), expected one "
                      "that sees a step by itself: the state of a graph of one step is no more "
                      "than that of the network",
                      data_->widening.context, data_->widening.positions));
    }
  }

  void add_metadata(const std::string& key, const std::string& text) {
    auto& entry = *file_.add_metadata_props();
    entry.set_key(key);
    entry.set_value(text);
  }

  // What the network sees of each step.
  Value input(Shape shape) {
    graph_.begin_part("input");
    const bool symbols = data_ ? data_->schema.symbols : spec_.takes_symbols();
    if (!symbols) shape.emplace_back(data_ ? static_cast<int>(data_->width()) : spec_.inputs());
    const Value x = symbols ? graph_.input("symbols", Type::kInteger, shape)
                            : graph_.input("x", Type::kFloat, shape);
    if (!data_) return x;
    const Value seen = symbols ? x : made_normal(graph_, *data_, x);
    return data_->widening.is_needed() ? widened(graph_, *data_, seen) : seen;
  }

  // What Session::run() writes, and what people want.
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
