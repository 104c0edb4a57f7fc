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
      fmt::format("{}: has no data encoding (no note \"{}\"), expected a model trained on files "
                  "with rwa train, or imported with rwa import --data",
                  origin, datasets::kEncodingNote));
}

Trained load_trained(const fs::path& path) {
  std::error_code refused;  // a path that cannot be checked counts as missing
  if (!fs::exists(path, refused)) {
    throw ConfigError(
        fmt::format("there is no file or folder '{}', expected a model (*.safetensors) or a run "
                    "folder",
                    path.string()));
  }
  const fs::path file = training::model_file(path);
  Model model = Model::load(file);
  auto encoding = encoding_of(model, file.string());
  return {std::move(model), std::move(encoding)};
}

}  // namespace rwa::workflows
