// src/formats/table.cc: CSV and similar tables with a row per step (long) or per sequence (wide).
// The roles of the columns are guessed from the first rows, set by the options, or known to a
// model.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/formats.h"
#include "formats/parse.h"
#include "formats/table_answers.h"
#include "formats/table_roles.h"
#include "formats/table_rows.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

// What open_table() learned from the first rows.
struct Table {
  char separator = ',';
  bool has_header = false;
  std::vector<std::string> names = {};
  Roles roles = {};
  Schema schema = {};
};

Schema describe(const TableSample& sample, const Roles& roles) {
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

// Looks at more than the first MiB only if rows are that long.
TableSample take_sample(Source& source) {
  for (std::size_t most = std::size_t{1} << 20;; most *= 2) {
    std::string_view lines = source.peek(most);
    const bool whole = lines.size() < most || most > Source::kLongestLine;
    if (!whole) lines = lines.substr(0, lines.rfind('\n') + 1);
    if (TableSample sample(without_mark(lines)); whole || sample.has_rows()) return sample;
  }
}

Table look_at(Source& source, const Options& options) {
  const TableSample sample = take_sample(source);
  Table table{sample.separator(), sample.has_header(), sample.names()};
  if (sample.rows() == 0) return table;  // the reader will report the reason
  table.roles = options.as ? match_roles(sample, options, source.name())
                           : guess_roles(sample, options, source.name());
  table.schema = describe(sample, table.roles);
  if (options.as) {
    table.schema = *options.as;
    table.schema.format = Format::kTable;
    table.schema.layout = table.roles.layout;
  }
  return table;
}

void read_header(Rows& rows, const std::vector<std::string>& names) {
  if (!rows.next()) return;
  std::unordered_set<std::string_view> known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!rows.word(i).empty() && !known.insert(names[i]).second) {
      rows.refuse(i, fmt::format("a second column {}", io::quote(names[i])), "unique column names");
    }
  }
}

// Base of the readers of long and wide tables.
class TableReader : public SourceReader {
 public:
  TableReader(std::unique_ptr<Source> source, const Table& table, const Options& options,
              SharedVocabulary vocabulary);

 protected:
  void next_row() { ahead_ = rows_.next(); }
  // Sets id, line and targets of a sequence from its first row.
  void begin(Sequence& sequence);
  float number(std::size_t column) const;

  Roles roles_;
  Rows rows_;
  TableAnswers answers_;
  bool ahead_ = false;  // a row has been read that is not part of a sequence yet

 private:
  std::int64_t count_ = 0;  // of sequences
};

TableReader::TableReader(std::unique_ptr<Source> source, const Table& table, const Options& options,
                         SharedVocabulary vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      roles_(table.roles),
      rows_(*source_, table.separator, table.names.size()),
      answers_(rows_, roles_, table.names, *vocabulary_, options.as.has_value()) {
  schema_ = table.schema;
  if (table.has_header) read_header(rows_, table.names);
  next_row();
  if (ahead_) return;
  const std::int64_t last = std::max<std::int64_t>(source_->line_number(), 1);
  source_->refuse(last, table.has_header ? "no rows below the header" : "no rows", "at least one");
}

void TableReader::begin(Sequence& sequence) {
  sequence.clear();
  sequence.line = rows_.line();
  ++count_;
  if (roles_.id) {
    sequence.id = rows_.word(*roles_.id);
    if (sequence.id.empty()) rows_.refuse(*roles_.id, "an empty field", "an id");
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

// A row is a step. The rows of a sequence are consecutive and in order of time.
class LongReader : public TableReader {
 public:
  using TableReader::TableReader;

  bool next(Sequence& sequence) override {
    if (!ahead_) return false;
    begin(sequence);
    if (roles_.id) remember(sequence);
    begin_time();
    add_step(sequence);
    for (next_row(); ahead_ && belongs_to(sequence); next_row()) {
      answers_.go_on(sequence);
      check_time();
      add_step(sequence);
    }
    return true;
  }

 private:
  [[nodiscard]] bool belongs_to(const Sequence& sequence) const {
    return !roles_.id || trimmed(rows_[*roles_.id]) == sequence.id;
  }
  void remember(const Sequence& sequence);
  void begin_time();
  void check_time();
  [[nodiscard]] double time_as_number() const;
  void add_step(Sequence& sequence);

  // First line of each sequence by hash of its id, limited in number to bound the memory.
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 22;
  std::unordered_map<std::size_t, std::int64_t> lines_;
  double time_ = 0;
  std::string time_text_;
};

void LongReader::remember(const Sequence& sequence) {
  if (lines_.size() == kMostRemembered) return;
  const auto [known, is_new] = lines_.emplace(std::hash<std::string>()(sequence.id), sequence.line);
  if (is_new) return;
  rows_.refuse(
      *roles_.id,
      fmt::format("the id {} again, first seen on line {}", io::quote(sequence.id), known->second),
      "the rows of a sequence to be consecutive: sort the table by id");
}

void LongReader::begin_time() {
  if (roles_.order == TimeOrder::kNumbers) time_ = time_as_number();
  if (roles_.order == TimeOrder::kText) time_text_ = trimmed(rows_[*roles_.time]);
}

void LongReader::check_time() {
  const auto refuse = [&](std::string_view before) {
    rows_.refuse(*roles_.time, io::quote(trimmed(rows_[*roles_.time])),
                 fmt::format("a time no earlier than {} in the row above", before));
  };
  if (roles_.order == TimeOrder::kNumbers) {
    const double time = time_as_number();
    if (time < time_) refuse(fmt::format("{}", time_));
    time_ = time;
  } else if (roles_.order == TimeOrder::kText) {
    const std::string_view time = trimmed(rows_[*roles_.time]);
    if (time < time_text_) refuse(io::quote(time_text_));
    time_text_ = time;
  }
}

// A double, since a float cannot hold seconds since 1970.
double LongReader::time_as_number() const {
  const std::string_view text = trimmed(rows_[*roles_.time]);
  const char* const end = text.data() + text.size();
  double time = 0;
  const auto read = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, time);
  if (read.ec != std::errc() || read.ptr != end || time != time) {
    rows_.refuse(*roles_.time, text.empty() ? "an empty field" : io::quote(text),
                 "a time as a number, as in other rows");
  }
  return time;
}

void LongReader::add_step(Sequence& sequence) {
  if (sequence.steps == std::numeric_limits<int>::max()) {
    rows_.refuse(0, fmt::format("more than {} steps in one sequence", sequence.steps), "fewer");
  }
  ++sequence.steps;
  if (!roles_.symbols) {
    for (const std::size_t column : roles_.features) sequence.x.push_back(number(column));
    return;
  }
  const std::size_t column = roles_.features[0];
  const std::string_view symbol = rows_.word(column);
  if (symbol.empty()) rows_.refuse(column, "an empty field", "a symbol");
  sequence.symbols.push_back(vocabulary_->symbols.number(symbol));
}

// A row is a sequence: numbers, or a text.
class WideReader : public TableReader {
 public:
  WideReader(std::unique_ptr<Source> source, const Table& table, const Options& options,
             SharedVocabulary vocabulary)
      : TableReader(std::move(source), table, options, vocabulary),
        symbols_(std::move(vocabulary), options.kmer) {}

  bool next(Sequence& sequence) override {
    if (!ahead_) next_row();
    if (!ahead_) return false;
    begin(sequence);
    if (roles_.symbols) {
      symbols_.append(rows_.text(roles_.features[0]), sequence);
    } else {
      add_numbers(sequence);
    }
    ahead_ = false;
    return true;
  }

 private:
  // Missing values at the end mark a shorter sequence.
  void add_numbers(Sequence& sequence) const {
    for (const std::size_t column : roles_.features) sequence.x.push_back(number(column));
    while (!sequence.x.empty() && std::isnan(sequence.x.back())) sequence.x.pop_back();
    sequence.steps = static_cast<int>(sequence.x.size());
  }

  TextSymbols symbols_;
};

}  // namespace

std::unique_ptr<Reader> open_table(std::unique_ptr<Source> source, const Options& options,
                                   SharedVocabulary vocabulary) {
  if (options.layout && *options.layout != Layout::kLong && *options.layout != Layout::kWide) {
    throw ConfigError(fmt::format("{}: found --layout {} for a table, expected long or wide",
                                  source->name(), to_string(*options.layout)));
  }
  const Table table = look_at(*source, options);
  if (table.roles.layout == Layout::kWide) {
    return std::make_unique<WideReader>(std::move(source), table, options, std::move(vocabulary));
  }
  return std::make_unique<LongReader>(std::move(source), table, options, std::move(vocabulary));
}

}  // namespace rwa::formats
