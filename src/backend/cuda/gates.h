// src/backend/cuda/gates.h: the pre-activations of a cell as kernels number them. Kernels take
// gates in twos and fours: a cell with one or three gets another, which has no term and no weights.
// Those that do not see h come after it.
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

// Which pre-activations have a term (cells/traits.h): a bit for each, as kernels number them.
struct TermBits {
  unsigned bits = 0;

  [[nodiscard]] __host__ __device__ bool has(int preactivation) const {
    return (bits >> preactivation & 1) != 0;
  }
  // Its block of weights or biases, in RecurrentSpec's layout.
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

// All three.
struct CellTerms {
  explicit CellTerms(const RecurrentSpec& spec)
      : x(term_bits(spec, spec.traits().x)),
        h(term_bits(spec, spec.traits().h)),
        bias(term_bits(spec, spec.traits().bias)) {}

  TermBits x, h, bias;
};

}  // namespace rwa::cuda
