// src/backend/cuda/gates.h: how kernels number a cell's pre-activations. Kernels process two or
// four gates: a cell with one or three is padded by a gate without terms and weights.
// Pre-activations that do not see h follow the gates.
#pragma once

#include <cuda_runtime.h>

#include <bit>

#include "backend/spec.h"

namespace rwa::cuda {

constexpr int device_gates(int gates) { return gates + gates % 2; }
inline int device_gates(const RecurrentSpec& spec) { return device_gates(spec.traits().gates); }
inline int device_preactivations(const RecurrentSpec& spec) {
  return device_gates(spec) + spec.traits().inputs;
}

// The pre-activations that have a term (cells/traits.h), as a bit mask in the kernels' numbering.
struct TermBits {
  unsigned bits = 0;

  [[nodiscard]] __host__ __device__ bool has(int preactivation) const {
    return (bits >> preactivation & 1) != 0;
  }
  // The index of its block of weights or biases in RecurrentSpec's layout.
  [[nodiscard]] __host__ __device__ int block(int preactivation) const {
    return std::popcount(bits & ((1u << preactivation) - 1));
  }
};

inline TermBits term_bits(const RecurrentSpec& spec, const Terms& terms) {
  TermBits out;
  const CellTraits& cell = spec.traits();
  for (int p = 0; p < cell.preactivations(); ++p) {
    const int number = p < cell.gates ? p : p - cell.gates + device_gates(spec);
    out.bits |= (terms.has(p) ? 1u : 0u) << number;
  }
  return out;
}

// The masks of all three terms.
struct CellTerms {
  explicit CellTerms(const RecurrentSpec& spec)
      : x(term_bits(spec, spec.traits().x)),
        h(term_bits(spec, spec.traits().h)),
        bias(term_bits(spec, spec.traits().bias)) {}

  TermBits x, h, bias;
};

}  // namespace rwa::cuda
