// src/model/network_weights.h: a network's weights on a backend, shared by any number of passes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/array.h"
#include "model/network_spec.h"

namespace rwa {

template <class Real>
struct StackWeights {
  StackWeights(const StackSpec& stack, Backend<Real>& backend) : spec(stack) {
    for (const LayerSpec& layer : spec.layers) {
      auto& made = layers.emplace_back();
      for (const auto& direction : layer.directions)
        made.push_back(backend.make_weights(direction));
    }
  }
  // Loads from the block of all parameters.
  void load(const Real* values) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      for (std::size_t d = 0; d < layers[l].size(); ++d) {
        layers[l][d]->load(values + spec.layers[l].directions[d].offset);
      }
    }
  }

  StackSpec spec;
  std::vector<std::vector<std::unique_ptr<LayerWeights<Real>>>> layers;  // [layer][direction]
};

template <class Real>
struct StemWeights {
  StemWeights(const StemSpec& stem, Backend<Real>& backend) : spec(stem) {
    for (const ConvolutionSpec& convolution : spec.convolutions) {
      convolutions.push_back(backend.make_weights(convolution.dense));
    }
  }
  // Loads from the block of all parameters.
  void load(const Real* values) {
    for (std::size_t i = 0; i < convolutions.size(); ++i) {
      convolutions[i]->load(values + spec.convolutions[i].dense.offset);
    }
  }

  StemSpec spec;
  std::vector<std::unique_ptr<LayerWeights<Real>>> convolutions;
};

template <class Real>
struct NetworkWeights {
  NetworkWeights(const NetworkSpec& network, Backend<Real>& backend)
      : spec(network),
        values(backend, spec.parameters()),
        stem(spec.encoder.stem, backend),
        encoder(spec.encoder.stack, backend),
        output(backend.make_weights(spec.output)) {
    if (!spec.decoder) return;
    code = backend.make_weights(spec.decoder->code);
    decoder.emplace(spec.decoder->stack, backend);
  }
  // Call after changing `values`.
  void update() {
    stem.load(values.data());
    encoder.load(values.data());
    if (spec.decoder) {
      code->load(values.data() + spec.decoder->code.offset);
      decoder->load(values.data());
    }
    output->load(values.data() + spec.output.offset);
  }
  void set(std::span<const Real> host) {
    values.write(host);
    update();
  }

  NetworkSpec spec;
  Array<Real> values;  // of all parameters
  StemWeights<Real> stem;
  StackWeights<Real> encoder;
  std::unique_ptr<LayerWeights<Real>> code;  // of a decoder
  std::optional<StackWeights<Real>> decoder;
  std::unique_ptr<LayerWeights<Real>> output;
};

}  // namespace rwa
