// src/backend/cuda/cells.cuh: the cells for device code: V is float, one unit of one sequence per
// call. Their tables are host arrays, which a kernel cannot read: it takes a Tables<C> by value, as
// in `constexpr auto tables = cells::make_tables<C>()`.
#pragma once

#include <iterator>

#include "rwa/types.h"

namespace rwa::cuda::cells {

// What the cells ask of V = float, without a branch: two units in the last place or better.

// For small x a polynomial, since the rest would cancel.
__device__ __forceinline__ float tanh(float x) {
  const float t = ::fabsf(x);
  const float s = x * x;
  float p = fmaf(s, 0.01573781f, -0.05230396f);
  p = fmaf(s, p, 0.13315298f);
  p = fmaf(s, p, -0.33332768f);
  const float small = fmaf(x * s, p, x);
  const float large = fmaf(-2.0f, __fdividef(1.0f, 1.0f + exp2f(t * 2.88539008f)), 1.0f);
  return t < 0.6f ? small : copysignf(large, x);
}
__device__ __forceinline__ float exp(float x) { return ::expf(x); }
// For 0 ≤ x ≤ 1, as the cells have it: 2 artanh(x / (2 + x)) by its series.
__device__ __forceinline__ float log1p(float x) {
  const float s = __fdividef(x, 2.0f + x);
  const float q = s * s;
  float p = fmaf(q, 2.0f / 13, 2.0f / 11);
  p = fmaf(q, p, 2.0f / 9);
  p = fmaf(q, p, 2.0f / 7);
  p = fmaf(q, p, 2.0f / 5);
  p = fmaf(q, p, 2.0f / 3);
  return fmaf(s * q, p, 2.0f * s);
}
__device__ __forceinline__ float abs(float x) { return ::fabsf(x); }
__device__ __forceinline__ float select(bool mask, float yes, float no) { return mask ? yes : no; }

#define RWA_CELL __device__ __forceinline__
#include "cells/cells-inl.h"
#undef RWA_CELL

template <class C>
struct Tables {
  float initial_state[C::kState] = {};
  // Of each pre-activation: which of the biases that RecurrentSpec lays out; -1 where it has none.
  int bias[C::kGates + C::kInputs] = {};
};

template <class C>
constexpr Tables<C> make_tables() {
  // Without being asked for the sizes, nvcc takes these arrays for empty.
  static_assert(std::size(C::kInitialState) == C::kState);
  static_assert(std::size(C::kHasBias) == C::kGates + C::kInputs);
  Tables<C> tables;
  for (int s = 0; s < C::kState; ++s) tables.initial_state[s] = C::kInitialState[s];
  for (int p = 0, biases = 0; p < C::kGates + C::kInputs; ++p) {
    tables.bias[p] = C::kHasBias[p] ? biases++ : -1;
  }
  return tables;
}

}  // namespace rwa::cuda::cells
