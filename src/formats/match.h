// src/formats/match.h: guesses the targets of a file, and checks them and its features against the
// options or a model.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "formats/schema.h"

namespace rwa::formats {

// Guesses whether targets are classes or numbers. Few whole numbers that repeat are classes too.
class TargetGuess {
 public:
  void see(std::string_view answer);  // ignores a missing value
  // kClass or kNumbers; kNone if nothing was seen.
  [[nodiscard]] Target target() const;

 private:
  static constexpr std::size_t kMostClasses = 20;

  std::int64_t seen_ = 0;
  bool numbers_ = true, whole_ = true;
  std::set<float> distinct_;  // at most kMostClasses + 1
};

// The target set by the options or the model. Empty if it must be guessed.
std::optional<Target> requested_target(const Options& options);

// The label source set by the options or the model.
std::string_view label_from(const Options& options);

// Returns the target to read from `file`, which has the target `found` (one number per sequence if
// kNumbers); kNone: read none. Throws ConfigError if the options require another target, InputError
// if a model does. A model accepts data without targets.
Target match_target(Target found, const Options& options, std::string_view file);

// Why the task is what it is: the options, the model, or what was found in the file.
std::string task_reason(const Options& options, std::string_view found);

// Replaces the schema of a format without feature names by the model's, if there is one: features
// are matched by order. Throws InputError if their number differs, or if one has symbols and the
// other numbers.
void match_model(Schema& schema, const Options& options, std::string_view file);

}  // namespace rwa::formats
