#include "model/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/quote.h"
#include "io/safetensors.h"
#include "model/network.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
constexpr std::string_view kFormat = "rwa-model";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kNetwork = "the description of the network";

std::string format_network(const ModelConfig& c) {
  using Json = nlohmann::ordered_json;
  const Json layer = {
      {"cell", to_string(c.cell)}, {"activation", to_string(c.activation)}, {"units", c.units}};
  const Json network = {{"inputs", c.inputs},        {"layers", Json::array({layer})},
                        {"outputs", c.outputs},      {"readout", to_string(c.readout)},
                        {"loss", to_string(c.loss)}, {"seed", c.seed}};
  return network.dump();
}

// The fields of an object, each of which must be there once and nothing else. `where` begins every
// message.
class FieldReader {
 public:
  FieldReader(const simdjson::dom::object& json, std::string where) : where_(std::move(where)) {
    for (const auto& field : json) {
      if (!fields_.emplace(field.key, field.value).second) {
        fail("the field {} stands twice", io::quote(field.key));
      }
    }
  }

  std::uint64_t number(std::string_view name, std::uint64_t most) {
    std::uint64_t value = 0;
    if (take(name).get(value) != simdjson::SUCCESS || value > most) {
      fail("{} is not a whole number from 0 to {}", io::quote(name), most);
    }
    return value;
  }
  int size(std::string_view name) {
    return static_cast<int>(number(name, std::numeric_limits<int>::max()));
  }
  // One of the names that `parse` knows.
  template <class Enum>
  Enum choice(std::string_view name, Enum (*parse)(std::string_view)) {
    std::string_view value;
    if (take(name).get(value) != simdjson::SUCCESS) fail("{} is not a text", io::quote(name));
    try {
      return parse(io::escape(value));  // it goes into the message; a known name is its own escape
    } catch (const ConfigError& error) {
      fail("{}", error.what());
    }
  }
  simdjson::dom::array array(std::string_view name) {
    simdjson::dom::array value;
    if (take(name).get(value) != simdjson::SUCCESS) fail("{} is not an array", io::quote(name));
    return value;
  }
  void finish() const {
    if (!fields_.empty()) fail("the field {} is unknown", io::quote(fields_.begin()->first));
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(where_ + ", " + fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  simdjson::dom::element take(std::string_view name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) fail("the field {} is missing", io::quote(name));
    const simdjson::dom::element value = found->second;
    fields_.erase(found);
    return value;
  }

  std::map<std::string_view, simdjson::dom::element> fields_;
  std::string where_;
};

void parse_layers(FieldReader& network, std::string_view origin, ModelConfig& c) {
  const simdjson::dom::array layers = network.array("layers");
  if (layers.size() != 1) {
    network.fail("\"layers\" has {} elements, this build of rwa reads one", layers.size());
  }
  simdjson::dom::object json;
  if (layers.at(0).get(json) != simdjson::SUCCESS) network.fail("layer 0 is not an object");
  FieldReader layer(json, fmt::format("{}: in layer 0 of {}", origin, kNetwork));
  c.cell = layer.choice("cell", parse_cell);
  c.activation = layer.choice("activation", parse_activation);
  c.units = layer.size("units");
  layer.finish();
}

ModelConfig parse_network(const std::string& text, std::string_view origin) {
  simdjson::dom::parser parser;
  simdjson::dom::object json;
  if (const auto error = parser.parse(text).get(json); error != simdjson::SUCCESS) {
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    throw ModelFileError(fmt::format("{}: {} is not a JSON object: {}", origin, kNetwork,
                                     simdjson::error_message(error)));
  }
  FieldReader network(json, fmt::format("{}: in {}", origin, kNetwork));
  ModelConfig c;
  c.inputs = network.size("inputs");
  parse_layers(network, origin, c);
  c.outputs = network.size("outputs");
  c.readout = network.choice("readout", parse_readout);
  c.loss = network.choice("loss", parse_loss);
  c.seed = network.number("seed", std::numeric_limits<std::uint64_t>::max());
  network.finish();
  return c;
}

std::string metadata(const io::TensorFile& file, const std::string& key, std::string_view origin) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    throw ModelFileError(
        fmt::format("{}: is a safetensors file, but not of an rwa model: its metadata lack {}",
                    origin, io::quote(key)));
  }
  return found->second;
}

void check_format(const io::TensorFile& file, std::string_view origin) {
  if (const auto format = metadata(file, "format", origin); format != kFormat) {
    throw ModelFileError(fmt::format("{}: has the format {}, expected {}", origin,
                                     io::quote(format), io::quote(kFormat)));
  }
  if (const auto version = metadata(file, "format_version", origin); version != kVersion) {
    throw ModelFileError(
        fmt::format("{}: has format version {}, this build of rwa reads version {}", origin,
                    io::quote(version), kVersion));
  }
}

// The tensors must be those of the network, no more and no fewer, each of its shape.
std::vector<float> collect(const NetworkSpec& spec, const io::TensorFile& file,
                           std::string_view origin) {
  const auto expected = spec.describe();
  std::set<std::string_view> names;
  for (const auto& info : expected) names.insert(info.name);
  for (const auto& tensor : file.tensors) {
    if (!names.contains(tensor.name)) {
      throw ModelFileError(fmt::format("{}: has a tensor {} that its network does not", origin,
                                       io::quote(tensor.name)));
    }
  }
  const auto text = [](const std::vector<std::int64_t>& s) {
    return fmt::format("[{}]", fmt::join(s, ", "));
  };
  std::vector<std::pair<const ParameterInfo*, const io::Tensor*>> pairs;
  for (const auto& info : expected) {
    const auto found = std::find_if(file.tensors.begin(), file.tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == info.name; });
    if (found == file.tensors.end()) {
      throw ModelFileError(fmt::format("{}: lacks the tensor {}", origin, io::quote(info.name)));
    }
    if (found->shape != info.shape) {
      throw ModelFileError(fmt::format("{}: the tensor {} has the shape {}, expected {}", origin,
                                       io::quote(info.name), text(found->shape), text(info.shape)));
    }
    pairs.emplace_back(&info, &*found);
  }
  // Only now is the size known to be what the file really holds.
  std::vector<float> weights(spec.parameters());
  for (const auto& [info, tensor] : pairs) {
    std::copy(tensor->values.begin(), tensor->values.end(),
              weights.begin() + static_cast<std::ptrdiff_t>(info->offset));
  }
  return weights;
}
}  // namespace

ModelFile read_model(const std::filesystem::path& file) {
  const io::TensorFile content = io::read_safetensors(file);
  const std::string origin = file.string();
  check_format(content, origin);
  try {
    const ModelConfig config = parse_network(metadata(content, "network", origin), origin);
    return {config, collect(NetworkSpec(config), content, origin)};
  } catch (const ConfigError& error) {
    throw ModelFileError(fmt::format("{}: {}", origin, error.what()));
  }
}

void write_model(const std::filesystem::path& file, const ModelConfig& config,
                 std::span<const float> weights) {
  io::TensorFile content;
  content.metadata = {{"format", std::string(kFormat)},
                      {"format_version", std::string(kVersion)},
                      {"network", format_network(config)}};
  for (const auto& info : NetworkSpec(config).describe()) {
    const auto values = weights.subspan(info.offset, info.size);
    content.tensors.push_back({info.name, info.shape, {values.begin(), values.end()}});
  }
  io::write_safetensors(file, content);
}

}  // namespace rwa
