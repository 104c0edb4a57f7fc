// src/workflows/score_sums.h: the running sums that score.cc computes Scores from. None of them
// grows with the number of sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workflows/score.h"

namespace rwa::workflows {

inline double share(double part, std::int64_t whole) {
  return whole > 0 ? part / static_cast<double>(whole) : 0.0;
}

// Correct and wrong predictions by confidence.
class Calibration {
 public:
  void add(double confidence, bool right);
  void finish(Scores& scores) const;

 private:
  static constexpr std::size_t kBins = 10;
  struct Bin {
    std::int64_t answers = 0, right = 0;
    double confidence = 0;
  };
  std::vector<Bin> bins_ = std::vector<Bin>(kBins);
};
// Adds the next bin to a bin.
void join(ConfidenceBin& bin, const ConfidenceBin& next);
// For readers: joins neighbours until no bin has too few answers, unless it is the only one.
std::vector<ConfidenceBin> joined(const std::vector<ConfidenceBin>& bins);

// Counts how often each label was true, predicted, and both.
class LabelCounts {
 public:
  explicit LabelCounts(std::size_t labels) : counts_(labels) {}

  void add_class(std::size_t truth, std::size_t predicted);
  void add_labels(std::span<const float> truth, std::span<const std::size_t> predicted);
  void finish(std::span<const std::string> names, Scores& scores) const;

 private:
  struct Count {
    std::int64_t true_ones = 0, predicted = 0, both = 0;
  };
  std::vector<Count> counts_;
};

// Errors of standardised numbers; finish() converts them to their own unit.
class NumberSums {
 public:
  explicit NumberSums(std::size_t numbers) : sums_(numbers) {}

  void add(std::span<const float> truth, std::span<const float> predicted);
  void finish(const OutputDecoder& decoder, Scores& scores) const;

 private:
  struct Sum {
    double error = 0, squared_error = 0;     // absolute and squared
    double mean = 0, squared_deviation = 0;  // of the target (Welford)
    std::vector<NumberScore::Shown> shown = {};
  };
  void show(std::span<const float> truth, std::span<const float> predicted);

  std::vector<Sum> sums_;
  std::int64_t count_ = 0;
  std::int64_t every_ = 1;  // prediction is shown
};

// Errors of forecasts in their own unit.
class ForecastSums {
 public:
  explicit ForecastSums(const datasets::Encoding& encoding) : encoding_(encoding) {}

  // `window` has the truth.
  void add(const formats::Sequence& window, std::span<const datasets::Range> ranges);
  void finish(Scores& scores) const;

 private:
  struct Sum {
    std::int64_t count = 0, inside = 0;
    double error = 0, squared_error = 0, share = 0, scaled = 0, width = 0;
  };

  const datasets::Encoding& encoding_;
  std::vector<Sum> features_, ahead_;
  std::vector<float> windows_;  // the mean scaled error of each
};

// Sums over the predictions for one or more sequences.
struct Tally {
  std::int64_t sequences = 0, answers = 0;
  std::int64_t decisions = 0, right = 0;  // a class is one decision; each label is one
  double loss = 0;                        // the sum

  Tally& operator+=(const Tally& other);
};

class Lengths {
 public:
  void add(int steps, const Tally& tally) { tallies_[steps] += tally; }
  void finish(Loss loss, Scores& scores) const;

 private:
  struct Bin {
    int shortest = 0, longest = 0;
    Tally sum = {};
  };
  [[nodiscard]] std::vector<Bin> bins() const;

  std::map<int, Tally> tallies_;
};

// The examples with the highest losses so far.
class Hardest {
 public:
  // Whether an example with this loss would be kept.
  [[nodiscard]] bool wants(double loss) const;
  void add(HardExample example);
  [[nodiscard]] const std::vector<HardExample>& examples() const { return examples_; }

 private:
  static constexpr std::size_t kMost = 10;
  std::vector<HardExample> examples_;
};

}  // namespace rwa::workflows
