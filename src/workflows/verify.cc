#include "workflows/inspect.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "datasets/encoding.h"
#include "formats/data_files.h"
#include "formats/reader.h"
#include "io/existing.h"
#include "io/folder.h"
#include "io/safetensors.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "training/checkpoint.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

std::string verify_model(const fs::path& file) {
  const Model model = Model::load(file);
  const bool has_encoding =
      datasets::find_encoding(model.notes(), model.config(), file.string()).has_value();
  return fmt::format(
      "valid model, {}, {} data encoding",
      report::counted(static_cast<std::int64_t>(model.parameter_count()), "parameter"),
      has_encoding ? "with" : "without");
}

std::string in_words(const training::Checkpoint& checkpoint) {
  return fmt::format("valid checkpoint, training step {} of {}", checkpoint.state.step,
                     checkpoint.experiment.training.steps);
}

std::string verify_tensors(const fs::path& file) {
  const io::TensorFile content = io::read_safetensors(file);
  const auto format = content.metadata.find("format");
  const bool is_checkpoint =
      format != content.metadata.end() && format->second == training::kCheckpointFormat;
  return is_checkpoint ? in_words(training::read_checkpoint(file)) : verify_model(file);
}

bool is_run(const fs::path& path) { return fs::exists(path / training::kConfigFile); }
bool is_several_runs(const fs::path& path) { return fs::exists(path / training::kModelFile); }

std::string verify_run(const fs::path& folder) {
  const training::Record record = training::read_run(folder);
  std::string parts = fmt::format("run, {}, training step {} of {}", to_string(record.status),
                                  record.steps, record.experiment.training.steps);
  if (fs::exists(folder / training::kCheckpointFile)) {
    parts += fmt::format("; {}: {}", training::kCheckpointFile,
                         in_words(training::read_checkpoint_of(record.experiment, folder)));
  }
  if (const fs::path model = folder / training::kModelFile; fs::exists(model)) {
    parts += fmt::format("; {}: {}", training::kModelFile, verify_model(model));
  }
  return parts;
}

// The model of several runs, as of --folds, and these.
std::string verify_runs(const fs::path& folder) {
  std::string parts = verify_tensors(folder / training::kModelFile);
  const std::vector<fs::path> runs = training::find_parts(folder);
  for (const fs::path& run : runs) (void)verify_run(run);
  if (!runs.empty()) parts += "; " + report::counted(std::ssize(runs), "valid run");
  return parts;
}

std::string verify_data(const fs::path& path) {
  const auto reader = formats::open(std::array{path}, {}, std::make_shared<formats::Vocabulary>());
  std::int64_t sequences = 0;
  std::int64_t steps = 0;
  for (formats::Sequence sequence; reader->next(sequence); ++sequences) steps += sequence.steps;
  return fmt::format("valid data, {}, {} in total, format {}",
                     report::counted(sequences, "sequence"), report::counted(steps, "step"),
                     to_string(reader->schema().format));
}

}  // namespace

std::string verify(const fs::path& path) try {
  io::require_existing(path);
  if (is_run(path)) return verify_run(path);
  if (is_several_runs(path)) return verify_runs(path);
  if (path.extension() == ".safetensors") return verify_tensors(path);
  return verify_data(path);
} catch (const fs::filesystem_error& error) {
  throw io::refusal(error);
}

std::vector<fs::path> files_in(const fs::path& folder) try {
  if (!fs::is_directory(folder) || is_run(folder) || is_several_runs(folder)) return {};
  return formats::find_files({&folder, 1}).files;
} catch (const InputError&) {
  return {};
}

}  // namespace rwa::workflows
