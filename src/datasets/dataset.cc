#include "datasets/dataset.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/random.h"
#include "rwa/errors.h"

namespace rwa::datasets {

void Dataset::draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const {
  const Random random(seed, Purpose::kTrainDraws);
  const auto count = static_cast<std::uint64_t>(size(Split::kTrain));
  for (std::int64_t& sample : samples) {
    sample = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(first++), count));
  }
}

// Returns the number of rows.
static std::size_t lay_out_rows(Batch& batch) {
  batch.steps = batch.lengths.empty() ? 0 : std::ranges::max(batch.lengths);
  batch.classes.clear();
  batch.values.clear();
  return static_cast<std::size_t>(batch.steps) * batch.lengths.size();
}

void lay_out(Batch& batch, int inputs) {
  batch.x.assign(lay_out_rows(batch) * static_cast<std::size_t>(inputs), 0.0F);
}

void lay_out_symbols(Batch& batch) { batch.symbols.assign(lay_out_rows(batch), 0); }

void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw ConfigError(fmt::format("{} is {}, expected {} to {}", name, value, least, most));
  }
}

}  // namespace rwa::datasets
