#include "formats/source.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "formats/text_symbols.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
constexpr std::size_t kBlock = std::size_t{1} << 18;

// Counts UTF-8 characters; invalid bytes may count as one each.
std::ptrdiff_t characters(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}
}  // namespace

Source::Source(const std::filesystem::path& path) : path_(path), content_(path) {}

bool Source::more(std::size_t room) {
  if (size_ - end_ < room) make_room(room);
  const auto free = std::span(buffer_.get(), size_).subspan(end_, room);
  const std::size_t count = content_.read_some(std::as_writable_bytes(free));
  end_ += count;
  end_lines(free.first(count));
  return count > 0;
}

void Source::make_room(std::size_t room) {
  if (begin_ > 0) std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  if (size_ - end_ >= room) return;
  const std::size_t size = std::max({end_ + room, 2 * size_, kBlock});
  void* const larger = std::realloc(buffer_.get(), size);
  if (larger == nullptr) throw std::bad_alloc();
  (void)buffer_.release();
  buffer_.reset(static_cast<char*>(larger));
  size_ = size;
}

// Text with carriage returns and no line feeds, as of old Macintosh programs, gets line feeds.
// Until that is known, only the last byte so far can be a carriage return, the first of \r\n.
void Source::end_lines(std::span<char> text) {
  const auto has = [](std::span<const char> part, char c) {
    return std::string_view(part.data(), part.size()).find(c) != std::string_view::npos;
  };
  if (!by_carriage_returns_ && !text.empty()) {
    const std::span all(buffer_.get() + begin_, end_ - begin_);
    text = all.last(std::min(text.size() + 1, all.size()));
    if (has(text, '\n')) {
      by_carriage_returns_ = false;
    } else if (has(text.first(text.size() - 1), '\r')) {
      by_carriage_returns_ = !has(all, '\0');
    }
  }
  if (by_carriage_returns_.value_or(false)) std::ranges::replace(text, '\r', '\n');
}

std::string_view Source::peek(std::size_t most) {
  while (end_ - begin_ < most && more(std::min(most - (end_ - begin_), kBlock))) {
  }
  return {buffer_.get() + begin_, std::min(most, end_ - begin_)};
}

std::size_t Source::find_end(std::size_t most) {
  for (std::size_t searched = 0;;) {
    const std::string_view found(buffer_.get() + begin_, end_ - begin_);
    const std::size_t end = found.find('\n', searched);
    if (end != found.npos) return end;
    if (found.size() > most || !more(kBlock)) return end_ - begin_;
    searched = found.size();
  }
}

bool Source::part_of_line(std::string_view& part, std::size_t most) {
  const std::size_t length = find_end(most);
  if (begin_ == end_) return false;
  begins_line_ = std::exchange(ends_line_, length <= most);
  columns_before_ = begins_line_ ? 0 : columns_after_;
  part = {buffer_.get() + begin_, std::min(length, most)};
  if (ends_line_) {
    begin_ += length + (begin_ + length < end_ ? 1 : 0);
    if (part.ends_with('\r')) part.remove_suffix(1);
  } else {
    const std::size_t last = part.find_last_not_of(" \t\r");
    if (last != part.npos) part = part.substr(0, last + 1);
    begin_ += part.size();
    columns_after_ = columns_before_ + characters(part);
  }
  line_ += begins_line_ ? 1 : 0;
  if (line_ == 1 && begins_line_) part = without_mark(part);
  if (const std::size_t zero = part.find('\0'); zero != part.npos) {
    refuse(part, part.data() + zero, "a zero byte (NUL)", "text, .npy, .npz or IDX");
  }
  return true;
}

bool Source::line(std::string_view& line, const Longest& longest) {
  if (!part_of_line(line, longest.bytes)) return false;
  if (ends_line_) return true;
  refuse(line, line.data() + line.size(),
         fmt::format("a line of more than {} MiB", longest.bytes >> 20),
         fmt::format("at most that: {}", longest.advice));
}

std::size_t Source::read(std::span<std::byte> bytes) {
  const std::size_t here = std::min(bytes.size(), end_ - begin_);
  if (here > 0) std::memcpy(bytes.data(), buffer_.get() + begin_, here);
  begin_ += here;
  return here + content_.read(bytes.subspan(here));
}

void Source::require_utf8(std::string_view line, std::string_view part) const {
  const char* at = not_utf8(part);
  if (at == nullptr) return;
  refuse(line, at, byte_in_words(*at), kUtf8);
}

Place Source::place_of(std::string_view line, const char* at) const {
  const std::string_view before = line.substr(0, static_cast<std::size_t>(at - line.data()));
  const std::size_t begin = before.rfind('\n') + 1;  // 0 if there is none
  return {.line = line_ - std::ranges::count(line.substr(before.size()), '\n'),
          .column = (begin == 0 ? columns_before_ : 0) + characters(before.substr(begin)) + 1};
}

void Source::refuse(std::string_view line, const char* at, std::string_view found,
                    std::string_view expected) const {
  const Place place = place_of(line, at);
  throw InputError(fmt::format("{}:{}:{}: found {}, expected {}", name(), place.line, place.column,
                               found, expected));
}

void Source::refuse(std::int64_t line, std::string_view found, std::string_view expected) const {
  throw InputError(fmt::format("{}:{}: found {}, expected {}", name(), line, found, expected));
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::string_view beginning(Source& source, std::size_t longest) {
  std::size_t most = std::size_t{1} << 20;
  std::string_view text = source.peek(most);
  if (text.size() == most) {
    std::size_t end = text.rfind('\n');
    while (end == text.npos && text.size() == most && most < longest) {
      const std::size_t searched = most;
      most *= 2;
      text = source.peek(most);
      end = text.find('\n', searched);
    }
    if (end != text.npos) text = text.substr(0, end + 1);
  }
  return without_mark(text);
}

bool next_line(std::string_view& lines, std::string_view& line) {
  if (lines.empty()) return false;
  const std::size_t end = lines.find('\n');
  line = lines.substr(0, end);
  lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace rwa::formats
