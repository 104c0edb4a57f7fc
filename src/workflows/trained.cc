#include "workflows/trained.h"

#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rwa/errors.h"
#include "training/run_folder.h"

namespace rwa::workflows {
namespace fs = std::filesystem;

datasets::Encoding encoding_of(const Model& model, const std::string& origin) {
  auto encoding = datasets::find_encoding(model.notes(), model.config(), origin);
  if (encoding) return *std::move(encoding);
  throw ModelFileError(
      fmt::format("{}: does not say what its inputs and outputs are (it has no note \"{}\"), "
                  "expected a model that rwa train has made of files",
                  origin, datasets::kEncodingNote));
}

Trained load_trained(const fs::path& path) {
  std::error_code refused;  // then it cannot be read either
  if (!fs::exists(path, refused)) {
    throw ConfigError(
        fmt::format("there is no file or folder '{}', expected a model (*.safetensors) or the "
                    "folder that rwa train has written it to",
                    path.string()));
  }
  const fs::path file = training::model_file(path);
  Model model = Model::load(file);
  auto encoding = encoding_of(model, file.string());
  return {std::move(model), std::move(encoding)};
}

}  // namespace rwa::workflows
