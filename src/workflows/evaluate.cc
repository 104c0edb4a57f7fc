#include "workflows/evaluate.h"

#include <memory>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/files.h"
#include "rwa/errors.h"
#include "training/run_folder.h"
#include "workflows/refit.h"
#include "workflows/verdict.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

// The folder of the run that made the model, if there is one.
fs::path run_folder_of(const fs::path& model) {
  const fs::path last = model / kRefitFolder;
  return fs::exists(last / training::kConfigFile) ? last : model;
}

// Reads the data of a run again. Throws if it is not as it was.
std::unique_ptr<datasets::Files> read_again(const training::Record& run, const Trained& trained) {
  const auto* task = std::get_if<datasets::FilesTask>(&run.experiment.task);
  if (task == nullptr) throw ConfigError("the model was not trained on files");
  std::error_code refused;
  auto files = datasets::open_files(*task, run.experiment.seed, fs::temp_directory_path(refused));
  if (files->encoding() == trained.encoding) return files;
  throw InputError(
      fmt::format("{}: is not the training data of the model", fmt::join(task->train, ", ")));
}

}  // namespace

Evaluated evaluate(const fs::path& model, const Trained& trained,
                   const std::function<SampleSource()>& open, bool again,
                   const PredictOptions& options) {
  Evaluated made{.scores = score(trained, open(), options)};
  const fs::path folder = run_folder_of(model);
  if (!again || !fs::exists(folder / training::kConfigFile)) return made;
  const training::Record run = training::read_run(folder);
  std::unique_ptr<datasets::Files> files;
  try {
    files = read_again(run, trained);
  } catch (const Error& error) {
    made.why_no_baselines = error.what();
    return made;
  }
  made.baselines = score_baselines(*files, open(), made.scores.sequences);
  made.remark = remark(compare(made.scores, made.baselines), run);
  return made;
}

std::string to_text(const Evaluated& evaluated) {
  std::string text;
  for (const auto& [title, table] : tables(evaluated.scores, evaluated.baselines)) {
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", title, report::to_text(table));
  }
  if (!evaluated.remark.empty()) {
    text += fmt::format("\nnote: the model is {}\n", evaluated.remark);
  }
  return text;
}

std::string to_json(const Evaluated& evaluated) {
  using nlohmann::ordered_json;
  auto object = ordered_json::parse(to_json(evaluated.scores));
  if (!evaluated.baselines.empty()) {
    object["baselines"] = ordered_json::parse(to_json(evaluated.baselines));
  }
  if (!evaluated.remark.empty()) object["remark"] = evaluated.remark;
  return object.dump() + "\n";
}

}  // namespace rwa::workflows
