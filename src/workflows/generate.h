// src/workflows/generate.h: continues sequences with a forecasting model by feeding its predictions
// back as the next steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "workflows/trained.h"

namespace rwa::workflows {

struct GenerateOptions {
  int length = 100;               // steps
  std::optional<int> count = {};  // texts for each prompt; default: 1
  // What to continue: a text, or the sequences of a file. Default: a random symbol, which counts as
  // a step, or the mean of the numbers, which does not.
  std::optional<std::string> prompt = {};
  std::filesystem::path prompt_file = {};
  // Symbols are drawn from softmax(y / temperature); 0: always the most likely. Default: 1.
  std::optional<double> temperature = {};
  std::optional<std::uint64_t> seed = {};  // default: 1
};

// Passes lines to `out`: for symbols a text each, beginning with its prompt; for numbers CSV with
// the id of the prompt, the step and the features. Throws ConfigError for a model of another task
// and for options that do not apply to it, InputError for a prompt that the model cannot read.
void generate(const Trained& trained, const GenerateOptions& options,
              const std::function<void(std::string_view line)>& out);

}  // namespace rwa::workflows
