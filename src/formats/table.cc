// src/formats/table.cc: CSV and the like: what the columns are is guessed from the first rows, or asked for.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "formats/number.h"
#include "formats/table_reader.h"
#include "formats/table_sample.h"
#include "formats/words.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

void read_header(Rows& rows, const std::vector<std::string>& names) {
  if (!rows.next()) return;
  std::unordered_set<std::string_view> known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!rows.word(i).empty() && !known.insert(names[i]).second) {
      rows.refuse(i, fmt::format("another column {}", io::quote(names[i])), "names that differ");
    }
  }
}

Schema describe(const Sample& sample, const Roles& roles) {
  const auto name = [&](std::optional<std::size_t> column) {
    return column ? sample.names()[*column] : std::string();
  };
  Schema schema{.format = Format::kTable, .layout = roles.layout, .symbols = roles.symbols};
  if (roles.layout == Layout::kWide && !roles.symbols) {
    schema.features = {"x"};
  } else {
    for (const std::size_t column : roles.features) schema.features.push_back(name(column));
  }
  schema.target = roles.target;
  for (const std::size_t column : roles.targets) schema.targets.push_back(name(column));
  schema.id = name(roles.id);
  schema.time = name(roles.time);
  return schema;
}

// More than the first MiB is looked at only where rows are that long.
Sample take_sample(Source& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  for (std::size_t most = std::size_t{1} << 20;; most *= 2) {
    std::string_view lines = source.peek(most);
    const bool whole = lines.size() < most || most > Source::kLongestLine;
    if (!whole) lines = lines.substr(0, lines.rfind('\n') + 1);
    if (lines.starts_with(kByteOrderMark)) lines.remove_prefix(kByteOrderMark.size());
    if (Sample sample(lines); whole || sample.has_rows()) return sample;
  }
}

Table look_at(Source& source, const Options& options) {
  const Sample sample = take_sample(source);
  Table table{sample.separator(), sample.has_header(), sample.names()};
  if (sample.rows() == 0) return table;  // who reads it will come upon the reason
  table.roles = options.as ? fit_roles(sample, options, source.name())
                           : guess_roles(sample, options, source.name());
  table.schema = describe(sample, table.roles);
  if (options.as) {
    table.schema = *options.as;
    table.schema.format = Format::kTable;
    table.schema.layout = table.roles.layout;
  }
  return table;
}

}  // namespace

TableReader::TableReader(std::unique_ptr<Source> source, const Table& table, const Options& options,
                         Shared vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      roles_(table.roles),
      rows_(*source_, table.separator, table.names.size()),
      answers_(rows_, roles_, table.names, *vocabulary_, options.as.has_value()) {
  schema_ = table.schema;
  if (table.has_header) read_header(rows_, table.names);
  next_row();
  if (ahead_) return;
  const std::int64_t last = std::max<std::int64_t>(source_->line_number(), 1);
  source_->refuse(last, table.has_header ? "no row below the header" : "no rows", "at least one");
}

void TableReader::begin(Sequence& sequence) {
  sequence.clear();
  sequence.line = rows_.line();
  ++count_;
  if (roles_.id) {
    sequence.id = rows_.word(*roles_.id);
    if (sequence.id.empty()) rows_.refuse(*roles_.id, "nothing", "an id");
  } else {
    sequence.id = std::to_string(count_);
  }
  answers_.begin(sequence);
}

float TableReader::number(std::size_t column) const {
  float value = 0;
  const Number number = parse_number(rows_[column], value);
  if (number == Number::kRead || number == Number::kMissing) return value;
  rows_.refuse(column, io::quote(trimmed(rows_[column])), expected_of(number));
}

std::unique_ptr<Reader> open_table(std::unique_ptr<Source> source, const Options& options,
                                   Shared vocabulary) {
  if (options.layout && *options.layout != Layout::kLong && *options.layout != Layout::kWide) {
    throw ConfigError(fmt::format("{}: the layout of a table is long or wide, found {}",
                                  source->name(), to_string(*options.layout)));
  }
  const Table table = look_at(*source, options);
  const auto read = table.roles.layout == Layout::kLong ? read_long : read_wide;
  return read(std::move(source), table, options, std::move(vocabulary));
}

}  // namespace rwa::formats
