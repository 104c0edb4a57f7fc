// src/formats/table_long.cc: a row is a step; the rows of a sequence stand together, in the order of time.
#include <charconv>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/table_reader.h"
#include "formats/words.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

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

  // Lines where sequences begin, by the hash of their ids: not even a table of very many needs much.
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
      fmt::format("{} again, which began in line {}", io::quote(sequence.id), known->second),
      "the rows of a sequence to stand together");
}

void LongReader::begin_time() {
  if (roles_.order == Order::kNumbers) time_ = time_as_number();
  if (roles_.order == Order::kText) time_text_ = trimmed(rows_[*roles_.time]);
}

void LongReader::check_time() {
  const auto refuse = [&](std::string_view before) {
    rows_.refuse(*roles_.time, io::quote(trimmed(rows_[*roles_.time])),
                 fmt::format("a time not before {}, that of the row above", before));
  };
  if (roles_.order == Order::kNumbers) {
    const double time = time_as_number();
    if (time < time_) refuse(fmt::format("{}", time_));
    time_ = time;
  } else if (roles_.order == Order::kText) {
    const std::string_view time = trimmed(rows_[*roles_.time]);
    if (time < time_text_) refuse(io::quote(time_text_));
    time_text_ = time;
  }
}

// Seconds since 1970 do not fit into a float.
double LongReader::time_as_number() const {
  const std::string_view text = trimmed(rows_[*roles_.time]);
  const char* const end = text.data() + text.size();
  double time = 0;
  const auto read = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, time);
  if (read.ec != std::errc() || read.ptr != end || time != time) {
    rows_.refuse(*roles_.time, text.empty() ? "nothing" : io::quote(text), "a time as a number");
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
  if (symbol.empty()) rows_.refuse(column, "nothing", "a symbol");
  sequence.symbols.push_back(vocabulary_->symbols.number(symbol));
}

}  // namespace

std::unique_ptr<Reader> read_long(std::unique_ptr<Source> source, const Table& table,
                                  const Options& options, Shared vocabulary) {
  return std::make_unique<LongReader>(std::move(source), table, options, std::move(vocabulary));
}

}  // namespace rwa::formats
