#include "formats/sequence.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/counted.h"

namespace rwa::formats {

void Sequence::clear() {
  id.clear();
  numbered = false;
  line = 0;
  steps = 0;
  x.clear();
  missing = {};
  symbols.clear();
  labels.clear();
  values.clear();
  times.clear();
  frame.clear();
  filled.clear();
}

void Sequence::set_number(std::int64_t number) {
  id = std::to_string(number);
  numbered = true;
}

std::int32_t Dictionary::number(std::string_view word) {
  if (2 * words_.size() >= slots_.size()) add_slots();
  std::int32_t& number = slots_[slot_of(word)];
  if (number >= 0) return number;
  require_room(word);
  bytes_ += word.size();
  words_.emplace_back(word);
  return number = static_cast<std::int32_t>(words_.size() - 1);
}

std::size_t Dictionary::slot_of(std::string_view word) const {
  const std::size_t last = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(word) & last;
  while (slots_[slot] >= 0 && words_[static_cast<std::size_t>(slots_[slot])] != word) {
    slot = (slot + 1) & last;
  }
  return slot;
}

void Dictionary::add_slots() {
  constexpr std::size_t kFirst = 64;  // a power of two, as all their numbers
  slots_.assign(std::max(kFirst, 2 * slots_.size()), -1);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    slots_[slot_of(words_[i])] = static_cast<std::int32_t>(i);
  }
}

void Dictionary::require_room(std::string_view word) const {
  if (words_.size() < kMostWords && bytes_ + word.size() <= kMostBytes) return;
  const std::string most = words_.size() == kMostWords ? in_thousands(kMostWords)
                                                       : fmt::format("{} MiB of", kMostBytes >> 20);
  throw FullDictionary(
      fmt::format("found more than {} different {}, expected fewer: {}", most, things_, advice_));
}

}  // namespace rwa::formats
