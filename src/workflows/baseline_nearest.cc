// src/workflows/baseline_nearest.cc: the class or the labels of the nearest training sequence.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "workflows/baseline.h"
#include "workflows/resampling.h"

namespace rwa::workflows {
namespace {

constexpr int kMostSteps = 256;
constexpr std::size_t kMostValues = std::size_t{1} << 25;  // of all training sequences: 128 MiB
constexpr std::size_t kMostLeftOut = 256;

int common_length(const datasets::Files& files) {
  const int window = files.encoding().window;
  const int median = median_length(files.statistics());
  return std::clamp(window > 0 ? std::min(window, median) : median, 1, kMostSteps);
}

// The squared distance, or any number of at least `limit` if it is larger.
float distance(const float* a, const float* b, std::size_t size, float limit) {
  constexpr std::size_t kLanes = 16, kBlock = 16 * kLanes;
  std::array<float, kLanes> sums{};
  float rest = 0;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, size);
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const float difference = a[i + lane] - b[i + lane];
        sums[lane] += difference * difference;
      }
    }
    for (; i < end; ++i) rest += (a[i] - b[i]) * (a[i] - b[i]);
    float sum = rest;
    for (const float lane : sums) sum += lane;
    if (sum >= limit || end == size) return sum;
  }
  return rest;
}

class Neighbours {
 public:
  Neighbours(const datasets::Files& files, std::span<const std::int64_t> numbers)
      : width_(files.encoding().width()),
        size_(width_ * static_cast<std::size_t>(common_length(files))),
        outputs_(files.encoding().labels.size()),
        one_class_(files.encoding().schema.target == formats::Target::kClass),
        values_(numbers.size() * size_) {
    for (const std::int64_t number : numbers) {
      const formats::Sequence sequence = training_sequence(files, number);
      resample(sequence, width_, std::span(values_).subspan(labels_.size() * size_, size_));
      labels_.push_back(sequence.labels);
    }
    sureness_ = find_sureness();
  }

  void predict(const formats::Sequence& encoded, std::vector<float>& outputs) const {
    std::vector<float> values(size_);
    resample(encoded, width_, values);
    const auto& labels = labels_[nearest(values, labels_.size())];
    // The logits of a probability of `sureness_` for what the neighbour has.
    const auto others = static_cast<double>(one_class_ ? outputs_ - 1 : 1);
    const auto logit = static_cast<float>(std::log(sureness_ / (1 - sureness_) * others));
    outputs.assign(outputs_, one_class_ ? 0.0f : -logit);
    for (const std::int32_t label : labels) outputs[static_cast<std::size_t>(label)] = logit;
  }

 private:
  // The first one of equals; `but` is not considered.
  [[nodiscard]] std::size_t nearest(std::span<const float> values, std::size_t but) const {
    std::size_t found = but == 0 && labels_.size() > 1 ? 1 : 0;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (i == but) continue;
      const float far = distance(values.data(), &values_[i * size_], size_, least);
      if (!(far < least)) continue;
      least = far;
      found = i;
    }
    return found;
  }

  // The share of correct decisions for training sequences that are left out in turn.
  [[nodiscard]] double find_sureness() const {
    double right = 0, all = 0;
    for (const std::int64_t i :
         evenly_spaced(std::ssize(labels_), static_cast<double>(kMostLeftOut))) {
      const auto row = static_cast<std::size_t>(i);
      const std::size_t found = nearest(std::span(values_).subspan(row * size_, size_), row);
      if (found == row) continue;  // the only one
      right += one_class_
                   ? (labels_[found] == labels_[row] ? 1 : 0)
                   : static_cast<double>(outputs_) - differences(labels_[found], labels_[row]);
      all += one_class_ ? 1 : static_cast<double>(outputs_);
    }
    // One right and one wrong more, and above chance, so that the neighbour decides.
    const double chance = one_class_ ? 1 / static_cast<double>(outputs_) : 0.5;
    constexpr double kAbove = 0.01;
    return std::max((right + 1) / (all + 2), chance + kAbove * (1 - chance));
  }

  // The number of labels that only one of the two has.
  static double differences(const std::vector<std::int32_t>& a,
                            const std::vector<std::int32_t>& b) {
    const auto not_in = [](const auto& these, const auto& those) {
      return std::ranges::count_if(these, [&](std::int32_t label) {
        return std::ranges::find(those, label) == those.end();
      });
    };
    return static_cast<double>(not_in(a, b) + not_in(b, a));
  }

  std::size_t width_, size_, outputs_;
  bool one_class_;
  std::vector<float> values_;  // [training sequences][steps][features]
  std::vector<std::vector<std::int32_t>> labels_;
  double sureness_ = 0;
};

}  // namespace

std::optional<FittedBaseline> fit_nearest(const datasets::Files& files, std::int64_t scored,
                                          double work) {
  const double size =
      static_cast<double>(files.encoding().width()) * static_cast<double>(common_length(files));
  const double compared = static_cast<double>(scored) + static_cast<double>(kMostLeftOut);
  const double most = std::min(work / compared, static_cast<double>(kMostValues)) / size;
  const std::int64_t samples = files.size(datasets::Split::kTrain);
  const auto numbers = evenly_spaced(samples, most);
  if (numbers.empty()) return std::nullopt;
  const auto neighbours = std::make_shared<const Neighbours>(files, numbers);
  return FittedBaseline{
      name_with_count("1-NN", std::ssize(numbers), samples),
      [neighbours](const formats::Sequence& encoded, std::vector<float>& outputs) {
        neighbours->predict(encoded, outputs);
      }};
}

}  // namespace rwa::workflows
