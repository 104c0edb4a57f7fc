#include "data/dataset.h"

#include "base/random.h"

namespace rwa::data {

void Dataset::draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const {
  const Random random(seed, Purpose::kTrainDraws);
  const auto count = static_cast<std::uint64_t>(size(Split::kTrain));
  for (std::int64_t& sample : samples) {
    sample = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(first++), count));
  }
}

}  // namespace rwa::data
