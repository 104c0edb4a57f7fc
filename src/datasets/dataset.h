// src/datasets/dataset.h: labelled sequences, numbered from 0, and batches of them. A data set is
// immutable: any thread may read any sample at any time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/model.h"
#include "rwa/types.h"

namespace rwa::datasets {

enum class Split { kTrain, kValid, kTest };

// The shape of all samples of a data set, and so of a network for it.
struct Shape {
  Input input = Input::kNumbers;
  int inputs = 1;   // D: features, or symbols
  int outputs = 1;  // O
  Readout readout = Readout::kLast;
  Loss loss = Loss::kSoftmax;
  double interval = ModelConfig{}.interval;  // as in ModelConfig
  double interval_scale = 0;  // of trained intervals; 0: found on validation data, if there is some
  int longest = 1;            // the most steps of any sequence
  double mean_length = 1;     // expected length of a training sample
  int says = 0;               // steps of the longest decoder target; 0: no decoder
  std::vector<int> unseen = {};  // inputs that are 0 in every training sample
  int positions = 0;             // the last inputs, which tell the position, not data
  // The outputs that training starts from, whatever the input; empty: those of initial weights.
  std::vector<float> start = {};
};

// The scores of a baseline that ignores the input: class frequencies or the mean. The loss is in
// the unit of the task: bits, or the squared error.
struct Naive {
  double loss = 0;
  std::optional<double> accuracy;  // 0…1; absent unless the task is classification
};

// Owns the arrays of a batch. Reused for the next batch.
struct Batch {
  std::vector<float> x;               // [T,B,D], zero past a sequence's length
  std::vector<std::int32_t> symbols;  // [T,B], instead of x, also zero-padded
  std::vector<std::int32_t> lengths;  // [B]
  std::vector<std::int32_t> classes;  // as in TargetView
  std::vector<float> values;
  int steps = 0;                             // T, the longest length
  std::vector<std::int32_t> target_lengths;  // [B], of decoder targets
  int target_steps = 0;                      // the longest of target_lengths

  [[nodiscard]] BatchView sequences() const {
    return {.x = x,
            .steps = steps,
            .batch = static_cast<int>(lengths.size()),
            .lengths = lengths,
            .symbols = symbols};
  }
  [[nodiscard]] TargetView targets() const {
    return {.classes = classes, .values = values, .steps = target_steps, .lengths = target_lengths};
  }
};

class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual const Shape& shape() const = 0;
  [[nodiscard]] virtual Naive naive() const = 0;
  // 0 if there are no samples of this split.
  [[nodiscard]] virtual std::int64_t size(Split split) const = 0;
  // Writes the sample numbers of the training draws first, first + 1, …. By default draws with
  // replacement, as in the paper.
  virtual void draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const;
  // Fills `batch` with the samples of these numbers, each less than size(split).
  virtual void fill(Split split, std::span<const std::int64_t> samples, Batch& batch) const = 0;
  // What a model must know about the data, for Model::set_note().
  [[nodiscard]] virtual std::map<std::string, std::string> notes() const { return {}; }
};

// Allocates zeroed sequences of batch.lengths and `inputs` features, and clears the targets.
void lay_out(Batch& batch, int inputs);
// The same for sequences of symbols.
void lay_out_symbols(Batch& batch);

// Throws ConfigError, naming the value, if it is out of range.
void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most);

}  // namespace rwa::datasets
