// src/formats/table_roles.h: what each column of a table is for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/schema.h"
#include "formats/table_sample.h"

namespace rwa::formats {

enum class Order {
  kUnknown,  // times that are neither numbers nor ISO 8601 are not compared
  kNumbers,
  kText,
};

struct Roles {
  Layout layout = Layout::kLong;
  bool symbols = false;
  std::optional<std::size_t> id = {}, time = {};
  // Of a long table, the columns of x; of a wide one, its steps; of symbols, the one they stand in.
  std::vector<std::size_t> features = {};
  Target target = Target::kNone;
  std::vector<std::size_t> targets = {};
  Order order = Order::kUnknown;  // of times
  bool numbered_labels = false;   // labels are numbers: 1.0 is 1
};

// From the options, from the names and from what stands in the columns. Throws ConfigError for options
// that do not fit the table, InputError where it has nothing to make sequences of.
Roles guess_roles(const Sample& sample, const Options& options, std::string_view file);

// As a model asks for them (Options::as). Throws InputError where the table lacks what it needs.
Roles fit_roles(const Sample& sample, const Options& options, std::string_view file);

// The kind of answers that stand in the columns of targets. Throws ConfigError where the options ask for
// others.
Target guess_target(const Sample& sample, const Roles& roles, const Options& options,
                    std::string_view file);

}  // namespace rwa::formats
