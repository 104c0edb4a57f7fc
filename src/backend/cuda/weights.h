// src/backend/cuda/weights.h: a recurrent layer's weights on the GPU: as they are, and in the
// fragments that the persistent kernels keep on chip.
#pragma once

#include <optional>

#include "backend/backend.h"
#include "backend/cuda/pack.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

class Weights final : public LayerWeights<float> {
 public:
  Weights(const RecurrentSpec& spec, const Context& context);
  // `parameters` lie on the device.
  void load(const float* parameters) override;

  [[nodiscard]] const RecurrentSpec& spec() const { return spec_; }
  // A copy, as RecurrentSpec lays them out.
  [[nodiscard]] const float* parameters() const { return parameters_.as<float>(); }
  // For the persistent kernels, where the layer has these.
  [[nodiscard]] Packed packed() const;

 private:
  RecurrentSpec spec_;
  const Context& context_;
  std::optional<Product> product_;
  DeviceMemory parameters_;
  DeviceMemory packed_;
};

}  // namespace rwa::cuda
