#include "formats/array_answers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/match.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
namespace fs = std::filesystem;

// Limited, since names of targets take memory before any number is read.
constexpr std::int64_t kMostNames = 1 << 16;

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return at != std::string::npos;
}

// Position of x or X as a separate word.
std::size_t find_x(std::string_view name) {
  const auto is_letter = [&](std::size_t i) {
    return i < name.size() && std::isalnum(static_cast<unsigned char>(name[i])) != 0;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool alone = !is_letter(i + 1) && (i == 0 || !is_letter(i - 1));
    if (alone && (name[i] == 'x' || name[i] == 'X')) return i;
  }
  return std::string_view::npos;
}

// Possible names of the label file, without .gz or .zst.
std::vector<std::string> names_of_labels(std::string x) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (x.ends_with(ending)) x.resize(x.size() - ending.size());
  }
  if (replace(x, "images", "labels")) {
    for (const std::string_view dimensions : {"idx3", "idx2"}) replace(x, dimensions, "idx1");
    return {x};
  }
  const std::size_t at = find_x(x);
  if (at == std::string_view::npos) return {};
  std::vector<std::string> names(2, x);
  names[0][at] = 'y';
  names[1][at] = 'Y';
  return names;
}

std::optional<fs::path> file_beside(const fs::path& x) {
  for (const std::string& name : names_of_labels(x.filename().string())) {
    for (const char* ending : {"", ".gz", ".zst"}) {
      fs::path file = x.parent_path() / (name + ending);
      if (std::error_code ignored; fs::exists(file, ignored)) return file;
    }
  }
  return {};
}

Array open_array(std::unique_ptr<Source> source) {
  if (source->peek(kIdxMagic.size()) == kIdxMagic) return parse_idx(std::move(source));
  const std::string name = source->name();
  return parse_npy(name, bytes_of(std::move(source)));
}
}  // namespace

ArrayAnswers::ArrayAnswers(Array y, const Cases& cases, const Options& options,
                           SharedVocabulary vocabulary)
    : y_(std::move(y)),
      cases_(cases),
      optional_(options.as.has_value()),
      vocabulary_(std::move(vocabulary)) {
  decide(requested_target(options));
  check_names(options);
}

std::int64_t ArrayAnswers::width_with(const ArrayShape& lead) const {
  const ArrayShape& shape = y_.shape();
  const bool fits = shape.size() >= lead.size() && shape.size() <= lead.size() + 1 &&
                    std::equal(lead.begin(), lead.end(), shape.begin());
  if (!fits) return 0;
  return shape.size() == lead.size() ? 1 : shape.back();
}

void ArrayAnswers::decide(const std::optional<Target>& asked) {
  const std::int64_t of_case = width_with({cases_.count});
  const std::int64_t of_step =
      cases_.joined ? width_with({cases_.steps}) : width_with({cases_.count, cases_.steps});
  every_step_ = asked ? is_per_step(*asked) : of_step > 0 && of_case != 1;
  width_ = every_step_ ? of_step : of_case;
  if (width_ == 0) refuse_shape();
  const bool text = y_.element().kind == Element::Kind::kText;
  if (asked) {
    target_ = *asked;
  } else if (y_.element().kind == Element::Kind::kFloat) {
    target_ = every_step_ ? Target::kNumbersPerStep : Target::kNumbers;
  } else if (every_step_) {
    target_ = width_ == 1 ? Target::kClassPerStep : Target::kNumbersPerStep;
  } else {
    target_ = width_ == 1 ? Target::kClass : Target::kLabels;
  }
  const bool named = target_ == Target::kClass || target_ == Target::kClassPerStep;
  if (named ? width_ != 1 : text || width_ > kMostNames) refuse_shape();
}

void ArrayAnswers::refuse_shape() const {
  const char* text = y_.element().kind == Element::Kind::kText ? " of text" : "";
  throw InputError(
      fmt::format("{}: has shape {}{}, expected (N,) for classes, (N, K) for labels or numbers, {} "
                  "for per-step targets, where N = {} sequences and {} = {} steps{}",
                  y_.name(), to_string(y_.shape()), text,
                  cases_.joined ? "(S,) or (S, K)" : "(N, T) or (N, T, K)", cases_.count,
                  cases_.joined ? "S" : "T", cases_.steps, cases_.joined ? " in total" : ""));
}

void ArrayAnswers::check_names(const Options& options) {
  const std::size_t count = is_of_numbers(target_) ? static_cast<std::size_t>(width_) : 1;
  names_ = options.as ? options.as->targets : options.targets;
  if (names_.empty()) {
    for (std::size_t i = 0; i < count; ++i) names_.push_back(fmt::format("y{}", i));
    if (count == 1) names_ = {"y"};
  }
  if (names_.size() != count) {
    throw InputError(fmt::format("{}: has shape {} with {}, expected {}: {}", y_.name(),
                                 to_string(y_.shape()), counted(count, "target"), names_.size(),
                                 fmt::join(names_, ", ")));
  }
}

void ArrayAnswers::next(Sequence& sequence) {
  const auto steps = static_cast<std::uint64_t>(every_step_ ? sequence.steps : 1);
  const auto width = static_cast<std::uint64_t>(width_);
  if (is_of_numbers(target_)) {
    next_numbers(steps * width, sequence.values);
  } else if (target_ == Target::kLabels) {
    next_labels(sequence);
  } else {
    for (std::uint64_t i = 0; i < steps; ++i) {
      sequence.labels.push_back(vocabulary_->labels.number(y_.word()));
    }
  }
  if (every_step_ && !cases_.joined) {
    y_.skip((static_cast<std::uint64_t>(cases_.steps) - steps) * width);
  }
}

void ArrayAnswers::next_numbers(std::uint64_t count, std::vector<float>& values) {
  if (count > kMostNumbers) {
    throw InputError(fmt::format("{}: has shape {}, {} numbers per sequence, expected at most {}",
                                 y_.name(), to_string(y_.shape()), count, kMostNumbers));
  }
  y_.numbers(count, values);
  const auto missing = std::ranges::find_if(values, [](float value) { return std::isnan(value); });
  if (missing == values.end()) return;
  if (optional_) return values.clear();
  y_.refuse("NaN", "a number", static_cast<std::uint64_t>(values.end() - missing) - 1);
}

void ArrayAnswers::next_labels(Sequence& sequence) {
  for (std::int64_t i = 0; i < width_; ++i) {
    const std::string_view flag = y_.word();
    if (flag != "0" && flag != "1") y_.refuse(flag, "0 or 1");
    if (flag == "1") sequence.labels.push_back(vocabulary_->labels.number(fmt::to_string(i)));
  }
}

std::optional<Array> labels_of(const fs::path& x, const Options& options) {
  if (requested_target(options) == Target::kNone) return {};
  const std::optional<fs::path> file =
      options.label_from.empty() ? file_beside(x) : std::optional<fs::path>(options.label_from);
  if (!file) return {};
  return open_array(std::make_unique<Source>(*file));
}

}  // namespace rwa::formats
