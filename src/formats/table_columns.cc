#include "formats/table_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <span>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "formats/table_names.h"
#include "formats/words.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
constexpr std::size_t kFewNames = 10;

// The first column with the first of these names that there is.
template <typename Fits>
std::optional<std::size_t> find_any(const Sample& sample, std::span<const std::string_view> names,
                                    Fits fits) {
  if (!sample.has_header()) return {};
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < sample.columns(); ++i) {
      if (same_letters(sample.names()[i], name) && fits(i)) return i;
    }
  }
  return {};
}

// "t12": what comes before the number, and the number.
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

bool begins_like_a_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00";
  return text.size() >= kForm.size() &&
         std::ranges::equal(text.substr(0, kForm.size()), kForm, [](unsigned char c, char form) {
           return form == '0' ? std::isdigit(c) != 0 : c == '-';
         });
}
}  // namespace

std::optional<std::size_t> find_id(const Sample& sample) {
  const auto can_be = [&](std::size_t i) { return sample.is_whole(i) || !sample.is_number(i); };
  const auto comes_again = [&](std::size_t i) {
    return can_be(i) && 3 * sample.same_as_above(i) >= sample.rows();
  };
  if (const auto repeated = find_any(sample, kIdNames, comes_again)) return repeated;
  if (const auto repeated = find_any(sample, kIdOrTextNames, comes_again)) return repeated;
  return find_any(sample, kIdNames, can_be);
}

std::optional<std::size_t> find_time(const Sample& sample) {
  return find_any(sample, kTimeNames, [](std::size_t) { return true; });
}

std::optional<std::size_t> find_target(const Sample& sample) {
  const auto any = [](std::size_t) { return true; };
  if (const auto target = find_any(sample, kTargetNames, any)) return target;
  const auto is_there = [&](std::string_view name) {
    return std::ranges::any_of(sample.names(),
                               [&](auto& known) { return same_letters(known, name); });
  };
  if (is_there("x") && is_there("z")) return {};
  return find_any(sample, kTargetOrDirectionNames, any);
}

Order order_of(const Sample& sample, std::optional<std::size_t> time) {
  if (!time) return Order::kUnknown;
  if (sample.is_number(*time)) return Order::kNumbers;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (!begins_like_a_date(sample.cell(row, *time))) return Order::kUnknown;
  }
  return Order::kText;
}

bool is_long_by_id_or_time(const Sample& sample, const Roles& roles) {
  constexpr std::size_t kOneIn = 10;  // in fewer rows, somebody made a mistake
  if (roles.time || !roles.id) return roles.time.has_value();
  const std::size_t same = sample.same_as_above(*roles.id);
  return same > 0 && kOneIn * same >= sample.rows();
}

std::size_t column_named(const std::string& name, const Sample& sample, std::string_view file) {
  if (const auto found = sample.find(name); found && !name.empty()) return *found;
  std::vector<std::string> known;
  for (const std::string& column : sample.names()) known.push_back(io::escape(column));
  const std::string expected = nearest(name, known).empty()
                                   ? ", expected one of: " + listed(sample.names())
                                   : suggestion(name, known);
  throw ConfigError(fmt::format("{}: has no column {}{}", file, io::quote(name), expected));
}

std::vector<std::size_t> free_columns(const Sample& sample, const Roles& roles, bool numbers) {
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

bool are_numbered(const Sample& sample, std::span<const std::size_t> columns) {
  constexpr std::size_t kLeast = 3;
  return sample.has_header() && columns.size() >= kLeast &&
         std::ranges::adjacent_find(columns, [&](std::size_t before, std::size_t column) {
           return !follows(sample.names()[column], sample.names()[before]);
         }) == columns.end();
}

// Where the names of most end in consecutive numbers, those alone: others are something else.
std::vector<std::size_t> step_columns(const Sample& sample, const Roles& roles) {
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

std::optional<std::size_t> text_column(const Sample& sample, const Roles& roles) {
  const std::vector<std::size_t> texts = free_columns(sample, roles, false);
  const auto says = [&](std::size_t column) {
    const bool named = is_one_of(sample.names()[column], kTextNames);
    std::size_t length = 0;
    for (std::size_t row = 0; row < sample.rows(); ++row) length += sample.cell(row, column).size();
    const auto nearly = std::bit_width(length);  // a little longer is no reason
    return std::tuple(named, sample.distinct(column), nearly);
  };
  const auto most = std::ranges::max_element(texts, {}, says);
  if (most == texts.end()) return {};
  return *most;
}

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> few;
  for (const std::string& name : names) {
    if (few.size() == kFewNames) break;
    few.push_back(io::escape(name));
  }
  const std::string text = fmt::format("{}", fmt::join(few, ", "));
  return names.size() <= kFewNames ? text : fmt::format("{}, … ({} in all)", text, names.size());
}

}  // namespace rwa::formats
