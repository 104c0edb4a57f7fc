// src/model/stem_start.h: a start of the stem that depends on data. It has the effect of batch
// normalisation at the first step, and costs nothing later.
#pragma once

#include <span>

#include "backend/backend.h"
#include "model/network_spec.h"

namespace rwa {

// Scales the weights and sets the biases of each convolution, from first to last, such that every
// channel has mean 0 and deviation 1 over all steps of the samples, before the rectifier. A channel
// that is constant keeps its weights. Samples are in host memory, of one sequence each; `weights`
// are all parameters of the network.
void standardise_stem(const NetworkSpec& spec, std::span<const Sequences<float>> samples,
                      std::span<float> weights);

}  // namespace rwa
