// src/tasks/synthetic.h: the base of data sets that are computed rather than stored. A sample is a
// function of (seed, split, number) and has its own stream of random numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "datasets/dataset.h"
#include "tasks/task.h"

namespace rwa::tasks {

inline constexpr int kMostSteps = 1'000'000;  // in one part of a sequence
inline constexpr int kMostSymbols = 10'000;

using datasets::check_range;

// Draws the random choices of one sample. Uses the indices of `random` from 0 on, one per four
// draws.
class Draws {
 public:
  explicit Draws(const Random& random) : random_(random) {}

  // Returns a number in 0…count-1, uniform to within count / 2³².
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

class Synthetic : public datasets::Dataset {
 public:
  struct Description {
    datasets::Shape shape;
    datasets::Naive naive;
    std::uint64_t seed = 1;
    std::int64_t train = 0, test = 0;
  };

  [[nodiscard]] const datasets::Shape& shape() const final { return about_.shape; }
  [[nodiscard]] datasets::Naive naive() const final { return about_.naive; }
  [[nodiscard]] std::int64_t size(datasets::Split split) const final {
    if (split == datasets::Split::kValid) return 0;
    return split == datasets::Split::kTrain ? about_.train : about_.test;
  }

 protected:
  explicit Synthetic(const Description& about);

  [[nodiscard]] Random random(datasets::Split split, std::int64_t sample) const;
  [[nodiscard]] std::vector<Random> randoms(datasets::Split split,
                                            std::span<const std::int64_t> samples) const;

 private:
  Description about_;
};

// Sets `feature` of every step to a random value. Leaves index 0 of each generator to other uses.
void write_values(Values values, std::span<const Random> randoms, int inputs, int feature,
                  datasets::Batch& batch);

}  // namespace rwa::tasks
