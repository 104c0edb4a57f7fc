// src/formats/table_columns.h: columns of a table, found by their names and by what stands in them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table_roles.h"
#include "formats/table_sample.h"

namespace rwa::formats {

// By the names that such columns usually have. An id is a word or a whole number.
std::optional<std::size_t> find_id(const Sample& sample);
std::optional<std::size_t> find_time(const Sample& sample);
std::optional<std::size_t> find_target(const Sample& sample);
// By a name that the options give. Throws ConfigError, with the nearest, for an unknown one.
std::size_t column_named(const std::string& name, const Sample& sample, std::string_view file);

// Those without a role, of numbers or not; one without a name has none.
std::vector<std::size_t> free_columns(const Sample& sample, const Roles& roles, bool numbers);
// At least three whose names end in consecutive numbers: t0, t1, t2.
bool are_numbered(const Sample& sample, std::span<const std::size_t> columns);
// Of those without a role, the steps of a wide table.
std::vector<std::size_t> step_columns(const Sample& sample, const Roles& roles);
// Of those without a role, the one of a text or of symbols: which has the most to say.
std::optional<std::size_t> text_column(const Sample& sample, const Roles& roles);

Order order_of(const Sample& sample, std::optional<std::size_t> time);
bool is_long_by_id_or_time(const Sample& sample, const Roles& roles);

// Names for a message, and not more than a few.
std::string listed(const std::vector<std::string>& names);

}  // namespace rwa::formats
