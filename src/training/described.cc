#include "training/described.h"

#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "tasks/task.h"
#include "training/experiment.h"
#include "training/run_folder.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExpected =
    "expected a model (*.safetensors), an experiment (*.toml) or the folder of a run";

std::vector<std::string> names_beside(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code refused;  // then none is suggested
  for (const auto& entry : fs::directory_iterator(folder, refused)) {
    names.push_back(io::escape(entry.path().filename().string()));
  }
  return names;
}

[[noreturn]] void refuse_missing(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto near = nearest(name, names_beside(path));
  throw ConfigError(
      fmt::format("there is no file or folder '{}'{}", path.string(),
                  near.empty() ? fmt::format(", {}", kExpected) : suggestion(name, near)));
}

// Features and answers are as the files have them: only a run that has ended knows the network.
ModelConfig config_of_run(const fs::path& file) {
  const fs::path model = file.parent_path() / kModelFile;
  if (file.filename() == kConfigFile && fs::exists(model)) return Model::load(model).config();
  throw ConfigError(
      fmt::format("the network is not known before its files are read: found no {} of a finished "
                  "run beside it",
                  kModelFile));
}

Described describe_experiment(std::string kind, const fs::path& file) {
  const Experiment experiment = parse_experiment(io::read_text(file), file.string());
  try {
    const ModelConfig config = std::holds_alternative<datasets::FilesTask>(experiment.task)
                                   ? config_of_run(file)
                                   : model_config(experiment, tasks::facts(experiment.task).shape);
    return {std::move(kind), config, rwa::describe(config)};
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

Described describe_model(const fs::path& file) {
  try {
    const ModelConfig config = Model::load(file).config();
    return {"a model", config, rwa::describe(config)};
  } catch (const ModelFileError& error) {
    if (file.extension() == ".safetensors") throw;
    throw ConfigError(fmt::format("{}; {}", error.what(), kExpected));
  }
}

}  // namespace

Described read_described(const fs::path& path) try {
  if (!fs::exists(path)) refuse_missing(path);
  if (!fs::is_directory(path)) {
    return path.extension() == ".toml" ? describe_experiment("an experiment", path)
                                       : describe_model(path);
  }
  if (!fs::exists(path / kConfigFile)) {
    throw ConfigError(
        fmt::format("{}: is a folder without a {}, {}", path.string(), kConfigFile, kExpected));
  }
  return describe_experiment("a run", path / kConfigFile);
} catch (const fs::filesystem_error& error) {
  throw ResourceError(error.what());
}

}  // namespace rwa::training
