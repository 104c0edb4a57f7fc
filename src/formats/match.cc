#include "formats/match.h"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "formats/parse.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
std::string_view steps(bool symbols) { return symbols ? "symbols" : "numbers"; }
}  // namespace

void TargetGuess::see(std::string_view answer) {
  float value = 0;
  const Number number = parse_number(answer, value);
  if (number == Number::kMissing) return;
  ++seen_;
  numbers_ = numbers_ && number != Number::kNone;
  whole_ = whole_ && number == Number::kRead && value == std::floor(value);
  if (whole_ && distinct_.size() <= kMostClasses) distinct_.insert(value);
}

Target TargetGuess::target() const {
  if (seen_ == 0) return Target::kNone;
  const auto classes = static_cast<std::int64_t>(distinct_.size());
  const bool few = distinct_.size() <= kMostClasses && 2 * classes <= seen_;
  return !numbers_ || (whole_ && few) ? Target::kClass : Target::kNumbers;
}

std::optional<Target> requested_target(const Options& options) {
  if (options.task || !options.as) return options.task;
  return options.as->target;
}

std::string_view label_from(const Options& options) {
  if (!options.label_from.empty() || !options.as) return options.label_from;
  return options.as->label_from;
}

Target match_target(Target found, const Options& options, std::string_view file) {
  const Target asked = requested_target(options).value_or(found);
  if (asked == found && found == Target::kNumbers && options.as &&
      options.as->targets.size() != 1) {
    throw InputError(fmt::format("{}: found one target, expected {}, as the model predicts", file,
                                 options.as->targets.size()));
  }
  if (asked == Target::kNone || asked == found) return asked;
  if (options.as && found == Target::kNone) return found;
  if (found == Target::kNone) {
    throw ConfigError(fmt::format(
        "{}: found no targets, expected some for --task {}: use --target or --label-from", file,
        to_string(asked)));
  }
  const std::string text =
      fmt::format("{}: found targets for the task {}, expected those for the task {}", file,
                  to_string(found), to_string(asked));
  if (options.task) throw ConfigError(fmt::format("{}: use --task {}", text, to_string(found)));
  throw InputError(text + ", as the model predicts");
}

std::string task_reason(const Options& options, std::string_view found) {
  if (options.task) return "--task";
  return options.as ? "the model's task" : std::string(found);
}

void match_model(Schema& schema, const Options& options, std::string_view file) {
  if (!options.as) return;
  const Schema& model = *options.as;
  if (schema.symbols != model.symbols) {
    throw InputError(fmt::format("{}: found sequences of {}, expected {}, as the model takes", file,
                                 steps(schema.symbols), steps(model.symbols)));
  }
  if (!schema.symbols && schema.features.size() != model.features.size()) {
    throw InputError(fmt::format("{}: found {}, expected the {} that the model takes: {}", file,
                                 counted(schema.features.size(), "feature"), model.features.size(),
                                 io::escape(fmt::to_string(fmt::join(model.features, ", ")))));
  }
  const auto is_day = [](TimeForm form) {
    return form == TimeForm::kDate || form == TimeForm::kDayFirst || form == TimeForm::kMonthFirst;
  };
  if (schema.time_form && model.time_form && schema.time_form != model.time_form &&
      !(is_day(*schema.time_form) && is_day(*model.time_form))) {
    throw InputError(
        fmt::format("{}: found times that are {}, expected {}, as the model knows them", file,
                    to_string(*schema.time_form), to_string(*model.time_form)));
  }
  const Schema own = schema;
  schema = model;
  schema.format = own.format;
  schema.layout = own.layout;
  schema.time_form = own.time_form;
}

}  // namespace rwa::formats
