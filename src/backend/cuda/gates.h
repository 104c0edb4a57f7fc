// src/backend/cuda/gates.h: the pre-activations of a cell as kernels number them. Kernels take
// gates in twos and fours: a cell with three gets a fourth, which has no part and no weights. Those
// that do not see h come after it.
#pragma once

#include <cuda_runtime.h>

#include <bit>

#include "backend/spec.h"

namespace rwa::cuda {

constexpr int device_gates(int gates) { return gates == 3 ? 4 : gates; }
inline int device_gates(const RecurrentSpec& spec) { return device_gates(spec.traits().gates); }
inline int device_preactivations(const RecurrentSpec& spec) {
  return device_gates(spec) + spec.traits().inputs;
}

// Which pre-activations have a part (cells/traits.h): a bit for each, as kernels number them.
struct PartBits {
  unsigned bits = 0;

  [[nodiscard]] __host__ __device__ bool has(int preactivation) const {
    return (bits >> preactivation & 1) != 0;
  }
  // Its block of weights or biases, in RecurrentSpec's layout.
  [[nodiscard]] __host__ __device__ int block(int preactivation) const {
    return std::popcount(bits & ((1u << preactivation) - 1));
  }
};

inline PartBits part_bits(const RecurrentSpec& spec, const Parts& parts) {
  PartBits out;
  const CellTraits& cell = spec.traits();
  for (int p = 0; p < cell.preactivations(); ++p) {
    const int number = p < cell.gates ? p : p - cell.gates + device_gates(spec);
    out.bits |= (parts.has(p) ? 1u : 0u) << number;
  }
  return out;
}

// All three.
struct PartsOfCell {
  explicit PartsOfCell(const RecurrentSpec& spec)
      : x(part_bits(spec, spec.traits().x)),
        h(part_bits(spec, spec.traits().h)),
        bias(part_bits(spec, spec.traits().bias)) {}

  PartBits x, h, bias;
};

}  // namespace rwa::cuda
