// src/backend/cpu/kernels.h: the kernels, compiled once per instruction set and selected at run
// time.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/strip.h"
#include "backend/cpu/symbol_sums.h"
#include "backend/cpu/workers.h"

namespace rwa::cpu {

// Gradients summed over the batch.
struct Gradients {
  ShardSums weights;   // Geometry::gradient_size() values
  SymbolSums symbols;  // Geometry::symbol_size() values per symbol
};

// One cell over one strip of the batch, on the caller's thread. Stateless.
class StripKernels {
 public:
  virtual ~StripKernels() = default;
  [[nodiscard]] virtual const Geometry& geometry() const = 0;
  virtual void pack(const float* parameters, PackedWeights& out) const = 0;
  virtual void forward(const PackedWeights&, const RecurrentForward<float>&, Strip&) const = 0;
  // Adds to the gradients of the strip's shards.
  virtual void backward(const PackedWeights&, const RecurrentBackward<float>&, Memory, Strip&,
                        Gradients&) const = 0;
  // Adds a gradient in packed layout to one in the layout of RecurrentSpec.
  virtual void unpack(const float* gradient, float* out) const = 0;
  // The same for the weights of some symbols.
  virtual void unpack_symbols(Range, SymbolSums& gradient, float* out) const = 0;
};

// A dense layer's weights in the layout that the tiles read.
struct PackedDense {
  Buffer forward;  // [panel of outputs][H + 1][lanes], the bias last; gradients are laid out alike
  Buffer back;     // [panel of units][O][lanes]
};

// A dense layer over some rows, on the caller's thread. Stateless.
class DenseKernels {
 public:
  virtual ~DenseKernels() = default;
  virtual void pack(const DenseSpec&, const float* parameters, PackedDense& out) const = 0;
  virtual void forward(const DenseSpec&, const PackedDense&, const Rows&, Range sequences,
                       const float* h, float* y) const = 0;
  // Adds to `gradient`, in the layout of PackedDense::forward; writes dh, which may alias h.
  virtual void backward(const DenseSpec&, const PackedDense&, const Rows&, Range sequences,
                        const float* h, const float* dy, float* gradient, float* dh) const = 0;
  // Adds a gradient in that layout to one in the layout of DenseSpec.
  virtual void unpack(const DenseSpec&, const float* gradient, float* out) const = 0;
  // Size of PackedDense::forward.
  [[nodiscard]] virtual std::size_t packed_size(const DenseSpec&) const = 0;
};

std::unique_ptr<const StripKernels> make_strip_kernels(const RecurrentSpec& spec);
const DenseKernels& dense_kernels();

// Runs multiply-adds on registers for a fraction of a millisecond. Returns the number of
// floating-point operations.
double multiply_add_operations();

}  // namespace rwa::cpu
