#include "workflows/trained.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "io/existing.h"
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
  io::require_existing(path);
  const fs::path file = training::model_file(path);
  Model model = Model::load(file);
  auto encoding = encoding_of(model, file.string());
  return {std::move(model), std::move(encoding)};
}

}  // namespace rwa::workflows
