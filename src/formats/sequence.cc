#include "formats/sequence.h"

namespace rwa::formats {

void Sequence::clear() {
  id.clear();
  line = 0;
  steps = 0;
  x.clear();
  missing = {};
  symbols.clear();
  labels.clear();
  values.clear();
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
