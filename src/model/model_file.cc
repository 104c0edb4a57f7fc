#include "model/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/safetensors.h"
#include "model/network.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
constexpr std::string_view kFormat = "rwa-model";
constexpr std::string_view kVersion = "1";

std::string format_network(const ModelConfig& c) {
  const nlohmann::ordered_json json = {
      {"cell", to_string(c.cell)}, {"activation", to_string(c.activation)},
      {"inputs", c.inputs},        {"units", c.units},
      {"outputs", c.outputs},      {"readout", to_string(c.readout)},
      {"loss", to_string(c.loss)}, {"seed", c.seed},
  };
  return json.dump();
}

// The fields of the network's JSON, each of which must be there once and nothing else.
class NetworkReader {
 public:
  NetworkReader(const simdjson::dom::object& json, std::string_view origin) : origin_(origin) {
    for (const auto& field : json) {
      if (!fields_.emplace(std::string(field.key), field.value).second) {
        fail(fmt::format("the field '{}' stands twice", field.key));
      }
    }
  }

  std::string_view text(const std::string& name) {
    std::string_view value;
    if (take(name).get(value) != simdjson::SUCCESS) fail(fmt::format("'{}' is not a text", name));
    return value;
  }
  std::uint64_t number(const std::string& name, std::uint64_t most) {
    std::uint64_t value = 0;
    if (take(name).get(value) != simdjson::SUCCESS || value > most) {
      fail(fmt::format("'{}' is not a whole number from 0 to {}", name, most));
    }
    return value;
  }
  void finish() const {
    if (!fields_.empty()) fail(fmt::format("the field '{}' is unknown", fields_.begin()->first));
  }

 private:
  simdjson::dom::element take(const std::string& name) {
    const auto found = fields_.extract(name);
    if (found.empty()) fail(fmt::format("the field '{}' is missing", name));
    return found.mapped();
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelFileError(fmt::format("{}: in the description of the network, {}", origin_, what));
  }

  std::map<std::string, simdjson::dom::element> fields_;
  std::string_view origin_;
};

ModelConfig parse_network(const std::string& text, std::string_view origin) {
  simdjson::dom::parser parser;
  simdjson::dom::object json;
  if (const auto error = parser.parse(text).get(json); error != simdjson::SUCCESS) {
    throw ModelFileError(fmt::format("{}: the description of the network is not a JSON object: {}",
                                     origin, simdjson::error_message(error)));
  }
  NetworkReader in(json, origin);
  constexpr std::uint64_t kMostInt = std::numeric_limits<int>::max();
  ModelConfig c;
  c.cell = parse_cell(in.text("cell"));
  c.activation = parse_activation(in.text("activation"));
  c.inputs = static_cast<int>(in.number("inputs", kMostInt));
  c.units = static_cast<int>(in.number("units", kMostInt));
  c.outputs = static_cast<int>(in.number("outputs", kMostInt));
  c.readout = parse_readout(in.text("readout"));
  c.loss = parse_loss(in.text("loss"));
  c.seed = in.number("seed", std::numeric_limits<std::uint64_t>::max());
  in.finish();
  return c;
}

std::string metadata(const io::TensorFile& file, const std::string& key, std::string_view origin) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    throw ModelFileError(fmt::format(
        "{}: is a safetensors file, but not of an rwa model: its metadata lack '{}'", origin, key));
  }
  return found->second;
}

void check_format(const io::TensorFile& file, std::string_view origin) {
  if (const auto format = metadata(file, "format", origin); format != kFormat) {
    throw ModelFileError(
        fmt::format("{}: has the format '{:.40}', expected '{}'", origin, format, kFormat));
  }
  if (const auto version = metadata(file, "format_version", origin); version != kVersion) {
    throw ModelFileError(
        fmt::format("{}: has format version '{:.40}', this build of rwa reads version {}", origin,
                    version, kVersion));
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
      throw ModelFileError(
          fmt::format("{}: has a tensor '{:.80}' that its network does not", origin, tensor.name));
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
      throw ModelFileError(fmt::format("{}: lacks the tensor '{}'", origin, info.name));
    }
    if (found->shape != info.shape) {
      throw ModelFileError(fmt::format("{}: the tensor '{}' has the shape {}, expected {}", origin,
                                       info.name, text(found->shape), text(info.shape)));
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
