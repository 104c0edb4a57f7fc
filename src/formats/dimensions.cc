#include "formats/dimensions.h"

#include "base/counted.h"

namespace rwa::formats {

void Dimensions::clear() {
  numbers_.clear();
  count_ = begin_ = 0;
  missing_step_ = kNever;
}

void Dimensions::begin() {
  begin_ = numbers_.size();
  ++count_;
}

void Dimensions::cut_missing_end() {
  const std::size_t all = steps();
  const auto is_missing = [&](std::size_t step) {
    for (std::size_t d = 0; d < count_; ++d) {
      if (!std::isnan(numbers_[d * all + step])) return false;
    }
    return true;
  };
  std::size_t kept = all;
  while (kept > 0 && is_missing(kept - 1)) --kept;
  for (std::size_t d = 1; d < count_; ++d) {
    for (std::size_t t = 0; t < kept; ++t) numbers_[d * kept + t] = numbers_[d * all + t];
  }
  numbers_.resize(count_ * kept);
  begin_ = numbers_.size() - kept;
}

void Dimensions::put(Sequence& sequence) const {
  const std::size_t all = steps();
  sequence.steps = static_cast<int>(all);
  sequence.x.resize(numbers_.size());
  for (std::size_t t = 0; t < all; ++t) {
    for (std::size_t d = 0; d < count_; ++d) sequence.x[t * count_ + d] = numbers_[d * all + t];
  }
}

void refuse_numbers(const HeadedLines& lines, const char* at) {
  lines.refuse(at, "more than " + counted(kMostOfLine, "number") + " in a line",
               "fewer: save long sequences as .npy");
}

}  // namespace rwa::formats
