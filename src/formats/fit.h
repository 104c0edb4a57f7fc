// src/formats/fit.h: what a file has, against what is asked of it: by name, or by a model.
#pragma once

#include <optional>
#include <string_view>

#include "formats/schema.h"

namespace rwa::formats {

// The answers that are asked for, where that is not left to a guess.
std::optional<Target> wanted(const Options& options);

// Where labels come from, by the options or by the model.
std::string_view label_from(const Options& options);

// What is to be read as answers, of those that `file` has; kNone: nothing. Numbers are one for
// each. Throws ConfigError where it has others than the options ask for, InputError where a model
// does; a model can do without any.
Target fit_target(Target found, const Options& options, std::string_view file);

// Makes a schema whose features have no names of their own that of the model, where there is one:
// they are taken in their order. Throws InputError where they are not as many, or symbols, or the
// other way.
void fit_model(Schema& schema, const Options& options, std::string_view file);

}  // namespace rwa::formats
