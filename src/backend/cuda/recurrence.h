// src/backend/cuda/recurrence.h: a recurrent layer on the GPU: its weights, as they are and in the
// fragments that the persistent kernels keep on chip, and its passes, of which the persistent one
// is declared in persistent.h.
#pragma once

#include <memory>
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

std::unique_ptr<LayerWeights<float>> make_weights(const RecurrentSpec& spec,
                                                  const Context& context);
// beside: of how many passes that run side by side it is one.
std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, const Context& context,
                                                int beside);

// One kernel per step: any size, any GPU. Its weights are cuda::Weights, of which it reads
// parameters().
std::unique_ptr<RecurrentPass<float>> make_plain_pass(const RecurrentSpec& spec,
                                                      const Context& context);

}  // namespace rwa::cuda
