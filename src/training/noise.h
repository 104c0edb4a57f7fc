// src/training/noise.h: Gaussian noise on the inputs of a training batch, against overfitting.
#pragma once

#include <cstdint>

#include "datasets/dataset.h"

namespace rwa::training {

struct NoiseKey {
  std::uint64_t seed = 0;
  std::int64_t step = 0;  // number of the batch
  int first = 0;          // place of the batch's first sequence in the batch of all ranks
};

// Adds noise of this deviation to the numbers of a batch of this shape, except positions. Each
// number's noise depends only on the key and on its place, so that ranks add what one process would.
void add_noise(double deviation, const NoiseKey& key, const datasets::Shape& shape,
               datasets::Batch& batch);

}  // namespace rwa::training
