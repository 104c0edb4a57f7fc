// src/formats/table.cc: CSV and similar tables with a row per step (long) or per sequence (wide).
// The roles of the columns are guessed from the first rows, set by the options, or known to a
// model.
#include <algorithm>
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
#include "formats/table_time.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

// What open_table() learned from the first rows.
struct Table {
  Dialect dialect = {};
  bool has_header = false;
  std::vector<std::string> names = {};
  Roles roles = {};
  std::vector<std::size_t> in_runs = {};  // columns that may be ids
  Schema schema = {};
  Findings findings = {};
};

bool is_symbol_per_column(const Roles& roles) {
  return roles.layout == Layout::kWide && roles.symbols && roles.features.size() > 1;
}

// Of the times that are kept: only forecasts need them.
std::optional<TimeForm> time_form_of(const Roles& roles) {
  const bool forecasts = roles.target == Target::kNone && !roles.symbols;
  return forecasts && roles.layout == Layout::kLong ? roles.time_form : std::nullopt;
}

Schema describe(const TableSample& sample, const Roles& roles) {
  const auto name = [&](std::optional<std::size_t> column) {
    return column ? sample.names()[*column] : std::string();
  };
  Schema schema{.format = Format::kTable, .layout = roles.layout, .symbols = roles.symbols};
  if (roles.layout == Layout::kWide && !roles.symbols) {
    schema.features = {"x"};
  } else if (!is_symbol_per_column(roles)) {
    for (const std::size_t column : roles.features) schema.features.push_back(name(column));
  }
  schema.target = roles.target;
  for (const std::size_t column : roles.targets) schema.targets.push_back(name(column));
  schema.id = name(roles.id);
  schema.time = name(roles.time);
  schema.time_form = time_form_of(roles);
  return schema;
}

// Looks at more than the first MiB only if rows are that long: at most at a header and a row.
TableSample take_sample(Source& source, std::optional<char> decimal) {
  for (std::size_t most = std::size_t{1} << 20;; most *= 2) {
    std::string_view lines = source.peek(most);
    const bool whole = lines.size() < most || most >= 2 * kLongestRow.bytes;
    if (!whole) lines = lines.substr(0, lines.rfind('\n') + 1);
    TableSample sample(without_mark(lines), decimal);
    if (whole || sample.has_rows()) return sample;
  }
}

Table look_at(Source& source, const Options& options) {
  const TableSample sample = take_sample(source, options.decimal);
  Table table{sample.dialect(), sample.has_header(), sample.names()};
  if (sample.rows() == 0) return table;  // the reader will report the reason
  table.in_runs = columns_in_runs(sample);
  if (options.as) {
    table.roles = match_roles(sample, options, source.name());
    table.schema = *options.as;
    table.schema.format = Format::kTable;
    table.schema.layout = table.roles.layout;
    table.schema.time_form = time_form_of(table.roles);
  } else {
    GuessedRoles guessed = guess_roles(sample, options, source.name());
    table.roles = std::move(guessed.roles);
    table.findings = std::move(guessed.findings);
    table.schema = describe(sample, table.roles);
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
  TableReader(std::unique_ptr<Source> source, Table table, const Options& options,
              SharedVocabulary vocabulary);

 protected:
  void next_row() {
    ahead_ = false;
    ahead_ = rows_.next();
  }
  // Numbers the next row, which is a sequence even if it is refused.
  void count_row() { count_ += rows_.is_held() ? 0 : 1; }
  // Sets id, line and targets of a sequence from its first row.
  void begin(Sequence& sequence);
  [[nodiscard]] float number(std::size_t column) const;
  [[nodiscard]] std::int32_t symbol(std::size_t column) const;

  Roles roles_;
  std::vector<std::size_t> in_runs_;
  std::vector<std::string> names_;
  Rows rows_;
  TableAnswers answers_;
  bool ahead_ = false;  // a row has been read that is not part of a sequence yet

 private:
  std::int64_t count_ = 1;  // of rows that may be sequences
};

TableReader::TableReader(std::unique_ptr<Source> source, Table table, const Options& options,
                         SharedVocabulary vocabulary)
    : SourceReader(std::move(source), std::move(vocabulary)),
      roles_(std::move(table.roles)),
      in_runs_(std::move(table.in_runs)),
      names_(std::move(table.names)),
      rows_(*source_, table.dialect),
      answers_(rows_, roles_, names_, *vocabulary_, options.as.has_value()) {
  schema_ = std::move(table.schema);
  findings_ = std::move(table.findings);
  if (table.has_header) read_header(rows_, names_);
  next_row();
  if (ahead_) return;
  const std::int64_t last = std::max<std::int64_t>(source_->line_number(), 1);
  source_->refuse(last, table.has_header ? "no rows below the header" : "no rows", "at least one");
}

void TableReader::begin(Sequence& sequence) {
  sequence.clear();
  sequence.line = rows_.line();
  if (roles_.id) {
    sequence.id = rows_.word(*roles_.id);
    if (sequence.id.empty()) rows_.refuse(*roles_.id, "an empty field", "an id");
  } else {
    sequence.set_number(count_);
  }
  answers_.begin(sequence);
}

float TableReader::number(std::size_t column) const {
  float value = 0;
  const Number number = rows_.number(column, value);
  if (number == Number::kRead || number == Number::kMissing) return value;
  const std::string_view text = trimmed(rows_[column]);
  const char other = rows_.decimal() == '.' ? ',' : '.';
  if (parse_number(text, other, value) != Number::kRead) {
    rows_.refuse(column, io::quote(text), expected_of(number));
  }
  // Three digits follow a thousands separator.
  const bool is_thousands = text.size() - text.find(other) - 1 == 3;
  rows_.refuse(
      column, io::quote(text),
      fmt::format("{0}: {1}use --decimal {2} if {2} is the decimal mark", expected_of(number),
                  is_thousands ? "remove thousands separators, or " : "", other));
}

std::int32_t TableReader::symbol(std::size_t column) const {
  const std::string_view symbol = rows_.word(column);
  if (symbol.empty()) rows_.refuse(column, "an empty field", "a symbol");
  return vocabulary_->symbols.number(symbol);
}

// A row is a step. The rows of a sequence are consecutive and in order of time.
class LongReader : public TableReader {
 public:
  using TableReader::TableReader;

  bool next(Sequence& sequence) override {
    if (!ahead_) return false;
    id_ = roles_.id ? trimmed(rows_[*roles_.id]) : std::string_view();
    if (std::exchange(may_lack_row_, false)) {
      rows_.refuse(*roles_.id, fmt::format("{} after a malformed row", io::quote(id_)),
                   "a sequence with all its rows");
    }
    begin(sequence);
    if (roles_.id) remember(sequence);
    begin_time();
    add_step(sequence);
    for (advance(); ahead_ && belongs_to_sequence(); advance()) {
      answers_.go_on(sequence);
      check_time();
      add_step(sequence);
    }
    return true;
  }
  bool skip() override;

 private:
  [[nodiscard]] bool belongs_to_sequence() const {
    return !roles_.id || trimmed(rows_[*roles_.id]) == id_;
  }
  void advance();
  void remember(const Sequence& sequence);
  void begin_time();
  void check_time();
  [[nodiscard]] double time() const;
  [[noreturn]] void refuse_time(std::size_t column, TimeForm form) const;
  void remember_row();
  [[nodiscard]] std::string advice_on_time() const;
  void add_step(Sequence& sequence);

  // First line of each sequence by hash of its id, limited in number to bound the memory.
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 20;
  std::unordered_map<std::size_t, std::int64_t> lines_;
  std::string id_;             // of the current sequence
  bool is_malformed_ = false;  // the row after the last one
  bool may_lack_row_ = false;  // the next sequence
  double time_ = 0;
  std::string time_text_;
  const bool keeps_times_ = time_form_of(roles_).has_value();
  // What the columns in runs have in the row above; empty if there is an id.
  std::vector<std::string> above_{roles_.id ? 0 : in_runs_.size()};
};

void LongReader::advance() {
  is_malformed_ = true;
  try {
    next_row();
    // An id that is damaged would end the sequence.
    if (ahead_ && roles_.id) (void)rows_.text(*roles_.id);
  } catch (const InputError& error) {
    if (!roles_.id) throw;
    throw InputError(
        fmt::format("{}; the sequence {} may lack this row", error.what(), io::quote(id_)));
  }
  is_malformed_ = false;
}

// Goes to the next id. A malformed row may be of the sequence before or after it: both are refused.
bool LongReader::skip() {
  if (!roles_.id || rows_.is_stuck()) return false;
  while (true) {
    try {
      next_row();
    } catch (const InputError&) {
      if (rows_.is_stuck()) return false;
      is_malformed_ = true;
      continue;
    }
    if (!ahead_ || !belongs_to_sequence()) break;
    is_malformed_ = false;
  }
  may_lack_row_ = std::exchange(is_malformed_, false);
  return true;
}

void LongReader::remember(const Sequence& sequence) {
  const std::size_t hash = std::hash<std::string>()(sequence.id);
  const auto known = lines_.find(hash);
  if (known == lines_.end()) {
    if (lines_.size() < kMostRemembered) lines_.emplace(hash, sequence.line);
    return;
  }
  rows_.refuse(
      *roles_.id,
      fmt::format("the id {} again, first seen on line {}", io::quote(sequence.id), known->second),
      "the rows of a sequence to be consecutive: sort the table by id");
}

void LongReader::begin_time() {
  if (!roles_.time_form) return;
  time_ = time();
  remember_row();
}

void LongReader::remember_row() {
  time_text_ = trimmed(rows_[*roles_.time]);
  for (std::size_t i = 0; i < above_.size(); ++i) above_[i] = rows_[in_runs_[i]];
}

void LongReader::check_time() {
  if (!roles_.time_form) return;
  const double now = time();
  if (now < time_) {
    rows_.refuse(*roles_.time, io::quote(trimmed(rows_[*roles_.time])),
                 fmt::format("a time no earlier than {} in the row above: {}",
                             io::quote(time_text_), advice_on_time()));
  }
  time_ = now;
  remember_row();
}

// Suggests an id: a column that mostly keeps its value, but has another one where time goes back.
std::string LongReader::advice_on_time() const {
  for (std::size_t i = 0; i < above_.size(); ++i) {
    const std::size_t column = in_runs_[i];
    if (column == roles_.time || rows_[column] == above_[i]) continue;
    const std::string name = io::escape(names_[column]);
    return fmt::format("time restarts where {} changes: try --id {}", io::quote(names_[column]),
                       name);
  }
  return roles_.id ? "sort the rows of each sequence by time"
                   : "sort the table by time, or use --id if it has several sequences";
}

void LongReader::refuse_time(std::size_t column, TimeForm form) const {
  const std::string_view text = trimmed(rows_[column]);
  rows_.refuse(column, text.empty() ? "an empty field" : io::quote(text),
               fmt::format("a time as in other rows ({})", to_string(form)));
}

// As a double, since a float cannot hold seconds since 1970.
double LongReader::time() const {
  const std::string_view text = trimmed(rows_[*roles_.time]);
  const TimeForm form = *roles_.time_form;
  const bool is_changed = form == TimeForm::kNumber && rows_.decimal() == ',';
  const std::string changed = is_changed ? with_decimal_point(text) : "";
  const auto time = parse_time(changed.empty() ? text : changed, form);
  if (!time) refuse_time(*roles_.time, form);
  if (!roles_.time_of_day) return *time;
  const auto of_day = parse_time(rows_[*roles_.time_of_day], TimeForm::kTimeOfDay);
  if (!of_day) refuse_time(*roles_.time_of_day, TimeForm::kTimeOfDay);
  return *time + *of_day;
}

void LongReader::add_step(Sequence& sequence) {
  if (sequence.steps == std::numeric_limits<int>::max()) {
    rows_.refuse(0, fmt::format("more than {} steps in one sequence", sequence.steps), "fewer");
  }
  ++sequence.steps;
  if (keeps_times_) sequence.times.push_back(time_);
  if (!roles_.symbols) {
    for (const std::size_t column : roles_.features) {
      sequence.x.push_back(number(column));
      const bool is_first = std::isnan(sequence.x.back()) && sequence.missing.line == 0;
      if (is_first) sequence.missing = rows_.place_of(column);
    }
    return;
  }
  sequence.symbols.push_back(symbol(roles_.features[0]));
}

// A row is a sequence: numbers, symbols, or a text.
class WideReader : public TableReader {
 public:
  WideReader(std::unique_ptr<Source> source, Table table, const Options& options,
             SharedVocabulary vocabulary)
      : TableReader(std::move(source), std::move(table), options, vocabulary),
        symbols_(std::move(vocabulary), options) {}

  bool next(Sequence& sequence) override {
    if (!ahead_) {
      count_row();
      next_row();
    }
    if (!ahead_) return false;
    begin(sequence);
    if (is_symbol_per_column(roles_)) {
      add_symbols(sequence);
    } else if (roles_.symbols) {
      symbols_.append(rows_.text(roles_.features[0]), sequence);
    } else {
      add_numbers(sequence);
    }
    ahead_ = false;
    return true;
  }
  bool skip() override {
    ahead_ = false;
    return !rows_.is_stuck();
  }

 private:
  // Missing values at the end mark a shorter sequence.
  void add_numbers(Sequence& sequence) const {
    for (const std::size_t column : roles_.features) sequence.x.push_back(number(column));
    while (!sequence.x.empty() && std::isnan(sequence.x.back())) sequence.x.pop_back();
    sequence.steps = static_cast<int>(sequence.x.size());
    const auto missing = std::ranges::find_if(sequence.x, [](float x) { return std::isnan(x); });
    if (missing == sequence.x.end()) return;
    const auto step = static_cast<std::size_t>(missing - sequence.x.begin());
    sequence.missing = rows_.place_of(roles_.features[step]);
  }
  void add_symbols(Sequence& sequence) const {
    std::size_t steps = roles_.features.size();
    while (steps > 0 && trimmed(rows_[roles_.features[steps - 1]]).empty()) --steps;
    for (std::size_t i = 0; i < steps; ++i) sequence.symbols.push_back(symbol(roles_.features[i]));
    sequence.steps = static_cast<int>(steps);
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
  Table table = look_at(*source, options);
  if (table.roles.layout == Layout::kWide) {
    return std::make_unique<WideReader>(std::move(source), std::move(table), options,
                                        std::move(vocabulary));
  }
  return std::make_unique<LongReader>(std::move(source), std::move(table), options,
                                      std::move(vocabulary));
}

}  // namespace rwa::formats
