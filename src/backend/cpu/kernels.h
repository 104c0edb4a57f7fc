// src/backend/cpu/kernels.h: what is compiled once per instruction set, and chosen when the program
// runs.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/strip.h"
#include "backend/cpu/workers.h"

namespace rwa::cpu {

// One cell over one strip of the batch, on the caller's thread. Stateless.
class StripKernels {
 public:
  virtual ~StripKernels() = default;
  [[nodiscard]] virtual const Geometry& geometry() const = 0;
  virtual void pack(const float* parameters, PackedWeights& out) const = 0;
  virtual void forward(const PackedWeights&, const RecurrentForward<float>&, Strip&) const = 0;
  // Adds to the gradients of the strip's shards, each Geometry::gradient_size() numbers.
  virtual void backward(const PackedWeights&, const RecurrentBackward<float>&, Memory, Strip&,
                        ShardSums& gradients) const = 0;
  // Adds a gradient in packed layout to one in the layout of RecurrentSpec.
  virtual void unpack(const float* gradient, float* out) const = 0;
};

// A dense layer over some rows, on the caller's thread.
class DenseKernels {
 public:
  virtual ~DenseKernels() = default;
  virtual void forward(const DenseSpec&, const float* parameters, const Rows&, Range sequences,
                       const float* h, float* y) const = 0;
  // Adds to `gradient`, [panel of outputs][H + 1][lanes] with the bias last; writes dh, which may
  // be h.
  virtual void backward(const DenseSpec&, const float* parameters, const Rows&, Range sequences,
                        const float* h, const float* dy, float* gradient, float* dh) const = 0;
  // Adds a gradient in that layout to one in the layout of DenseSpec.
  virtual void unpack(const DenseSpec&, const float* gradient, float* out) const = 0;
  [[nodiscard]] virtual std::size_t padded_outputs(const DenseSpec&) const = 0;
};

std::unique_ptr<const StripKernels> make_strip_kernels(const RecurrentSpec& spec);
const DenseKernels& dense_kernels();

// Multiply-adds on registers for about `seconds`; returns floating-point operations per second on
// this thread.
double measure_peak(double seconds);

}  // namespace rwa::cpu
