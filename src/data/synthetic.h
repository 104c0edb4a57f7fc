// src/data/synthetic.h: what the data sets that are computed, not stored, have in common. A sample
// is a function of (seed, split, number): its random numbers are a stream of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "data/dataset.h"
#include "data/task.h"

namespace rwa::data {

inline constexpr int kMostSteps = 1'000'000;  // in one part of a sequence
inline constexpr int kMostSymbols = 10'000;

// Throws ConfigError, which calls the value `name`.
void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most);

class Synthetic : public Dataset {
 public:
  struct Description {
    Shape shape;
    Naive naive;
    std::uint64_t seed = 1;
    std::int64_t train = 0, test = 0;
  };

  [[nodiscard]] const Shape& shape() const final { return about_.shape; }
  [[nodiscard]] Naive naive() const final { return about_.naive; }
  [[nodiscard]] std::int64_t size(Split split) const final {
    if (split == Split::kValid) return 0;
    return split == Split::kTrain ? about_.train : about_.test;
  }

 protected:
  explicit Synthetic(const Description& about);

  [[nodiscard]] Random random(Split split, std::int64_t sample) const;
  [[nodiscard]] std::vector<Random> randoms(Split split,
                                            std::span<const std::int64_t> samples) const;

 private:
  Description about_;
};

// Makes room for sequences of batch.lengths and `inputs` features, all zero, and no targets.
void lay_out(Batch& batch, int inputs);
// The same for sequences of symbols.
void lay_out_symbols(Batch& batch);

// Gives `feature` of every step its own random value. Index 0 of each generator is left to other
// uses.
void write_values(Values values, std::span<const Random> randoms, int inputs, int feature,
                  Batch& batch);

}  // namespace rwa::data
