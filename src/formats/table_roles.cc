#include "formats/table_roles.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "formats/match.h"
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

bool begins_like_a_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00";
  return text.size() >= kForm.size() &&
         std::ranges::equal(text.substr(0, kForm.size()), kForm, [](unsigned char c, char form) {
           return form == '0' ? std::isdigit(c) != 0 : c == '-';
         });
}

bool begins_series(const TableSample& sample, const Roles& roles, std::size_t row) {
  if (roles.layout == Layout::kWide || row == 0) return true;
  return roles.id && sample.cell(row, *roles.id) != sample.cell(row - 1, *roles.id);
}

bool changes_inside_series(const TableSample& sample, const Roles& roles) {
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (begins_series(sample, roles, row)) continue;
    for (const std::size_t column : roles.targets) {
      if (sample.cell(row, column) != sample.cell(row - 1, column)) return true;
    }
  }
  return false;
}

template <typename Is>
bool all_cells(const TableSample& sample, std::size_t column, Is is) {
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (!is(sample.cell(row, column))) return false;
  }
  return true;
}

Target of_several(const TableSample& sample, const Roles& roles, bool per_step,
                  std::string_view file) {
  bool flags = true;
  for (const std::size_t column : roles.targets) {
    if (!sample.is_number(column)) {
      throw ConfigError(
          fmt::format("{}: found text in the target {}, expected numbers: text is allowed "
                      "only in a single target",
                      file, io::quote(sample.names()[column])));
    }
    flags =
        flags && all_cells(sample, column, [](auto cell) { return cell == "0" || cell == "1"; });
  }
  if (per_step) return Target::kNumbersPerStep;
  return flags ? Target::kLabels : Target::kNumbers;
}

Target of_one(const TableSample& sample, const Roles& roles, bool per_step) {
  const std::size_t column = roles.targets[0];
  const auto has_no_bar = [](std::string_view cell) { return cell.find('|') == cell.npos; };
  if (!sample.is_number(column)) {
    if (per_step) return Target::kClassPerStep;
    return all_cells(sample, column, has_no_bar) ? Target::kClass : Target::kLabels;
  }
  TargetGuess guess;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (per_step || begins_series(sample, roles, row)) guess.see(sample.cell(row, column));
  }
  if (guess.target() == Target::kClass) return per_step ? Target::kClassPerStep : Target::kClass;
  return per_step ? Target::kNumbersPerStep : Target::kNumbers;
}

void check_task(Target task, const Roles& roles, std::string_view file) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(fmt::format("{}: --task {} {}", file, to_string(task), why));
  };
  if (task == Target::kNone) {
    if (!roles.targets.empty()) refuse("takes no --target, found one");
    return;
  }
  if (roles.targets.empty()) {
    refuse("needs a target, found no column called target, label, class or y: use --target NAME");
  }
  const bool one = task == Target::kClass || task == Target::kClassPerStep;
  if (one && roles.targets.size() > 1) {
    refuse(fmt::format("takes one target, found {}", roles.targets.size()));
  }
  if (is_per_step(task) && roles.layout == Layout::kWide) {
    refuse("needs a row per step (--layout long), found a row per sequence");
  }
}

// Guesses the kind of targets from their columns. Throws ConfigError if the options contradict
// them.
Target guess_target(const TableSample& sample, const Roles& roles, const Options& options,
                    std::string_view file) {
  if (options.task) {
    check_task(*options.task, roles, file);
    return *options.task;
  }
  if (roles.targets.empty()) return Target::kNone;
  const bool per_step = changes_inside_series(sample, roles);
  return roles.targets.size() > 1 ? of_several(sample, roles, per_step, file)
                                  : of_one(sample, roles, per_step);
}

class RoleGuess {
 public:
  RoleGuess(const TableSample& sample, const Options& options, std::string_view file)
      : sample_(sample), options_(options), file_(file) {}

  Roles roles() {
    take_named();
    roles_.layout = layout();
    if (roles_.layout == Layout::kWide && !roles_.features.empty() && !roles_.symbols) {
      throw ConfigError(fmt::format(
          "{}: found --features for a wide table, whose columns are the steps of one feature: use "
          "--layout long",
          file_));
    }
    if (roles_.features.empty()) take_features();
    if (roles_.features.empty()) {
      throw InputError(
          fmt::format("{}: found no feature column, expected numbers or symbols in one of: {}",
                      file_, listed(sample_.names())));
    }
    if (wants_target() && roles_.targets.empty()) take_target();
    roles_.target = guess_target(sample_, roles_, options_, file_);
    roles_.order = order_of(sample_, roles_.time);
    roles_.numbered_labels = !roles_.targets.empty() && sample_.is_number(roles_.targets[0]);
    return roles_;
  }

 private:
  [[nodiscard]] bool wants_target() const {
    return options_.targets.empty() && options_.task != Target::kNone;
  }

  void take_named();
  [[nodiscard]] Layout layout() const;
  void take_features();
  void take_target();
  void take_class_of_row();

  const TableSample& sample_;
  const Options& options_;
  std::string_view file_;
  Roles roles_;
};

// Takes the columns named by the options, or else those with usual names.
void RoleGuess::take_named() {
  const auto named = [&](const std::string& name) { return column_named(name, sample_, file_); };
  std::ranges::transform(options_.features, std::back_inserter(roles_.features), named);
  std::ranges::transform(options_.targets, std::back_inserter(roles_.targets), named);
  if (!options_.id.empty()) roles_.id = named(options_.id);
  if (!options_.time.empty()) roles_.time = named(options_.time);
  const auto if_free = [&](std::optional<std::size_t> column) {
    const bool taken = !column || column == roles_.id || column == roles_.time ||
                       std::ranges::count(roles_.features, *column) > 0 ||
                       std::ranges::count(roles_.targets, *column) > 0;
    return taken ? std::nullopt : column;
  };
  if (!roles_.id) roles_.id = if_free(find_id(sample_));
  if (!roles_.time) roles_.time = if_free(find_time(sample_));
  const auto target = if_free(find_target(sample_));
  if (wants_target() && target) roles_.targets = {*target};
  roles_.symbols = roles_.features.size() == 1 && !sample_.is_number(roles_.features[0]);
}

Layout RoleGuess::layout() const {
  constexpr std::size_t kMany = 20;  // this many numeric columns are steps, not features
  if (options_.layout) return *options_.layout;
  if (is_long_by_id_or_time(sample_, roles_)) return Layout::kLong;
  if (!roles_.features.empty()) return roles_.symbols ? Layout::kWide : Layout::kLong;
  const std::vector<std::size_t> numbers = free_columns(sample_, roles_, true);
  const auto text = text_column(sample_, roles_);
  if (text && (numbers.empty() || !sample_.repeats(*text))) return Layout::kWide;
  if (!sample_.has_header()) return sample_.columns() > 1 ? Layout::kWide : Layout::kLong;
  return are_numbered(sample_, numbers) || numbers.size() >= kMany ? Layout::kWide : Layout::kLong;
}

void RoleGuess::take_features() {
  const std::vector<std::size_t> numbers = free_columns(sample_, roles_, true);
  const auto text = text_column(sample_, roles_);
  const bool wide = roles_.layout == Layout::kWide;
  roles_.symbols = text && (numbers.empty() || (wide && !sample_.repeats(*text)));
  if (roles_.symbols) {
    roles_.features = {*text};
    return;
  }
  if (wide && wants_target() && !sample_.has_header()) take_class_of_row();
  roles_.features = wide ? step_columns(sample_, roles_) : free_columns(sample_, roles_, true);
}

// In the first column as in the UCR archive, or in the last as many tools expect.
void RoleGuess::take_class_of_row() {
  const std::size_t first = 0, last = sample_.columns() - 1;
  const bool words = sample_.is_whole(first) || !sample_.is_number(first);
  if (words && sample_.repeats(first)) {
    roles_.targets = {first};
  } else if (!sample_.is_number(last)) {
    roles_.targets = {last};
  }
}

// Takes the only remaining column, or the only one with repeated values. Numeric columns remain
// only if the features are symbols.
void RoleGuess::take_target() {
  std::vector<std::size_t> left = free_columns(sample_, roles_, false);
  if (roles_.symbols) {
    std::ranges::copy(free_columns(sample_, roles_, true), std::back_inserter(left));
  }
  if (roles_.symbols && left.size() == 1) roles_.targets = left;
  std::erase_if(left, [&](std::size_t column) { return !sample_.repeats(column); });
  if (left.size() == 1) roles_.targets = left;
}
}  // namespace

std::vector<std::size_t> free_columns(const TableSample& sample, const Roles& roles, bool numbers) {
  std::vector<bool> taken(sample.columns());
  for (const auto& column : {roles.id, roles.time}) {
    if (column) taken[*column] = true;
  }
  for (const std::size_t column : roles.features) taken[column] = true;
  for (const std::size_t column : roles.targets) taken[column] = true;
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < sample.columns(); ++i) {
    const bool has_role = taken[i] || sample.names()[i].empty();
    if (!has_role && sample.is_number(i) == numbers) free.push_back(i);
  }
  return free;
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
    const bool named = is_usual_for_text(sample.names()[column]);
    std::size_t length = 0;
    for (std::size_t row = 0; row < sample.rows(); ++row) length += sample.cell(row, column).size();
    const auto nearly = std::bit_width(length);  // small differences do not count
    return std::tuple(named, sample.distinct(column), nearly);
  };
  const auto most = std::ranges::max_element(texts, {}, says);
  if (most == texts.end()) return {};
  return *most;
}

TimeOrder order_of(const TableSample& sample, std::optional<std::size_t> time) {
  if (!time) return TimeOrder::kUnknown;
  if (sample.is_number(*time)) return TimeOrder::kNumbers;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (!begins_like_a_date(sample.cell(row, *time))) return TimeOrder::kUnknown;
  }
  return TimeOrder::kText;
}

bool is_long_by_id_or_time(const TableSample& sample, const Roles& roles) {
  constexpr std::size_t kOneIn = 10;  // fewer repeated ids are mistakes in the data
  if (roles.time || !roles.id) return roles.time.has_value();
  const std::size_t same = sample.same_as_above(*roles.id);
  return same > 0 && kOneIn * same >= sample.rows();
}

Roles guess_roles(const TableSample& sample, const Options& options, std::string_view file) {
  return RoleGuess(sample, options, file).roles();
}

}  // namespace rwa::formats
