// src/training/augmentation.h: random changes of a training batch, against overfitting.
#pragma once

#include <cstdint>

#include "datasets/dataset.h"
#include "training/experiment.h"

namespace rwa::training {

struct AugmentationKey {
  std::uint64_t seed = 0;
  std::int64_t step = 0;  // number of the batch
  int first = 0;          // place of the batch's first sequence in the batch of all ranks
};

// Shifts the sequences of a batch of this shape in time, by up to training.shift of their length,
// and adds noise of deviation training.noise to numbers; positions stay. An end that is shifted in
// repeats the first or the last step. All depends only on the key and on the place in the batch, so
// that ranks do what one process would.
void augment(const Training& training, const AugmentationKey& key, const datasets::Shape& shape,
             datasets::Batch& batch);

// Throws ConfigError, naming the setting, if the sequences cannot be changed like that.
void check_augmentation(const Training& training, const datasets::Shape& shape);

}  // namespace rwa::training
