#include "formats/sequence.h"

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
  const auto known = numbers_.find(word);
  if (known != numbers_.end()) return known->second;
  const auto added = static_cast<std::int32_t>(words_.size());
  words_.emplace_back(word);
  numbers_.emplace(word, added);
  return added;
}

}  // namespace rwa::formats
