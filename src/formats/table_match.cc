// src/formats/table_match.cc: matches the columns of a table to those of a model.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/table_roles.h"
#include "formats/table_time.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
using Columns = std::vector<std::size_t>;
using Names = std::vector<std::string>;

class ModelMatch {
 public:
  ModelMatch(const TableSample& sample, const Options& options, std::string_view file)
      : sample_(sample), options_(options), model_(*options.as), file_(file) {}

  Roles roles() {
    roles_.symbols = model_.symbols;
    roles_.id = one(options_.id, model_.id, find_id(sample_));
    roles_.time = one(options_.time, model_.time, find_time(sample_));
    take_targets();
    take_features();
    roles_.time_form = form_of(sample_, roles_.time);
    const bool are_dates = roles_.time_form && roles_.time_form != TimeForm::kNumber;
    if (are_dates) {
      roles_.time_of_day = find_time_of_day(sample_, taken_columns(sample_, roles_));
    }
    // A row per sequence has no room for per-step targets.
    if (roles_.layout == Layout::kWide && is_per_step(model_.target)) roles_.targets.clear();
    roles_.target = roles_.targets.empty() ? Target::kNone : model_.target;
    roles_.numbered_labels = !roles_.targets.empty() && sample_.is_number(roles_.targets[0]);
    return roles_;
  }

 private:
  // The column named by the options, the one the model knows, or the one with a usual name.
  [[nodiscard]] std::optional<std::size_t> one(const std::string& asked, const std::string& known,
                                               std::optional<std::size_t> usual) const {
    if (!asked.empty()) return column_named(asked, sample_, file_);
    if (const auto found = sample_.find(known); found && !known.empty()) return found;
    return unless_feature(usual);
  }
  [[nodiscard]] std::optional<std::size_t> unless_feature(std::optional<std::size_t> column) const {
    const bool is_feature =
        column && std::ranges::count(model_.features, sample_.names()[*column]) > 0;
    return is_feature ? std::nullopt : column;
  }
  // All of them, or none.
  [[nodiscard]] Columns all(const Names& names) const {
    Columns columns;
    for (const std::string& name : names) {
      if (const auto found = sample_.find(name)) columns.push_back(*found);
    }
    return columns.size() == names.size() ? columns : Columns();
  }
  [[nodiscard]] Layout layout_of_symbols() const;
  void take_targets();
  void take_features();
  void take_symbols();
  void take_in_order();
  void take_steps();
  [[nodiscard]] bool holds_classes(std::size_t column) const;
  [[noreturn]] void refuse_difference() const;

  const TableSample& sample_;
  const Options& options_;
  const Schema& model_;
  std::string_view file_;
  Roles roles_;
};

void ModelMatch::take_targets() {
  if (model_.target == Target::kNone || options_.task == Target::kNone) return;
  for (const std::string& name : options_.targets) {
    roles_.targets.push_back(column_named(name, sample_, file_));
  }
  if (roles_.targets.empty()) roles_.targets = all(model_.targets);
  // A model trained on another format uses another name.
  const auto usual = unless_feature(find_target(sample_));
  if (roles_.targets.empty() && model_.targets.size() <= 1 && usual) roles_.targets = {*usual};
}

Layout ModelMatch::layout_of_symbols() const {
  if (options_.layout) return *options_.layout;
  if (model_.layout == Layout::kLong || model_.layout == Layout::kWide) return *model_.layout;
  return is_long_by_id_or_time(sample_, roles_) ? Layout::kLong : Layout::kWide;
}

void ModelMatch::take_features() {
  roles_.features = all(model_.features);
  if (model_.symbols) {
    roles_.layout = layout_of_symbols();
    // A model trained on a symbol per column or on another format knows no name.
    if (model_.features.empty()) take_symbols();
    if (roles_.features.empty()) refuse_difference();
    return;
  }
  const bool may_be_wide = !options_.layout && model_.layout != Layout::kLong &&
                           model_.features.size() == 1 && sample_.columns() > 1;
  if (options_.layout == Layout::kWide || (may_be_wide && roles_.features.empty())) {
    take_steps();
  } else if (roles_.features.empty()) {
    sample_.has_header() ? refuse_difference() : take_in_order();
  }
}

void ModelMatch::take_symbols() {
  if (roles_.layout == Layout::kWide) roles_.features = letter_columns(sample_, roles_);
  const auto text = text_column(sample_, roles_);
  if (roles_.features.empty() && text) roles_.features = {*text};
}

// Without a header, names are just column numbers, so the order counts.
void ModelMatch::take_in_order() {
  const std::size_t features = model_.features.size();
  const std::size_t before = (model_.id.empty() ? 0 : 1) + (model_.time.empty() ? 0 : 1);
  const std::size_t all = before + features + model_.targets.size();
  if (sample_.columns() != features && sample_.columns() != all) {
    throw InputError(fmt::format("{}: found {} and no header, expected the {} of the model: {}",
                                 file_, counted(sample_.columns(), "column"),
                                 counted(features, "feature"), io::listed(model_.features)));
  }
  const bool whole = sample_.columns() == all;
  std::size_t column = 0;
  const auto next = [&] { return column++; };
  roles_.targets.clear();
  if (whole && !model_.id.empty()) roles_.id = next();
  if (whole && !model_.time.empty()) roles_.time = next();
  std::generate_n(std::back_inserter(roles_.features), features, next);
  if (whole) std::generate_n(std::back_inserter(roles_.targets), model_.targets.size(), next);
}

void ModelMatch::take_steps() {
  roles_.layout = Layout::kWide;
  roles_.features.clear();
  if (!sample_.has_header() && !roles_.targets.empty() && !holds_classes(roles_.targets[0])) {
    roles_.targets.clear();
  }
  if (model_.features.size() == 1) roles_.features = step_columns(sample_, roles_);
  if (roles_.features.empty()) refuse_difference();
}

// Without a header, the first column may be the class or the first step.
bool ModelMatch::holds_classes(std::size_t column) const {
  if (!sample_.is_number(column) || model_.target == Target::kNumbers) return true;
  if (!sample_.is_whole(column)) return false;
  for (std::size_t i = 0; i < sample_.columns(); ++i) {
    if (!sample_.is_whole(i)) return true;
  }
  return sample_.repeats(column);
}

void ModelMatch::refuse_difference() const {
  const auto is_in = [](const auto& many, const auto& one) {
    return std::ranges::count(many, one) > 0;
  };
  Names lacking, unknown;
  std::ranges::copy_if(model_.features, std::back_inserter(lacking),
                       [&](const std::string& name) { return !sample_.find(name); });
  for (std::size_t i = 0; i < sample_.columns(); ++i) {
    const bool has_role = i == roles_.id || i == roles_.time || is_in(roles_.targets, i);
    const std::string& name = sample_.names()[i];
    if (!has_role && !is_in(model_.features, name)) unknown.push_back(name);
  }
  throw InputError(fmt::format(
      "{}: lacks {}{}, which the model needs{}", file_,
      lacking.empty()       ? "a column of text"
      : lacking.size() == 1 ? "the column "
                            : "the columns ",
      io::listed(lacking),
      unknown.empty() ? "" : fmt::format("; the model does not know {}", io::listed(unknown))));
}
}  // namespace

Roles match_roles(const TableSample& sample, const Options& options, std::string_view file) {
  return ModelMatch(sample, options, file).roles();
}

}  // namespace rwa::formats
