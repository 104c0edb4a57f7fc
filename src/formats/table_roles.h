// src/formats/table_roles.h: the role of each column of a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/reader.h"
#include "formats/schema.h"
#include "formats/table_columns.h"
#include "formats/time.h"

namespace rwa::formats {

struct Roles {
  Layout layout = Layout::kLong;
  bool symbols = false;
  std::optional<std::size_t> id = {}, time = {};
  // The features of a long table, the steps of a wide one, or the columns of symbols: several for a
  // symbol per column, one for a text per row or a symbol per row.
  std::vector<std::size_t> features = {};
  Target target = Target::kNone;
  std::vector<std::size_t> targets = {};
  std::optional<TimeForm> time_form = {};       // empty: times are not compared
  std::optional<std::size_t> time_of_day = {};  // beside dates in `time`
  std::optional<std::size_t> mixed = {};  // tells rows of equal times apart: sequences are mixed
  bool numbered_labels = false;           // labels are numbers: 1.0 equals 1
};

struct GuessedRoles {
  Roles roles;
  Findings findings;
};

// Guesses roles from the options, the names and the contents of the columns. Throws ConfigError for
// options that do not fit the table, InputError if no column can be a feature.
GuessedRoles guess_roles(const TableSample& sample, const Options& options, std::string_view file);

// Matches the columns of a model (Options::as). Throws InputError if the table lacks some.
Roles match_roles(const TableSample& sample, const Options& options, std::string_view file);

// Helpers of both. Columns without a role, numeric or not; never row numbers, dates, empty columns
// and text that should be numbers.
std::vector<std::size_t> free_columns(const TableSample& sample, const Roles& roles, bool numbers);
std::vector<bool> taken_columns(const TableSample& sample, const Roles& roles);
// The steps of a wide table, among columns without a role.
std::vector<std::size_t> step_columns(const TableSample& sample, const Roles& roles);
// Whether the steps are numbered (t0, t1, t2), or many.
bool has_steps(const TableSample& sample, const Roles& roles);
// Columns of single letters, a symbol each, among columns without a role. Empty if there are few.
std::vector<std::size_t> letter_columns(const TableSample& sample, const Roles& roles);
// Whether a column of words without a role repeats as a target does.
bool may_be_target(const TableSample& sample, const Roles& roles, std::size_t column);
// Whether it has numbers with units or thousands separators; dates may look like them.
bool should_be_numbers(const TableSample& sample, std::size_t column);
// The most informative column of text or symbols, among columns without a role.
std::optional<std::size_t> text_column(const TableSample& sample, const Roles& roles);
std::optional<TimeForm> form_of(const TableSample& sample, std::optional<std::size_t> time);
bool is_long_by_id_or_time(const TableSample& sample, const Roles& roles);

}  // namespace rwa::formats
