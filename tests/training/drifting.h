// tests/training/drifting.h: a data set whose validation loss first falls and then rises: the
// target is 1 in training and 0.4 in validation, which the network passes on its way to 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "datasets/dataset.h"
#include "training/experiment.h"

namespace rwa::training {

class Drifting : public datasets::Dataset {
 public:
  struct Sizes {
    std::int64_t train = 20, valid = 7, test = 4;
  };
  explicit Drifting(Sizes sizes) : sizes_(sizes) {}
  Drifting() : Drifting(Sizes{}) {}

  [[nodiscard]] const datasets::Shape& shape() const override { return shape_; }
  [[nodiscard]] datasets::Naive naive() const override { return {1, {}}; }
  [[nodiscard]] std::int64_t size(datasets::Split split) const override {
    switch (split) {
      case datasets::Split::kTrain:
        return sizes_.train;
      case datasets::Split::kValid:
        return sizes_.valid;
      case datasets::Split::kTest:
        return sizes_.test;
    }
    return 0;
  }
  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    batch.steps = kSteps;
    batch.lengths.assign(samples.size(), kSteps);
    batch.values.assign(samples.size(), split == datasets::Split::kTrain ? 1.0f : 0.4f);
    batch.x.resize(kSteps * samples.size());
    for (std::size_t i = 0; i < batch.x.size(); ++i) {
      const auto sample = static_cast<std::size_t>(samples[i % samples.size()]);
      batch.x[i] = static_cast<float>((sample * 7 + i / samples.size()) % 5) / 5 - 0.4f;
    }
  }
  [[nodiscard]] std::map<std::string, std::string> notes() const override {
    return {{"data", "drifting"}, {"units", "none"}};
  }

 private:
  static constexpr int kSteps = 6;
  datasets::Shape shape_{.inputs = 1, .outputs = 1, .loss = Loss::kSquaredError, .longest = kSteps};
  Sizes sizes_;
};

// Long enough to end by patience.
inline Experiment drifting_experiment() {
  Experiment experiment;
  experiment.name = "drifting";
  experiment.seed = 5;
  experiment.task = datasets::FilesTask{.train = {"drifting.csv"}};
  experiment.network = {.units = 6};
  experiment.training = {.steps = 90, .batch = 3, .learning_rate = 0.02};
  experiment.evaluation = {.every = 3, .samples = 4, .patience = 4};
  return experiment;
}

}  // namespace rwa::training
