#include "workflows/alignment.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/sequence.h"
#include "workflows/resampling.h"

namespace rwa::workflows {
namespace {

using datasets::Split;

constexpr std::int64_t kMostSequences = 200;
constexpr double kMostWork = 5e8;  // multiplications: half a second
constexpr int kSteps = 128;        // to which sequences are resampled
constexpr int kShift = 6;          // of them
constexpr double kStandardErrors = 2;

struct Example {
  std::vector<float> values;  // [kSteps][width]
  std::vector<std::int32_t> labels;
};

std::vector<Example> examples_of(const datasets::Files& files) {
  const std::size_t width = files.encoding().width();
  const std::int64_t all = files.size(Split::kTrain);
  const double pair = static_cast<double>(width) * kSteps * (2 * kShift + 1);
  const auto most = static_cast<std::int64_t>(std::sqrt(kMostWork / pair));
  const std::int64_t count = std::min({all, most, kMostSequences});
  std::vector<Example> examples;
  formats::Sequence sequence;
  for (std::int64_t i = 0; i < count; ++i) {
    files.sample(Split::kTrain, i * all / count, sequence);
    const formats::Sequence scaled = datasets::scaled(files.encoding(), sequence);
    Example& made = examples.emplace_back();
    made.values.resize(kSteps * width);
    resample(scaled, width, made.values);
    made.labels = scaled.labels;
  }
  return examples;
}

// The squared distance of a from b shifted by this many steps, whose ends are repeated.
double distance(const Example& a, const Example& b, int shift) {
  const std::size_t width = a.values.size() / kSteps;
  double sum = 0;
  for (int t = 0; t < kSteps; ++t) {
    const int from = std::clamp(t + shift, 0, kSteps - 1);
    const float* ours = &a.values[static_cast<std::size_t>(t) * width];
    const float* theirs = &b.values[static_cast<std::size_t>(from) * width];
    float row = 0;
    for (std::size_t d = 0; d < width; ++d) row += (ours[d] - theirs[d]) * (ours[d] - theirs[d]);
    sum += row;
  }
  return sum;
}

// The nearest sequence of the same class, and of another.
struct Nearest {
  double same = std::numeric_limits<double>::infinity();
  double other = std::numeric_limits<double>::infinity();

  void see(double distance, bool is_same) {
    double& nearest = is_same ? same : other;
    nearest = std::min(nearest, distance);
  }
  [[nodiscard]] bool is_found() const { return std::isfinite(same) && std::isfinite(other); }
  // How much nearer the same class is, as a logarithm. Copies of a sequence are not infinitely near.
  [[nodiscard]] double margin() const {
    constexpr double kLeast = 1e-9;
    return 0.5 * std::log((other + kLeast) / (same + kLeast));
  }
};

// By how much shifts change the margin of each sequence that has one.
std::vector<double> changes_of(const std::vector<Example>& examples) {
  std::vector<double> changes;
  for (const Example& one : examples) {
    Nearest as_is, shifted;
    for (const Example& other : examples) {
      if (&other == &one) continue;
      const bool is_same = other.labels == one.labels;
      for (int shift = -kShift; shift <= kShift; ++shift) {
        const double far = distance(one, other, shift);
        if (shift == 0) as_is.see(far, is_same);
        shifted.see(far, is_same);
      }
    }
    if (as_is.is_found()) changes.push_back(shifted.margin() - as_is.margin());
  }
  return changes;
}

// The mean over its standard error.
double significance(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  if (count < 2) return 0;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / count) * (value - sum / count);
  const double error = std::sqrt(squares / (count - 1) / count);
  return error > 0 ? sum / count / error : 0;
}

}  // namespace

Alignment find_alignment(const datasets::Files& files) {
  const double found = significance(changes_of(examples_of(files)));
  if (found > kStandardErrors) return Alignment::kLoose;
  return found < -kStandardErrors ? Alignment::kExact : Alignment::kUnclear;
}

}  // namespace rwa::workflows
