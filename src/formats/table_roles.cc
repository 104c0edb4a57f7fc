#include "formats/table_roles.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/table_findings.h"
#include "formats/table_task.h"
#include "formats/table_time.h"
#include "formats/usual_names.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
// Splits "t12" into "t" and 12.
std::optional<std::pair<std::string_view, long>> numbered(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
  long number = 0;
  const auto read = std::from_chars(name.data() + begin, name.data() + name.size(), number);
  if (read.ec != std::errc()) return {};
  return std::pair(name.substr(0, begin), number);
}

bool follows(std::string_view name, std::string_view before) {
  const auto a = numbered(before), b = numbered(name);
  return a && b && a->first == b->first && b->second == a->second + 1;
}

// At least three columns whose names end in consecutive numbers: t0, t1, t2.
bool are_numbered(const TableSample& sample, std::span<const std::size_t> columns) {
  constexpr std::size_t kLeast = 3;
  return sample.has_header() && columns.size() >= kLeast &&
         std::ranges::adjacent_find(columns, [&](std::size_t before, std::size_t column) {
           return !follows(sample.names()[column], sample.names()[before]);
         }) == columns.end();
}

class RoleGuess {
 public:
  RoleGuess(const TableSample& sample, const Options& options, std::string_view file)
      : sample_(sample), options_(options), file_(file), why_(sample.columns()) {}

  GuessedRoles guess() {
    take_given();
    take_named();
    take_time_by_content();
    roles_.layout = layout();
    if (roles_.layout == Layout::kWide && is_time_guessed_) {
      roles_.time = {};
      roles_.time_of_day = {};
    }
    take_id_by_time();
    if (roles_.layout == Layout::kWide && !roles_.features.empty() && !roles_.symbols) {
      throw ConfigError(fmt::format(
          "{}: found --features for a wide table, whose columns are the steps of one feature: use "
          "--layout long",
          file_));
    }
    if (roles_.features.empty()) take_features();
    if (roles_.features.empty()) take_series_for_target();
    if (roles_.features.empty()) refuse_no_features();
    if (wants_target() && roles_.targets.empty()) take_target();
    TaskGuess task = guess_task(sample_, roles_, options_, file_);
    roles_.target = task.target;
    roles_.numbered_labels = !roles_.targets.empty() && sample_.is_number(roles_.targets[0]);
    return {roles_, describe_roles(sample_, options_, roles_, why_, std::move(task))};
  }

 private:
  [[nodiscard]] bool wants_target() const {
    return options_.targets.empty() && options_.task != Target::kNone;
  }
  void set(std::optional<std::size_t>& role, std::size_t column, std::string why) {
    role = column;
    why_[column] = std::move(why);
  }
  void add(std::vector<std::size_t>& role, const std::vector<std::size_t>& columns,
           std::string_view why) {
    role.insert(role.end(), columns.begin(), columns.end());
    for (const std::size_t column : columns) why_[column] = why;
  }

  void take_given();
  [[noreturn]] void refuse_no_features() const;
  void take_named();
  void take_time_by_content();
  void take_time_of_day();
  void take_id_by_time();
  [[nodiscard]] Layout layout() const;
  void take_features();
  void take_target();
  void take_series_for_target();
  void take_class_of_row();
  void take_class_of_letters();

  const TableSample& sample_;
  const Options& options_;
  std::string_view file_;
  Roles roles_;
  bool is_time_guessed_ = false;  // from the content of its column, not its name
  std::vector<std::string> why_;  // each column has its role
};

// Takes the columns named by the options.
void RoleGuess::take_given() {
  const auto given = [&](const std::string& name) { return column_named(name, sample_, file_); };
  for (const std::string& name : options_.features) {
    add(roles_.features, {given(name)}, "--features");
  }
  for (const std::string& name : options_.targets) add(roles_.targets, {given(name)}, "--target");
  if (!options_.id.empty()) set(roles_.id, given(options_.id), "--id");
  if (!options_.time.empty()) set(roles_.time, given(options_.time), "--time");
  roles_.symbols = roles_.features.size() == 1 && !sample_.is_number(roles_.features[0]);
}

void RoleGuess::refuse_no_features() const {
  for (std::size_t i = 0; i < sample_.columns(); ++i) {
    if (!should_be_numbers(sample_, i)) continue;
    throw InputError(fmt::format(
        "{}:{}: found {} for {}, expected a number: remove units and thousands separators", file_,
        sample_.line(0), io::quote(sample_.cell(0, i)), io::quote(sample_.names()[i])));
  }
  throw InputError(
      fmt::format("{}: found no feature column, expected numbers or symbols in one of: {}{}", file_,
                  io::listed(sample_.names()),
                  options_.targets.empty() ? "" : "; to forecast a column, leave out --target"));
}

// Takes the columns with usual names.
void RoleGuess::take_named() {
  const auto is_free = [&](std::optional<std::size_t> column) {
    return column && !taken_columns(sample_, roles_)[*column];
  };
  const std::string why = "its name";
  if (const auto id = find_id(sample_); !roles_.id && is_free(id)) set(roles_.id, *id, why);
  if (const auto time = find_time(sample_); !roles_.time && is_free(time)) {
    const auto form = form_of(sample_, time);
    const bool is_calendar = form && form != TimeForm::kNumber;
    set(roles_.time, *time, is_calendar ? fmt::format("{}; {}", why, to_string(*form)) : why);
  }
  const auto target = find_target(sample_);
  if (wants_target() && is_free(target)) add(roles_.targets, {*target}, why);
}

// A series called y or value is not a target if there is nothing to predict it from.
void RoleGuess::take_series_for_target() {
  const bool is_guessed = options_.targets.empty() && roles_.targets.size() == 1;
  if (!is_guessed || roles_.layout != Layout::kLong || !sample_.is_number(roles_.targets[0]))
    return;
  add(roles_.features, std::exchange(roles_.targets, {}), "numbers, and no other column has any");
}

// Takes a column of dates as the time.
void RoleGuess::take_time_by_content() {
  if (!roles_.time) {
    const auto found = find_time_by_content(sample_, taken_columns(sample_, roles_));
    is_time_guessed_ = found.has_value();
    if (found) set(roles_.time, found->column, found->why);
  }
  take_time_of_day();
}

// Takes a column that changes where time restarts as the id.
void RoleGuess::take_id_by_time() {
  roles_.time_form = form_of(sample_, roles_.time);
  if (!roles_.time_form || roles_.id || roles_.time_of_day) return;
  const auto found =
      find_id_by_time(sample_, *roles_.time, *roles_.time_form, taken_columns(sample_, roles_));
  if (found) return set(roles_.id, found->column, found->why);
  roles_.mixed = find_mixed_id(sample_, *roles_.time, taken_columns(sample_, roles_));
}

// Dates and times of day may have a column each, either of them with the name of times.
void RoleGuess::take_time_of_day() {
  if (!roles_.time || !options_.time.empty()) return;
  if (!form_of(sample_, roles_.time)) {
    const auto dates = find_time_by_content(sample_, taken_columns(sample_, roles_));
    if (dates) set(roles_.time, dates->column, dates->why);
  }
  const auto form = form_of(sample_, roles_.time);
  const bool are_dates =
      form == TimeForm::kDate || form == TimeForm::kDayFirst || form == TimeForm::kMonthFirst;
  const auto time =
      are_dates ? find_time_of_day(sample_, taken_columns(sample_, roles_)) : std::nullopt;
  if (time) set(roles_.time_of_day, *time, std::string(to_string(TimeForm::kTimeOfDay)));
}

// A column of dates that has no name of times may also belong to wide tables.
Layout RoleGuess::layout() const {
  if (options_.layout) return *options_.layout;
  Roles named = roles_;
  if (is_time_guessed_) named.time = {};
  if (is_long_by_id_or_time(sample_, named)) return Layout::kLong;
  if (!roles_.features.empty()) return roles_.symbols ? Layout::kWide : Layout::kLong;
  if (!letter_columns(sample_, roles_).empty()) return Layout::kWide;
  const bool no_numbers = free_columns(sample_, roles_, true).empty();
  if (const auto text = text_column(sample_, roles_)) {
    const bool is_sequence = !sample_.repeats(*text) &&
                             (!is_time_guessed_ || is_usual(sample_.names()[*text], kTextNames));
    if (is_sequence || (no_numbers && !(is_time_guessed_ && sample_.repeats(*text)))) {
      return Layout::kWide;
    }
  }
  if (sample_.has_header() && has_steps(sample_, roles_)) return Layout::kWide;
  if (is_time_guessed_ || sample_.has_header()) return Layout::kLong;
  return sample_.columns() > 1 ? Layout::kWide : Layout::kLong;
}

void RoleGuess::take_features() {
  const bool wide = roles_.layout == Layout::kWide;
  if (wide && wants_target() && roles_.targets.empty()) take_class_of_letters();
  if (const auto letters = letter_columns(sample_, roles_); wide && !letters.empty()) {
    roles_.symbols = true;
    return add(roles_.features, letters, "single letters");
  }
  const std::vector<std::size_t> numbers = free_columns(sample_, roles_, true);
  const auto text = text_column(sample_, roles_);
  const bool are_steps = wide && has_steps(sample_, roles_);
  if (are_steps && text && !roles_.id && sample_.distinct(*text) == sample_.rows()) {
    set(roles_.id, *text, "a different name in each row");
  }
  roles_.symbols = text && (numbers.empty() || (wide && !are_steps && !sample_.repeats(*text)));
  if (roles_.symbols) return add(roles_.features, {*text}, wide ? "text" : "words");
  if (wide && wants_target() && !sample_.has_header()) take_class_of_row();
  add(roles_.features, wide ? step_columns(sample_, roles_) : free_columns(sample_, roles_, true),
      "numbers");
}

// Without a name, the class among columns of letters is the one that shares no letter with them.
void RoleGuess::take_class_of_letters() {
  const std::vector<std::size_t> columns = letter_columns(sample_, roles_);
  std::vector<std::set<std::string_view>> letters(columns.size());
  std::map<std::string_view, int> columns_with;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t row = 0; row < sample_.rows(); ++row) {
      letters[i].insert(sample_.cell(row, columns[i]));
    }
    for (const std::string_view letter : letters[i]) ++columns_with[letter];
  }
  std::vector<std::size_t> apart;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto is_own = [&](std::string_view letter) { return columns_with[letter] == 1; };
    if (std::ranges::all_of(letters[i], is_own)) apart.push_back(columns[i]);
  }
  if (apart.size() == 1) add(roles_.targets, apart, "shares no letter with the other columns");
}

// In the first column as in the UCR archive, or in the last as many tools expect.
void RoleGuess::take_class_of_row() {
  const std::size_t first = 0, last = sample_.columns() - 1;
  const bool words = sample_.is_whole(first) || !sample_.is_number(first);
  if (words && sample_.repeats(first)) {
    add(roles_.targets, {first}, "the first column, whose values repeat");
  } else if (!sample_.is_number(last)) {
    add(roles_.targets, {last}, "the last column, of words");
  }
}

// Takes the only remaining column, or the only one with repeated values. Numeric columns remain
// only if the features are symbols.
void RoleGuess::take_target() {
  std::vector<std::size_t> left = free_columns(sample_, roles_, false);
  if (roles_.symbols) {
    std::ranges::copy(free_columns(sample_, roles_, true), std::back_inserter(left));
  }
  if (roles_.symbols && left.size() == 1) {
    return add(roles_.targets, left, "the only column beside the sequence");
  }
  std::erase_if(left, [&](std::size_t column) { return !may_be_target(sample_, roles_, column); });
  if (left.size() == 1) add(roles_.targets, left, "the only column of words that repeat");
}

}  // namespace

std::vector<bool> taken_columns(const TableSample& sample, const Roles& roles) {
  std::vector<bool> taken(sample.columns());
  for (const auto& column : {roles.id, roles.time, roles.time_of_day}) {
    if (column) taken[*column] = true;
  }
  for (const std::size_t column : roles.features) taken[column] = true;
  for (const std::size_t column : roles.targets) taken[column] = true;
  return taken;
}

bool may_be_target(const TableSample& sample, const Roles& roles, std::size_t column) {
  // One sequence has no class of its own.
  const bool has_one = roles.layout == Layout::kLong && !roles.id;
  const bool is_constant = has_one && sample.distinct(column) == 1;
  return sample.repeats(column) && !is_constant && column != roles.mixed;
}

bool should_be_numbers(const TableSample& sample, std::size_t column) {
  return sample.is_like_numbers(column) && !time_form(sample, column);
}

std::vector<std::size_t> free_columns(const TableSample& sample, const Roles& roles, bool numbers) {
  const std::vector<bool> taken = taken_columns(sample, roles);
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    if (taken[i] || sample.is_number(i) != numbers) continue;
    const bool is_of_use = !sample.is_empty(i) && !is_index(sample, i) &&
                           !sample.is_like_numbers(i) && (numbers || !time_form(sample, i));
    if (is_of_use) free.push_back(i);
  }
  return free;
}

bool has_steps(const TableSample& sample, const Roles& roles) {
  constexpr std::size_t kMany = 20;  // this many numeric columns are steps, not features
  const std::vector<std::size_t> steps = step_columns(sample, roles);
  return are_numbered(sample, steps) || steps.size() >= kMany;
}

std::vector<std::size_t> letter_columns(const TableSample& sample, const Roles& roles) {
  constexpr std::size_t kLeast = 3;
  std::vector<std::size_t> letters = free_columns(sample, roles, false);
  std::erase_if(letters, [&](std::size_t column) { return !sample.is_of_letters(column); });
  const bool are_most = letters.size() > free_columns(sample, roles, true).size();
  return letters.size() >= kLeast && are_most ? letters : std::vector<std::size_t>();
}

// If the names of most columns end in consecutive numbers, only those are steps.
std::vector<std::size_t> step_columns(const TableSample& sample, const Roles& roles) {
  std::vector<std::size_t> free = free_columns(sample, roles, true);
  std::span<const std::size_t> best, run;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const bool goes_on =
        !run.empty() && follows(sample.names()[free[i]], sample.names()[free[i - 1]]);
    const std::size_t begin = goes_on ? i - run.size() : i;
    run = std::span(free).subspan(begin, i + 1 - begin);
    if (run.size() > best.size()) best = run;
  }
  if (!are_numbered(sample, best) || 2 * best.size() <= free.size()) return free;
  return {best.begin(), best.end()};
}

std::optional<std::size_t> text_column(const TableSample& sample, const Roles& roles) {
  const std::vector<std::size_t> texts = free_columns(sample, roles, false);
  const auto says = [&](std::size_t column) {
    const bool named = is_usual(sample.names()[column], kTextNames);
    std::size_t length = 0;
    for (std::size_t row = 0; row < sample.rows(); ++row) length += sample.cell(row, column).size();
    const auto nearly = std::bit_width(length);  // small differences do not count
    return std::tuple(named, sample.distinct(column), nearly);
  };
  const auto most = std::ranges::max_element(texts, {}, says);
  if (most == texts.end()) return {};
  return *most;
}

std::optional<TimeForm> form_of(const TableSample& sample, std::optional<std::size_t> time) {
  return time ? time_form(sample, *time) : std::nullopt;
}

bool is_long_by_id_or_time(const TableSample& sample, const Roles& roles) {
  constexpr std::size_t kOneIn = 10;  // fewer repeated ids are mistakes in the data
  if (roles.time || !roles.id) return roles.time.has_value();
  const std::size_t same = sample.same_as_above(*roles.id);
  return same > 0 && kOneIn * same >= sample.rows();
}

GuessedRoles guess_roles(const TableSample& sample, const Options& options, std::string_view file) {
  return RoleGuess(sample, options, file).guess();
}

}  // namespace rwa::formats
