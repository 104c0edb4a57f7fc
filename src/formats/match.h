// src/formats/match.h: what the sequences of a file are answered with and made of, guessed, and
// against what the options or a model name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "formats/schema.h"

namespace rwa::formats {

// Whether answers are names or numbers. Names are written as numbers too: those that are whole,
// few, and come again.
class TargetGuess {
 public:
  void see(std::string_view answer);  // one that is missing says nothing
  // kClass or kNumbers; kNone where nothing was seen.
  [[nodiscard]] Target target() const;

 private:
  static constexpr std::size_t kMostClasses = 20;

  std::int64_t seen_ = 0;
  bool numbers_ = true, whole_ = true;
  std::set<float> distinct_;  // no more than one beyond kMostClasses
};

// The target that the options or the model name; nothing where it is to be guessed.
std::optional<Target> requested_target(const Options& options);

// Where labels come from, by the options or by the model.
std::string_view label_from(const Options& options);

// What is to be read as answers, of those that `file` has; kNone: nothing. Numbers are one for
// each. Throws ConfigError where it has others than the options ask for, InputError where a model
// does; a model can do without any.
Target match_target(Target found, const Options& options, std::string_view file);

// Makes a schema whose features have no names of their own that of the model, where there is one:
// they are taken in their order. Throws InputError where they are not as many, or symbols, or the
// other way.
void match_model(Schema& schema, const Options& options, std::string_view file);

}  // namespace rwa::formats
