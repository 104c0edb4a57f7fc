#include "formats/table_findings.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/table_time.h"
#include "formats/usual_names.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

// "a" or "b", or many of them.
std::string joined_by_or(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 4;
  if (names.size() > kFew) return io::listed(names);
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(io::quote(name));
  return fmt::to_string(fmt::join(quoted, " or "));
}

class FindingsMaker {
 public:
  FindingsMaker(const TableSample& sample, const Options& options, const Roles& roles,
                const std::vector<std::string>& why)
      : sample_(sample), options_(options), roles_(roles), why_(why) {}

  Findings make(TaskGuess task) {
    findings_.task = std::move(task.why);
    findings_.warnings = std::move(task.warnings);
    list_columns();
    warn_about_time();
    warn_about_targets();
    warn_about_columns();
    return std::move(findings_);
  }

 private:
  void list_columns();
  [[nodiscard]] std::string role_of_feature() const;
  [[nodiscard]] std::string why_left_out(std::size_t column) const;
  void warn_about_time();
  void warn_about_targets();
  void warn_about_columns();
  [[nodiscard]] bool is_constant_in_sequences(std::size_t column) const;

  const TableSample& sample_;
  const Options& options_;
  const Roles& roles_;
  const std::vector<std::string>& why_;
  Findings findings_;
};

void FindingsMaker::list_columns() {
  std::vector<std::string> roles(sample_.columns());
  if (roles_.id) roles[*roles_.id] = "id";
  if (roles_.time) roles[*roles_.time] = "time";
  if (roles_.time_of_day) roles[*roles_.time_of_day] = "time";
  for (const std::size_t column : roles_.features) roles[column] = role_of_feature();
  for (const std::size_t column : roles_.targets) roles[column] = "target";
  findings_.columns.reserve(sample_.columns());
  for (std::size_t i = 0; i < sample_.columns(); ++i) {
    const bool is_left_out = roles[i].empty();
    findings_.columns.push_back({sample_.names()[i], is_left_out ? "left out" : roles[i],
                                 is_left_out ? why_left_out(i) : why_[i]});
  }
}

std::string FindingsMaker::role_of_feature() const {
  const bool wide = roles_.layout == Layout::kWide;
  if (!roles_.symbols) return wide ? "step" : "feature";
  return wide && roles_.features.size() == 1 ? "text" : "symbol";
}

std::string FindingsMaker::why_left_out(std::size_t column) const {
  if (!options_.features.empty()) return "not in --features";
  if (sample_.is_empty(column)) return "empty";
  if (is_index(sample_, column)) return "row numbers or names";
  if (should_be_numbers(sample_, column)) return "numbers with units or thousands separators";
  if (const auto form = time_form(sample_, column); form && form != TimeForm::kNumber) {
    return std::string(to_string(*form));
  }
  if (roles_.symbols) {
    return sample_.is_number(column) ? "numbers beside symbols" : "text beside the sequence";
  }
  return sample_.is_number(column) ? "not numbered like the steps" : "text beside numbers";
}

void FindingsMaker::warn_about_time() {
  if (!roles_.time || !options_.time.empty() || roles_.layout == Layout::kWide) return;
  const std::string name = io::quote(sample_.names()[*roles_.time]);
  if (is_ambiguous(sample_, *roles_.time) && roles_.time_form != TimeForm::kNumber) {
    findings_.warnings.push_back(
        fmt::format("the dates in {} could be day first or month first; read as {}", name,
                    to_string(*roles_.time_form)));
  }
  if (!roles_.mixed) return;
  const std::string id = io::quote(sample_.names()[*roles_.mixed]);
  findings_.warnings.push_back(
      fmt::format("rows with the same {} differ in {}: if {} tells sequences apart, sort the table "
                  "by it and use --id",
                  name, id, id));
}

// Names columns that could be the target of a task that is a forecast for want of one: several of
// words, or numbers that are the same in all rows of a sequence.
void FindingsMaker::warn_about_targets() {
  if (!options_.targets.empty() || options_.task == Target::kNone) return;
  std::vector<std::string> names;
  if (!roles_.targets.empty()) {
    for (const std::size_t column : free_columns(sample_, roles_, false)) {
      if (!is_usual(sample_.names()[column], kTargetNames)) continue;
      findings_.warnings.push_back(fmt::format("{} could be the target too: use --target",
                                               io::quote(sample_.names()[column])));
    }
    return;
  }
  for (const std::size_t column : free_columns(sample_, roles_, false)) {
    if (may_be_target(sample_, roles_, column)) names.push_back(sample_.names()[column]);
  }
  for (const std::size_t column : roles_.features) {
    if (is_constant_in_sequences(column)) names.push_back(sample_.names()[column]);
  }
  if (names.empty()) return;
  findings_.warnings.push_back(
      fmt::format("{} could be the target: use --target, or the task is to predict the next step",
                  joined_by_or(names)));
}

// Names columns of text that should be numbers, and a table that nothing shows to be a sequence.
void FindingsMaker::warn_about_columns() {
  const std::vector<bool> taken = taken_columns(sample_, roles_);
  for (std::size_t i = 0; i < sample_.columns() && options_.features.empty(); ++i) {
    if (taken[i] || !should_be_numbers(sample_, i)) continue;
    findings_.warnings.push_back(fmt::format(
        "{} is left out: found {}, expected a number: remove units and thousands separators",
        io::quote(sample_.names()[i]), io::quote(sample_.cell(0, i))));
  }
  const bool is_assumed = roles_.layout == Layout::kLong && !options_.layout && !roles_.id &&
                          !roles_.time && sample_.has_header() && !roles_.targets.empty();
  if (!is_assumed) return;
  findings_.warnings.emplace_back(
      "without an id or a time, all rows are read as one sequence: use --id, or --layout wide if "
      "each row is a sequence");
}

bool FindingsMaker::is_constant_in_sequences(std::size_t column) const {
  constexpr std::size_t kFew = 3;
  if (!roles_.id || roles_.symbols || sample_.distinct(column) < 2) return false;
  std::size_t sequences = 1;
  for (std::size_t row = 1; row < sample_.rows(); ++row) {
    const bool is_same = sample_.cell(row, *roles_.id) == sample_.cell(row - 1, *roles_.id);
    sequences += is_same ? 0 : 1;
    if (is_same && sample_.cell(row, column) != sample_.cell(row - 1, column)) return false;
  }
  return sequences >= kFew && sequences < sample_.rows();
}
}  // namespace

Findings describe_roles(const TableSample& sample, const Options& options, const Roles& roles,
                        const std::vector<std::string>& why, TaskGuess task) {
  return FindingsMaker(sample, options, roles, why).make(std::move(task));
}

}  // namespace rwa::formats
