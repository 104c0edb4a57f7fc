// src/workflows/predict_out.h: predictions on their way out: to the standard output, or to a file that is
// replaced as a whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "io/descriptor.h"
#include "io/replace_file.h"
#include "workflows/answers_text.h"
#include "workflows/predict.h"

namespace rwa::workflows {

// Throws ResourceError where the system refuses; a pipe whose reader is gone is such a refusal, if
// the program has asked not to be ended by it.
class Output {
 public:
  // No path: the standard output. What is no regular file, such as /dev/null, is written to
  // directly.
  explicit Output(const std::filesystem::path& file = {});

  void write(std::string_view text);
  // Everything is written: the file takes its place.
  void finish();

 private:
  std::filesystem::path file_;                // for messages
  std::optional<io::Descriptor> descriptor_;  // that is written to directly, or
  std::optional<io::Replacement> replacement_;
};

// Every sequence, or every step of it, is a row.
void write_predictions(const Trained& trained, const Samples& next, const PredictOptions& options,
                       Form form, Output& output);

}  // namespace rwa::workflows
