// src/formats/table_time.h: finds by content which columns of a table say when a row was and to
// which sequence it belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/table_columns.h"
#include "formats/time.h"

namespace rwa::formats {

struct FoundColumn {
  std::size_t column = 0;
  std::string why = {};
};

// The form of most cells of a column; others are mistakes. Empty if they have none in common.
std::optional<TimeForm> time_form(const TableSample& sample, std::size_t column);
// Whether the dates of a column could be read day first and month first.
bool is_ambiguous(const TableSample& sample, std::size_t column);

// The first column of dates, months, quarters, seconds or milliseconds since 1970, or years in
// a column without a name or called year.
std::optional<FoundColumn> find_time_by_content(const TableSample& sample,
                                                const std::vector<bool>& taken);

// The first column of times of day, beside a column of dates.
std::optional<std::size_t> find_time_of_day(const TableSample& sample,
                                            const std::vector<bool>& taken);

// Row numbers or names, as pandas and R write them.
bool is_index(const TableSample& sample, std::size_t column);

// The column whose value changes wherever time goes back, and does not come again.
std::optional<FoundColumn> find_id_by_time(const TableSample& sample, std::size_t time,
                                           TimeForm form, const std::vector<bool>& taken);

// The column that tells rows of equal times apart: sequences are mixed. Empty if there is none.
std::optional<std::size_t> find_mixed_id(const TableSample& sample, std::size_t time,
                                         const std::vector<bool>& taken);

// Columns whose value is mostly that of the row above, which an id would be.
std::vector<std::size_t> columns_in_runs(const TableSample& sample);

}  // namespace rwa::formats
