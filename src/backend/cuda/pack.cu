// src/backend/cuda/pack.cu: see pack.h.
#include <cuda_fp16.h>

#include "backend/cuda/cluster.cuh"
#include "backend/cuda/gates.h"
#include "backend/cuda/pack.h"
#include "backend/cuda/runtime.h"
#include "backend/cuda/split_gradients.h"

namespace rwa::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kFloats = 4;  // in 16 bytes

std::size_t rounded(std::size_t floats) { return (floats + kFloats - 1) / kFloats * kFloats; }

// The layer's parameters, zero-padded.
struct Parameters {
  const float* values;
  int inputs, units;
  std::size_t weight_h, bias, start;
  bool learned_start;
  CellTerms parts;

  __device__ float recurrent(int gate, int unit, int from) const {
    if (!parts.h.has(gate) || unit >= units || from >= units) return 0;
    return values[weight_h + row(parts.h, gate, unit) * units + from];
  }
  __device__ float input(int preactivation, int unit, int d) const {
    if (!parts.x.has(preactivation) || unit >= units) return 0;
    return values[row(parts.x, preactivation, unit) * inputs + d];
  }
  __device__ float bias_of(int preactivation, int unit) const {
    if (!parts.bias.has(preactivation) || unit >= units) return 0;
    return values[bias + row(parts.bias, preactivation, unit)];
  }
  __device__ std::size_t row(TermBits part, int preactivation, int unit) const {
    return static_cast<std::size_t>(part.block(preactivation)) * units + unit;
  }
};

// The exponent e with largest < 2^e, clamped to where scales exist: largest * 2^(14 - e) < 2^14.
__device__ int exponent_of(unsigned largest) {
  return min(max(static_cast<int>(largest >> 23) - 126, -90), 120);
}
__device__ float power_of_two(int exponent) { return __int_as_float((127 + exponent) << 23); }

__global__ void find_largest(Parameters p, unsigned* largest) {
  const int gate = static_cast<int>(blockIdx.y);
  if (!p.parts.h.has(gate)) return;  // stays 0
  const std::size_t size = static_cast<std::size_t>(p.units) * p.units;
  const float* values = p.values + p.weight_h + p.parts.h.block(gate) * size;
  unsigned found = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    found = max(found, __float_as_uint(fabsf(values[i])));
  }
  found = __reduce_max_sync(0xffffffffu, found);
  if (threadIdx.x % 32 == 0) atomicMax(largest + gate, found);
}

// Packs a lane's eight values of a 16 x 16 fragment, from value(row, column); see cluster.cuh.
template <class Value>
__device__ void make_fragment(int lane, Value value, uint4* high, uint4* low) {
  const int row = lane / 4;
  const int column = lane % 4 * 2;
  std::uint32_t words[2][4];
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int r = row + part % 2 * 8;
    const int c = column + part / 2 * 8;
    const std::uint32_t a = split(value(r, c));
    const std::uint32_t b = split(value(r, c + 1));
    words[0][part] = high_halves(a, b);
    words[1][part] = low_halves(a, b);
  }
  *high = {words[0][0], words[0][1], words[0][2], words[0][3]};
  *low = {words[1][0], words[1][1], words[1][2], words[1][3]};
}

__device__ void pack_forward(const Parameters& p, const PackedSizes& s, const Packed& out,
                             long index) {
  const int lane = static_cast<int>(index % 32);
  const int step = static_cast<int>(index / 32 % s.forward_steps());
  const int tile = static_cast<int>(index / 32 / s.forward_steps());
  const int tile_units = 16 / s.gates;
  uint4* to = out.forward + (index / 32) * 64 + lane;
  make_fragment(
      lane,
      [&](int row, int column) {
        const int gate = row / tile_units;
        const float up = power_of_two(kSplitExponent - exponent_of(out.largest[gate]));
        return p.recurrent(gate, tile * tile_units + row % tile_units, forward_unit(step, column)) *
               up;
      },
      to, to + 32);
}

__device__ unsigned largest_of_all(const PackedSizes& s, const Packed& out) {
  unsigned largest = 0;
  for (int gate = 0; gate < s.gates; ++gate) largest = max(largest, out.largest[gate]);
  return largest;
}

__device__ void pack_backward(const Parameters& p, const PackedSizes& s, const Packed& out,
                              long index) {
  const int lane = static_cast<int>(index % 32);
  long rest = index / 32;
  const int step = static_cast<int>(rest % s.backward_steps());
  rest /= s.backward_steps();
  const int tile = static_cast<int>(rest % 2);
  const int group = static_cast<int>(rest / 2);
  const float up = power_of_two(kSplitExponent - exponent_of(largest_of_all(s, out)));
  uint4* to = out.backward + (index / 32) * 64 + lane;
  make_fragment(
      lane,
      [&](int row, int column) {
        const int gate = backward_gate(step, column);
        return p.recurrent(gate % s.gates, gate / s.gates,
                           group * kUnitGroup + backward_unit(tile, row)) *
               up;
      },
      to, to + 32);
}

// Packs one value for each direction of exact products; both arrays have the same size.
__device__ void pack_exact(const Parameters& p, const PackedSizes& s, const Packed& out,
                           long index) {
  const long block_size = static_cast<long>(s.padded_units) * s.gates * kUnitGroup;
  const int block = static_cast<int>(index / block_size);
  const int i = static_cast<int>(index % block_size);
  const int first = block * kUnitGroup;
  reinterpret_cast<float*>(out.forward)[index] =
      p.recurrent(i / kUnitGroup % s.gates, first + i % kUnitGroup, i / (kUnitGroup * s.gates));
  const int gate = i / s.padded_units;
  reinterpret_cast<float*>(out.backward)[index] =
      p.recurrent(gate % s.gates, first + gate / s.gates, i % s.padded_units);
}

// Packs what both kinds of products need besides the recurrent weights.
__device__ void pack_rest(const Parameters& p, const PackedSizes& s, const Packed& out,
                          long index) {
  const int unit = static_cast<int>(index % s.padded_units);
  const long row = index / s.padded_units;  // [preactivation][D]
  const int d = static_cast<int>(row % p.inputs);
  const int preactivation = static_cast<int>(row / p.inputs);
  const float weight = p.input(preactivation, unit, d);
  const long in_table =
      (static_cast<long>(d) * s.preactivations + preactivation) * s.padded_units + unit;
  out.weight_x[s.has_table ? in_table : index] =
      s.symbols ? weight + p.bias_of(preactivation, unit) : weight;
  if (d == 0) out.bias[preactivation * s.padded_units + unit] = p.bias_of(preactivation, unit);
  if (d == 0 && preactivation == 0) {
    out.start[unit] = p.learned_start && unit < p.units ? p.values[p.start + unit] : 0.0f;
  }
  if (index <= s.gates) {
    const int gate = static_cast<int>(index);
    const bool is_split = s.product == Product::kSplit;
    const int exponent = exponent_of(gate < s.gates ? out.largest[gate] : largest_of_all(s, out));
    // Forward, both factors are scaled; backward, the kernel undoes the scale of the gradients.
    const int down = kSplitExponent * (gate < s.gates ? 2 : 1);
    out.scale[gate] = is_split ? power_of_two(exponent - down) : 1.0f;
  }
}

__global__ void pack_all(Parameters p, PackedSizes s, Packed out, long forward, long backward,
                         long rest) {
  const long first = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long stride = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = first; i < forward + backward + rest; i += stride) {
    if (i >= forward + backward) {
      pack_rest(p, s, out, i - forward - backward);
    } else if (s.product == Product::kExact) {
      pack_exact(p, s, out, i);
    } else if (i < forward) {
      pack_forward(p, s, out, i);
    } else {
      pack_backward(p, s, out, i - forward);
    }
  }
}

Parameters parameters_of(const RecurrentSpec& spec, const float* values) {
  return {values,
          spec.inputs,
          spec.units,
          spec.weight_h(),
          spec.bias(),
          spec.start(),
          spec.traits().learned_start,
          CellTerms(spec)};
}

}  // namespace

PackedSizes::PackedSizes(const RecurrentSpec& spec, Product products)
    : gates(device_gates(spec)),
      preactivations(device_preactivations(spec)),
      inputs(spec.inputs),
      symbols(spec.symbols),
      has_table(has_input_table(spec)),
      product(products) {
  const int multiple = gates == 2 || spec.units > kFewUnits ? 2 * kUnitGroup : kUnitGroup;
  padded_units = (spec.units + multiple - 1) / multiple * multiple;
}

std::size_t PackedSizes::matrix_size() const {
  return static_cast<std::size_t>(padded_units) * padded_units * gates / kFloats;
}

std::size_t PackedSizes::bytes() const {
  const auto rows = static_cast<std::size_t>(padded_units) * preactivations;
  const std::size_t floats = rounded(rows * inputs) + rounded(rows) +
                             rounded(static_cast<std::size_t>(padded_units)) +
                             2 * rounded(static_cast<std::size_t>(gates) + 1);
  return 2 * matrix_size() * sizeof(uint4) + floats * sizeof(float);
}

Packed::Packed(const PackedSizes& s, void* memory) {
  const auto rows = static_cast<std::size_t>(s.padded_units) * s.preactivations;
  forward = static_cast<uint4*>(memory);
  backward = forward + s.matrix_size();
  weight_x = reinterpret_cast<float*>(backward + s.matrix_size());
  bias = weight_x + rounded(rows * s.inputs);
  start = bias + rounded(rows);
  scale = start + rounded(static_cast<std::size_t>(s.padded_units));
  largest = reinterpret_cast<unsigned*>(scale + rounded(static_cast<std::size_t>(s.gates) + 1));
}

void pack(const RecurrentSpec& spec, Product product, const float* parameters, void* packed,
          cudaStream_t stream) {
  const PackedSizes sizes(spec, product);
  const Packed out(sizes, packed);
  const Parameters in = parameters_of(spec, parameters);
  check(cudaMemsetAsync(out.largest, 0, sizeof(unsigned) * static_cast<unsigned>(sizes.gates),
                        stream),
        "cudaMemsetAsync");
  find_largest<<<dim3(32, static_cast<unsigned>(sizes.gates)), kThreads, 0, stream>>>(in,
                                                                                      out.largest);
  check_launch("find_largest");
  const bool is_split = product == Product::kSplit;
  // A thread packs a high and a low fragment, or one value for each direction.
  const long size = static_cast<long>(sizes.matrix_size());
  const long forward = is_split ? size / 2 : size * kFloats;
  const long backward = is_split ? size / 2 : 0;
  const long rest = static_cast<long>(sizes.padded_units) * sizes.preactivations * sizes.inputs;
  const long blocks = (forward + backward + rest + kThreads - 1) / kThreads;
  pack_all<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(in, sizes, out, forward,
                                                                   backward, rest);
  check_launch("pack_all");
}

}  // namespace rwa::cuda
