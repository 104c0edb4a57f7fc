// src/workflows/generate.h: a forecast that runs freely: what it says of the next step becomes the next
// step.
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
  int count = 1;     // texts for each prompt; of numbers there is but one
  // What comes first: a text, or the sequences of a file. Without either, a symbol by chance, which
  // counts as a step, or the mean of the numbers, which does not.
  std::optional<std::string> prompt = {};
  std::filesystem::path prompt_file = {};
  double temperature =
      1;  // symbols are drawn by softmax(y / temperature); 0: always the most likely
  std::uint64_t seed = 1;
};

// Symbols: a text per line, which begins with its prompt. Numbers: CSV, the id of the prompt, the
// number of the step and the features. `out` gets them line by line. Throws ConfigError for a model
// that is no forecast and for options that do not fit it, InputError for a prompt that does not.
void generate(const Trained& trained, const GenerateOptions& options,
              const std::function<void(std::string_view line)>& out);

}  // namespace rwa::workflows
