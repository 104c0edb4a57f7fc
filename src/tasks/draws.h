// src/tasks/draws.h: the decisions of one sample, drawn one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace rwa::tasks {

// Uses the indexes of `random` from 0 on, one for every four draws.
class Draws {
 public:
  explicit Draws(const Random& random) : random_(random) {}

  // In 0…count-1, uniform to within count / 2³².
  int below(int count) {
    if (used_ == words_.size()) {
      words_ = random_.bits(index_++);
      used_ = 0;
    }
    const std::uint64_t product =
        std::uint64_t{words_[used_++]} * static_cast<std::uint64_t>(count);
    return static_cast<int>(product >> 32);
  }

 private:
  Random random_;
  std::uint64_t index_ = 0;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = words_.size();
};

}  // namespace rwa::tasks
