// cli/model_options.h: a model and the data it is used on, as `rwa predict` and `rwa evaluate` take
// them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "workflows/predict.h"

namespace rwa::cli {

struct ModelAndData {
  std::filesystem::path model;
  std::vector<std::filesystem::path> data;
  workflows::PredictOptions options;

  ModelAndData();
};
void add_model_and_data(CLI::App& command, ModelAndData& what);
// The sequences of the files. Throws Interrupted if a signal arrives while they are read.
workflows::SampleSource open_data(const ModelAndData& what, const workflows::Trained& trained,
                                  bool answered);

}  // namespace rwa::cli
