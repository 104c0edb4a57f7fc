// cli/model_options.h: the arguments that commands with a model share: the model; and data, for
// `rwa predict` and `rwa evaluate`.
#pragma once

#include <filesystem>
#include <vector>

#include "parser.h"
#include "workflows/predict.h"

namespace rwa::cli {

void add_model(const Command& command, std::filesystem::path& model);

struct ModelAndData {
  std::filesystem::path model;
  std::vector<std::filesystem::path> data;
  workflows::PredictOptions options;

  ModelAndData();
};
void add_model_and_data(const Command& command, ModelAndData& what);
// Reads the sequences of the files, as workflows::open_samples() does. Throws Interrupted if a
// signal arrives while reading.
workflows::SampleSource open_data(const ModelAndData& what, const workflows::Trained& trained,
                                  bool answered, workflows::SkipReport* report = nullptr);

}  // namespace rwa::cli
