#include "export/torch_module.h"

#include <span>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "datasets/encoding.h"
#include "export/torch_module_text.h"
#include "export/torch_module_weights.h"
#include "io/replace_file.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

namespace fs = std::filesystem;

// By which the weights of a module are known; "pt" is what PyTorch's own files say.
constexpr const char* kFormat = "pt";
constexpr const char* kWriterKey = "written_by";
constexpr const char* kWriter = "rwa export --torch";

bool is_of_a_module(const fs::path& weights) try {
  const io::TensorFile file = io::read_safetensors(weights);
  const auto writer = file.metadata.find(kWriterKey);
  return writer != file.metadata.end() && writer->second == kWriter;
} catch (const ModelFileError&) {
  return false;
}

// "rwa export model.safetensors --torch model.py" must not replace the model.
fs::path weights_beside(const fs::path& file) {
  if (file.extension() != ".py") {
    throw ConfigError(fmt::format("{}: expected a name that ends in .py", file.string()));
  }
  fs::path weights = file;
  weights.replace_extension(".safetensors");
  std::error_code refused;  // then writing will say why
  if (fs::exists(weights, refused) && !is_of_a_module(weights)) {
    throw ConfigError(fmt::format(
        "{}: the weights go to {}, which is there and not an exported module's, expected another "
        "name",
        file.string(), weights.string()));
  }
  return weights;
}

}  // namespace

void export_torch(const Model& model, const fs::path& file) {
  const fs::path weights_file = weights_beside(file);
  const auto data = datasets::find_encoding(model.notes(), model.config(), "the model");
  const std::string text = torch_module_text(model.config(), data);
  const auto weights =
      io::format_safetensors({{{"format", kFormat}, {kWriterKey, kWriter}}, torch_weights(model)});
  io::Replacement new_weights(weights_file), new_text(file);
  new_weights.write(weights);
  new_text.write(std::as_bytes(std::span(text)));
  new_weights.finish();
  new_text.finish();
}

}  // namespace rwa::exports
