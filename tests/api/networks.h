// tests/api/networks.h: networks with many parts, and batches for them.
#pragma once

#include <vector>

#include "support/batches.h"

namespace rwa::cases {

inline std::vector<ModelConfig> networks_of_many_parts() {
  const ModelConfig stack{.inputs = 3,
                          .units = 9,
                          .layers = 3,
                          .dropout = 0.3,
                          .readout = Readout::kEvery,
                          .outputs = 5};
  const ModelConfig both_ways{.input = Input::kSymbols,
                              .inputs = 7,
                              .cell = Cell::kGru,
                              .units = 9,
                              .layers = 2,
                              .bidirectional = true,
                              .readout = Readout::kMean,
                              .outputs = 5,
                              .loss = Loss::kSquaredError};
  const ModelConfig autoencoder{.input = Input::kSymbols,
                                .inputs = 7,
                                .embedding = 5,
                                .cell = Cell::kRwaDecay,
                                .units = 9,
                                .layers = 2,
                                .bidirectional = true,
                                .dropout = 0.5,
                                .learned_decay = false,
                                .readout = Readout::kAttention,
                                .outputs = 7,
                                .code = 6};
  const ModelConfig from_features{.inputs = 3,
                                  .cell = Cell::kLstm,
                                  .units = 9,
                                  .layers = 0,
                                  .readout = Readout::kMean,
                                  .outputs = 5,
                                  .code = 6};
  const ModelConfig stem{.inputs = 3,
                         .stem = {5, 1, 3},
                         .channels = 11,
                         .units = 9,
                         .readout = Readout::kEvery,
                         .outputs = 5};
  return {stack, both_ways, autoencoder, from_features, stem};
}

inline std::vector<ModelConfig> all_networks() {
  std::vector<ModelConfig> all = all_uneven();
  for (const ModelConfig& config : networks_of_many_parts()) all.push_back(config);
  return all;
}

// Networks without layers take one step.
inline Data network_data(const ModelConfig& config, int steps, int batch, std::uint64_t seed) {
  Data data = make_data(config, steps, batch, seed);
  if (config.layers == 0) {
    data.steps = 1;
    data.x.resize(product(batch, config.inputs));
    data.lengths.clear();
  }
  return data;
}

}  // namespace rwa::cases
