#include "model/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/names.h"
#include "io/fields.h"
#include "io/quote.h"
#include "io/safetensors.h"
#include "model/config_json.h"
#include "model/network.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
constexpr std::string_view kFirstVersion = "1";  // networks of one layer
constexpr std::string_view kVersion = "2";
constexpr std::string_view kNetwork = "the description of the network";
// Metadata keys that are not notes.
constexpr std::array<std::string_view, 4> kOwnKeys = {"format", "format_version", "network",
                                                      io::kChecksumKey};

// Version 1 describes one layer on features. It does not say how forget gates were initialised.
void parse_first_version(io::Fields& network, ModelConfig& c) {
  network("inputs", c.inputs, 0);
  std::vector<io::Fields> layers = network.tables("layers");
  if (layers.size() != 1) {
    network.fail(fmt::format("layers has {} tables, expected 1 in version {}", layers.size(),
                             kFirstVersion));
  }
  io::Fields& layer = layers.front();
  layer("cell", c.cell);
  layer("activation", c.activation);
  layer("units", c.units, 0);
  layer.finish();
  network("outputs", c.outputs, 0);
  network("readout", c.readout);
  network("loss", c.loss);
  network("seed", c.seed);
}

// Files mention stems and intervals only if there are some, as before there were any.
void add_absent(io::Fields& network) {
  const auto add = [&](const char* name, const io::Value& value) {
    if (!network.has(name)) network.rest().push_back({.name = name, .value = value});
  };
  if (!network.has("stem") && !network.has("channels")) {
    add("stem", {io::Value::Array{}});
    add("channels", {std::int64_t{ModelConfig{}.channels}});
  }
  add("interval", {ModelConfig{}.interval});
}

ModelConfig parse_network(const std::string& text, std::string_view version,
                          std::string_view origin) {
  const std::string where = fmt::format("{}: {}", origin, kNetwork);
  io::Fields network(io::parse_json(text, where, io::refuse_model_file),
                     {.where = where, .refuse = io::refuse_model_file, .required = true});
  ModelConfig c;
  if (version == kFirstVersion) {
    parse_first_version(network, c);
  } else {
    add_absent(network);
    visit_fields(c, network);
  }
  network.finish();
  return c;
}

std::string metadata(const io::TensorFile& file, const std::string& key, std::string_view origin) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    throw ModelFileError(
        fmt::format("{}: is a safetensors file, but not an rwa model: its metadata lacks {}",
                    origin, io::quote(key)));
  }
  return found->second;
}

bool is_own(std::string_view key) { return std::ranges::find(kOwnKeys, key) != kOwnKeys.end(); }

Notes notes_of(Notes metadata) {
  std::erase_if(metadata, [](const auto& entry) { return is_own(entry.first); });
  return metadata;
}

// Without a stem and intervals, the text is the one from before there were any, which earlier
// versions read.
std::string network_text(const ModelConfig& config) {
  const ModelConfig usual;
  auto json = nlohmann::ordered_json::parse(format_config(config));
  if (config.stem.empty() && config.channels == usual.channels) {
    json.erase("stem");
    json.erase("channels");
  }
  if (config.loss != Loss::kPinball && config.interval == usual.interval) json.erase("interval");
  return json.dump();
}

Notes metadata_of(const ModelConfig& config, const Notes& notes) {
  Notes all = notes;
  all["format"] = kModelFormat;
  all["format_version"] = kVersion;
  all["network"] = network_text(config);
  return all;
}

// An upper bound on the file's header without notes.
std::size_t bytes_beside_notes(const ModelConfig& config) {
  constexpr std::size_t kTensor = 128;  // per tensor, besides its name
  constexpr std::size_t kChecksum = 80;
  std::size_t bytes = nlohmann::json(metadata_of(config, {})).dump().size() + kChecksum;
  for (const auto& info : NetworkSpec(config).describe()) bytes += info.name.size() + kTensor;
  return bytes;
}

// Returns the version.
std::string check_format(const io::TensorFile& file, std::string_view origin) {
  if (const auto format = metadata(file, "format", origin); format != kModelFormat) {
    throw ModelFileError(fmt::format("{}: has the format {}, expected {}", origin,
                                     io::quote(format), io::quote(kModelFormat)));
  }
  std::string version = metadata(file, "format_version", origin);
  if (version != kFirstVersion && version != kVersion) {
    throw ModelFileError(
        fmt::format("{}: has format version {}, this build of rwa reads versions {} and {}", origin,
                    io::quote(version), kFirstVersion, kVersion));
  }
  return version;
}

// Files of earlier builds have no checksum.
void check_checksum(const io::TensorFile& file, std::string_view origin) {
  if (!file.metadata.contains(io::kChecksumKey) || io::is_intact(file)) return;
  throw ModelFileError(
      fmt::format("{}: is damaged: its checksum does not match its content; if it was edited on "
                  "purpose, remove {} from its metadata",
                  origin, io::quote(io::kChecksumKey)));
}

// Requires exactly these tensors, each of its shape, and puts them in order: other programs may save
// them in another one.
void put_in_order(const std::vector<ParameterInfo>& expected, io::TensorFile& file,
                  std::string_view origin) {
  std::set<std::string_view> names;
  for (const auto& info : expected) names.insert(info.name);
  for (const auto& tensor : file.tensors) {
    if (!names.contains(tensor.name)) {
      throw ModelFileError(fmt::format("{}: has a tensor {} that its network does not have", origin,
                                       io::quote(tensor.name)));
    }
  }
  const auto text = [](const std::vector<std::int64_t>& s) {
    return fmt::format("[{}]", fmt::join(s, ", "));
  };
  for (auto place = file.tensors.begin(); const auto& info : expected) {
    const auto found = std::find_if(place, file.tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == info.name; });
    if (found == file.tensors.end()) {
      throw ModelFileError(fmt::format("{}: lacks the tensor {}", origin, io::quote(info.name)));
    }
    if (found->shape != info.shape) {
      throw ModelFileError(fmt::format("{}: the tensor {} has shape {}, expected {}", origin,
                                       io::quote(info.name), text(found->shape), text(info.shape)));
    }
    std::iter_swap(place++, found);
  }
}

// The weights in the network's layout, of tensors in its order.
std::vector<float> weights_of(const NetworkSpec& spec, const io::TensorFile& file) {
  // Allocated only now that the file is known to hold this many values.
  std::vector<float> weights(spec.parameters());
  for (auto tensor = file.tensors.begin(); const auto& info : spec.describe()) {
    std::ranges::copy(tensor++->values, weights.begin() + static_cast<std::ptrdiff_t>(info.offset));
  }
  return weights;
}
}  // namespace

ModelFile read_model(const std::filesystem::path& file) {
  io::TensorFile content = io::read_safetensors(file);
  const std::string origin = file.string();
  const std::string version = check_format(content, origin);
  try {
    const ModelConfig config = parse_network(metadata(content, "network", origin), version, origin);
    const NetworkSpec spec(config);
    put_in_order(spec.describe(), content, origin);
    check_checksum(content, origin);
    return {config, weights_of(spec, content), notes_of(std::move(content.metadata))};
  } catch (const ConfigError& error) {
    throw ModelFileError(fmt::format("{}: {}", origin, error.what()));
  }
}

void write_model(const std::filesystem::path& file, const ModelConfig& config,
                 std::span<const float> weights, const Notes& notes) {
  io::TensorFile content;
  content.metadata = metadata_of(config, notes);
  for (const auto& info : NetworkSpec(config).describe()) {
    const auto values = weights.subspan(info.offset, info.size);
    content.tensors.push_back({info.name, info.shape, {values.begin(), values.end()}});
  }
  io::seal(content);
  io::write_safetensors(file, content);
}

void check_notes(const ModelConfig& config, const Notes& notes) {
  for (const auto& [name, text] : notes) {
    if (!name.empty() && !is_own(name)) continue;
    throw InputError(fmt::format("a note has the name {}, expected a non-empty name other than {}",
                                 io::quote(name), fmt::join(kOwnKeys, ", ")));
  }
  const std::size_t beside = bytes_beside_notes(config);
  const std::size_t room = io::kMaxHeaderBytes - std::min(beside, io::kMaxHeaderBytes);
  try {
    const std::size_t bytes = nlohmann::json(notes).dump().size();
    if (bytes <= room) return;
    throw InputError(
        fmt::format("the notes take {} bytes, expected at most {}, the room in this model's file",
                    bytes, room));
  } catch (const nlohmann::json::type_error& error) {
    throw InputError(fmt::format("a note is not valid UTF-8: {}", error.what()));
  }
}

}  // namespace rwa
