#include "api/parts.h"

#include <algorithm>
#include <span>

namespace rwa {
namespace {

template <class T>
T* from(T* numbers, std::size_t row, int width) {
  return numbers == nullptr ? nullptr : numbers + row * static_cast<std::size_t>(width);
}

BatchPart make_part(const NetworkSpec& spec, int begin, int steps, const Sequences<float>& in,
                    const Targets<float>& targets) {
  const Rows& whole = in.rows;
  // Another rank's sequences may go on after all of these have ended.
  const std::size_t first = whole.index(std::min(begin, whole.steps), 0);
  const auto batch = static_cast<std::size_t>(whole.batch);
  BatchPart part;
  part.lengths = std::make_unique<std::int32_t[]>(2 * batch);
  const std::span<std::int32_t> lengths(part.lengths.get(), batch);
  const std::span<std::int32_t> ends(part.lengths.get() + batch, batch);
  for (std::size_t b = 0; b < batch; ++b) {
    const int length = whole.length(static_cast<int>(b));
    const int last = std::max(length, 1) - 1;
    lengths[b] = std::clamp(length - begin, 0, steps);
    ends[b] = last >= begin && last < begin + steps ? 1 : 0;
  }
  part.in = {
      from(in.x, first, spec.inputs()), {steps, whole.batch, lengths}, from(in.symbols, first, 1)};
  if (spec.readout == Readout::kEvery) {
    part.targets = {from(targets.classes, first, 1), from(targets.values, first, spec.outputs()),
                    part.in.rows};
  } else {
    part.targets = targets;
    part.targets.rows = {1, whole.batch, ends};
  }
  part.answers = part.targets.rows.counted();
  return part;
}
}  // namespace

int longest_of(const Rows& rows) {
  int longest = 0;
  for (int b = 0; b < rows.batch; ++b) longest = std::max(longest, rows.length(b));
  return longest;
}

std::vector<BatchPart> cut(const NetworkSpec& spec, int steps, int longest,
                           const Sequences<float>& in, const Targets<float>& targets) {
  std::vector<BatchPart> parts;
  if (steps == 0 || longest <= steps) {
    parts.push_back({in, targets, targets.rows.counted()});
    return parts;
  }
  for (int begin = 0; begin < longest; begin += steps) {
    parts.push_back(make_part(spec, begin, std::min(steps, longest - begin), in, targets));
  }
  return parts;
}

}  // namespace rwa
