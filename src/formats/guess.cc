#include "formats/guess.h"

#include <cmath>

#include "formats/number.h"

namespace rwa::formats {

std::string_view beginning(Source& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t most = std::size_t{1} << 20;
  std::string_view text = source.peek(most);
  if (text.size() == most) {
    std::size_t end = text.rfind('\n');
    while (end == text.npos && text.size() == most && most < Source::kLongestLine) {
      most *= 2;
      text = source.peek(most);
      end = text.find('\n');
    }
    if (end != text.npos) text = text.substr(0, end + 1);
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

bool next_line(std::string_view& lines, std::string_view& line) {
  if (lines.empty()) return false;
  const std::size_t end = lines.find('\n');
  line = lines.substr(0, end);
  lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

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

}  // namespace rwa::formats
