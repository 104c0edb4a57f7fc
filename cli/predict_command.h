// cli/predict_command.h: `rwa predict`: what a model says of the sequences of files.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "workflows/predict.h"

namespace rwa::cli {

void add_predict_command(CLI::App& app);

// A model, the files it is used on, and how: `rwa evaluate` has the same.
struct ModelAndData {
  std::filesystem::path model;
  std::vector<std::filesystem::path> data;
  workflows::PredictOptions options;

  ModelAndData();
};
void add_model_and_data(CLI::App& command, ModelAndData& what);
// The sequences of the files. Throws Interrupted where one asks for it while they are read.
workflows::Samples open_data(const ModelAndData& what, const workflows::Trained& trained,
                             bool answered);

}  // namespace rwa::cli
