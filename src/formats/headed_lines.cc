#include "formats/headed_lines.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/nearest.h"
#include "formats/parse.h"
#include "io/quote.h"

namespace rwa::formats {

bool HeadedLines::next() {
  is_read_ = false;
  while (source_.line(line_)) {
    text_ = trimmed(line_);
    if (text_.empty() || text_.front() == comment_) continue;
    is_read_ = true;
    return true;
  }
  return false;
}

void HeadedLines::refuse(const char* at, std::string_view found, std::string_view expected) const {
  source_.refuse(line_, at, found, expected);
}

bool HeadedLines::next_key() {
  if (!next()) source_.refuse(number(), "the end of the file", "@data, then sequences");
  if (text_.front() != '@') {
    refuse(text_.data(), io::quote(text_), "a header line that starts with @, up to @data");
  }
  const std::size_t end = std::min(text_.find_first_of(kBlanks), text_.size());
  key_ = text_.substr(0, end);
  value_ = trimmed(text_.substr(end));
  // Names of data sets are not used, and many are not UTF-8.
  if (!is("@relation") && !is("@problemname")) require_utf8(text_);
  return !is("@data");
}

bool HeadedLines::is(std::string_view key) const { return same_letters(key_, key); }

bool HeadedLines::yes() const {
  if (same_letters(value_, "true")) return true;
  if (!same_letters(value_, "false")) refuse(value_.data(), io::quote(value_), "true or false");
  return false;
}

std::size_t HeadedLines::count() const {
  const std::optional<int> number = parse_count(value_);
  if (!number) refuse(value_.data(), io::quote(value_), "a whole number of at least 1");
  return static_cast<std::size_t>(*number);
}

void HeadedLines::begin_data() {
  if (!next()) source_.refuse(number(), "the end of the file", "a sequence after @data");
}

void HeadedLines::count_listed(std::string_view things) {
  if (listed_++ < kMostListed) return;
  const std::string most = in_thousands(kMostListed);
  refuse(text_.data(), fmt::format("more than {} {}", most, things), "at most that");
}

void HeadedLines::refuse_key(const std::vector<std::string>& known) const {
  const std::vector<std::string> near = nearest(key_, known);
  refuse(key_.data(), io::quote(key_),
         near.empty() ? fmt::format("one of {}", fmt::join(known, ", "))
                      : fmt::to_string(fmt::join(near, " or ")));
}

std::string as_line_says(std::int64_t line, std::string_view key_and_value) {
  return fmt::format("as line {} says ({}): correct that line or the data", line, key_and_value);
}

}  // namespace rwa::formats
