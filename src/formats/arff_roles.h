// src/formats/arff_roles.h: the role of each attribute of an ARFF file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arff_header.h"
#include "formats/schema.h"

namespace rwa::formats {

struct ArffRoles {
  std::vector<std::size_t> steps = {};                  // the numbers of a univariate sequence, or
  std::optional<std::size_t> relation = {}, text = {};  // the one attribute with the sequence
  std::optional<std::size_t> id = {}, target = {};
  std::string why_target = {};
};

// Guesses roles from the options, the names and the types. Throws ConfigError for options that do
// not fit the attributes, InputError if it is unclear which attribute is the sequence.
ArffRoles guess_arff_roles(const std::vector<ArffAttribute>& attributes, const Options& options,
                           std::string_view file);

}  // namespace rwa::formats
