// src/backend/cuda/recurrence.h: a recurrent layer on the GPU: its weights, plain and packed into
// the fragments that the persistent kernels keep on chip, and its passes. persistent.h declares the
// persistent one.
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
  // `parameters` is device memory.
  void load(const float* parameters) override;

  [[nodiscard]] const RecurrentSpec& spec() const { return spec_; }
  // A copy in RecurrentSpec's layout.
  [[nodiscard]] const float* parameters() const { return parameters_.as<float>(); }
  // For the persistent kernels; only if the layer runs on them.
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
// beside: number of passes that run concurrently, including this one.
std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, const Context& context,
                                                int beside);

// One kernel per step: any size, any GPU. Reads parameters() of cuda::Weights.
std::unique_ptr<RecurrentPass<float>> make_plain_pass(const RecurrentSpec& spec,
                                                      const Context& context);

}  // namespace rwa::cuda
