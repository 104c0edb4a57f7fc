// src/formats/table_roles.h: what each column of a table is for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/schema.h"
#include "formats/table_columns.h"

namespace rwa::formats {

enum class TimeOrder {
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
  TimeOrder order = TimeOrder::kUnknown;  // of times
  bool numbered_labels = false;           // labels are numbers: 1.0 is 1
};

// From the options, from the names and from what stands in the columns. Throws ConfigError for
// options that do not fit the table, InputError where it has nothing to make sequences of.
Roles guess_roles(const TableSample& sample, const Options& options, std::string_view file);

// As a model knows them (Options::as). Throws InputError where the table lacks what it needs.
Roles match_roles(const TableSample& sample, const Options& options, std::string_view file);

// What both go by. Columns without a role, of numbers or not; one without a name has none.
std::vector<std::size_t> free_columns(const TableSample& sample, const Roles& roles, bool numbers);
// Of those without a role, the steps of a wide table.
std::vector<std::size_t> step_columns(const TableSample& sample, const Roles& roles);
// Of those without a role, the one of a text or of symbols: which has the most to say.
std::optional<std::size_t> text_column(const TableSample& sample, const Roles& roles);
TimeOrder order_of(const TableSample& sample, std::optional<std::size_t> time);
bool is_long_by_id_or_time(const TableSample& sample, const Roles& roles);

}  // namespace rwa::formats
