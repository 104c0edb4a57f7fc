// src/datasets/dataset.h: labelled sequences, numbered from 0, and the batches made of them. A data
// set never changes: any sample is available at any time, from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/types.h"

namespace rwa::datasets {

enum class Split { kTrain, kValid, kTest };

// What all samples of a data set have in common, and so what a network for it must have.
struct Shape {
  Input input = Input::kNumbers;
  int inputs = 1;   // D: features, or symbols
  int outputs = 1;  // O
  Readout readout = Readout::kLast;
  Loss loss = Loss::kSoftmax;
  int longest = 1;         // no sequence has more steps
  double mean_length = 1;  // of the training samples, as they are distributed
  int says = 0;            // steps of the longest answer that a decoder has to say; 0: none
};

// What can be reached without looking at the sequence. The loss is in the unit of the task: bits,
// or the squared error.
struct Naive {
  double loss = 0;
  std::optional<double> accuracy;  // 0…1, where the task is to classify
};

// Owns the numbers of a batch; used again for the next one.
struct Batch {
  std::vector<float> x;               // [T,B,D], zero past a sequence's end
  std::vector<std::int32_t> symbols;  // [T,B], instead of x, likewise
  std::vector<std::int32_t> lengths;  // [B]
  std::vector<std::int32_t> classes;  // as TargetView
  std::vector<float> values;
  int steps = 0;                             // T, the longest of the batch
  std::vector<std::int32_t> target_lengths;  // [B], of what a decoder has to say
  int target_steps = 0;                      // the longest of these

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
  // 0 where there are no samples of that kind.
  [[nodiscard]] virtual std::int64_t size(Split split) const = 0;
  // Which samples are trained on: those of draw `first` and the ones after it. As the paper does
  // it, with replacement.
  virtual void draw(std::uint64_t seed, std::int64_t first, std::span<std::int64_t> samples) const;
  // Makes `batch` of the samples with these numbers, each less than size(split).
  virtual void fill(Split split, std::span<const std::int64_t> samples, Batch& batch) const = 0;
  // What a model must know about the data beside its weights (Model::notes()).
  [[nodiscard]] virtual std::map<std::string, std::string> notes() const { return {}; }
};

// Makes room for sequences of batch.lengths and `inputs` features, all zero, and no targets.
void lay_out(Batch& batch, int inputs);
// The same for sequences of symbols.
void lay_out_symbols(Batch& batch);

// Throws ConfigError, which calls the value `name`.
void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most);

}  // namespace rwa::datasets
