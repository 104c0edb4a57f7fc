// src/workflows/generate.h: continue sequences with a forecasting model: the prediction of the next
// step becomes the next step.
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
  int length = 100;  // steps
  int count = 1;     // texts for each prompt; 1 for numbers
  // The beginning: a text, or the sequences of a file. By default a random symbol, which counts as
  // a step, or the mean of the numbers, which does not.
  std::optional<std::string> prompt = {};
  std::filesystem::path prompt_file = {};
  // Symbols are drawn from softmax(y / temperature); 0: always the most likely.
  double temperature = 1;
  std::uint64_t seed = 1;
};

// Symbols: a text per line, which begins with its prompt. Numbers: CSV with the id of the prompt,
// the number of the step and the features. `out` receives them line by line. Throws ConfigError for
// a model of another task and for options that do not suit it, InputError for a prompt that does
// not.
void generate(const Trained& trained, const GenerateOptions& options,
              const std::function<void(std::string_view line)>& out);

}  // namespace rwa::workflows
