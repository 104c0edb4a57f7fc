#include "own/trained.h"

#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "run/folder.h"
#include "rwa/errors.h"

namespace rwa::own {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const fs::path& path) {
  constexpr std::string_view kExpected =
      "expected a model (*.safetensors) or the folder that rwa train has written it to";
  std::error_code refused;  // then there is none that we could read
  if (!fs::exists(path, refused)) {
    throw ConfigError(fmt::format("there is no file or folder '{}', {}", path.string(), kExpected));
  }
  if (!fs::is_directory(path, refused)) return path;
  fs::path file = path / run::kModelFile;
  if (fs::exists(file, refused)) return file;
  throw ConfigError(
      fmt::format("{}: is a folder without a {}, {}", path.string(), run::kModelFile, kExpected));
}

void check_equal(const std::string& origin, std::string_view what, int network, int data) {
  if (network == data) return;
  throw ModelFileError(
      fmt::format("{}: the network has {} {}, expected {}, as its note \"{}\" says", origin,
                  network, what, data, data::kEncodingNote));
}

// A file can be put together from parts that do not belong together.
void check_fit(const std::string& origin, const ModelConfig& network, const data::Shape& data) {
  check_equal(origin, "inputs", network.inputs, data.inputs);
  check_equal(origin, "outputs", network.outputs, data.outputs);
  const bool every = data.readout == Readout::kEvery;
  if (network.input == data.input && network.loss == data.loss && network.code == 0 &&
      (network.readout == Readout::kEvery) == every) {
    return;
  }
  throw ModelFileError(fmt::format(
      "{}: found a network of input {}, readout {}{}, loss {}, expected input {}, readout {}, loss "
      "{}, as its note \"{}\" says",
      origin, to_string(network.input), to_string(network.readout),
      network.code > 0 ? " with a decoder" : "", to_string(network.loss), to_string(data.input),
      every ? "every" : "of the whole sequence", to_string(data.loss), data::kEncodingNote));
}

}  // namespace

data::Encoding encoding_of(const Model& model, const std::string& origin) {
  const auto note = model.notes().find(std::string(data::kEncodingNote));
  if (note == model.notes().end()) {
    throw ModelFileError(
        fmt::format("{}: does not say what its inputs and outputs are (it has no note \"{}\"), "
                    "expected a model that rwa train has made of files",
                    origin, data::kEncodingNote));
  }
  auto encoding = data::parse_encoding(note->second, origin);
  check_fit(origin, model.config(), encoding.shape());
  return encoding;
}

Trained load_trained(const fs::path& path) {
  const fs::path file = file_of(path);
  Model model = Model::load(file);
  auto encoding = encoding_of(model, file.string());
  return {std::move(model), std::move(encoding)};
}

}  // namespace rwa::own
