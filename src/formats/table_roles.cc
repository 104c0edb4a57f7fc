#include "formats/table_roles.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "formats/table_columns.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

class Guess {
 public:
  Guess(const Sample& sample, const Options& options, std::string_view file)
      : sample_(sample), options_(options), file_(file) {}

  Roles roles() {
    take_named();
    roles_.layout = layout();
    if (roles_.layout == Layout::kWide && !roles_.features.empty() && !roles_.symbols) {
      throw ConfigError(fmt::format(
          "{}: the columns of a wide table are the steps of one feature, found names of features",
          file_));
    }
    if (roles_.features.empty()) take_features();
    if (roles_.features.empty()) {
      throw InputError(
          fmt::format("{}: found no column of numbers or symbols, expected one among: {}", file_,
                      listed(sample_.names())));
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

  const Sample& sample_;
  const Options& options_;
  std::string_view file_;
  Roles roles_;
};

// Columns that the options name; else those that are usually called so.
void Guess::take_named() {
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

Layout Guess::layout() const {
  constexpr std::size_t kMany = 20;  // columns of numbers: hardly as many features
  if (options_.layout) return *options_.layout;
  if (is_long_by_id_or_time(sample_, roles_)) return Layout::kLong;
  if (!roles_.features.empty()) return roles_.symbols ? Layout::kWide : Layout::kLong;
  const std::vector<std::size_t> numbers = free_columns(sample_, roles_, true);
  const auto text = text_column(sample_, roles_);
  if (text && (numbers.empty() || !sample_.repeats(*text))) return Layout::kWide;
  if (!sample_.has_header()) return sample_.columns() > 1 ? Layout::kWide : Layout::kLong;
  return are_numbered(sample_, numbers) || numbers.size() >= kMany ? Layout::kWide : Layout::kLong;
}

void Guess::take_features() {
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

// As in the archive of UCR, else where tools that learn from tables expect it.
void Guess::take_class_of_row() {
  const std::size_t first = 0, last = sample_.columns() - 1;
  const bool words = sample_.is_whole(first) || !sample_.is_number(first);
  if (words && sample_.repeats(first)) {
    roles_.targets = {first};
  } else if (!sample_.is_number(last)) {
    roles_.targets = {last};
  }
}

// Of the columns that are left, the only one, or the only one whose values come again. Beside numbers, a
// number would have been a feature.
void Guess::take_target() {
  std::vector<std::size_t> left = free_columns(sample_, roles_, false);
  if (roles_.symbols) {
    std::ranges::copy(free_columns(sample_, roles_, true), std::back_inserter(left));
  }
  if (roles_.symbols && left.size() == 1) roles_.targets = left;
  std::erase_if(left, [&](std::size_t column) { return !sample_.repeats(column); });
  if (left.size() == 1) roles_.targets = left;
}

}  // namespace

Roles guess_roles(const Sample& sample, const Options& options, std::string_view file) {
  return Guess(sample, options, file).roles();
}

}  // namespace rwa::formats
