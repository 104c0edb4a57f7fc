// src/backend/cuda/cells.cuh: the cells as device code: V is float, one unit of one sequence per
// call. A kernel cannot read the cells' tables, which are host arrays; it uses a constexpr copy:
// `constexpr auto tables = cells::make_tables<C>()`.
#pragma once

#include <iterator>
#include <type_traits>

#include "backend/cuda/gates.h"
#include "rwa/types.h"

namespace rwa::cuda::cells {

// The functions that cells need for V = float. Branch-free; at most 2 ulp off.

// Small x uses a polynomial, since 1 - 2 / (1 + e^2x) would cancel.
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
// For x ≤ 0, all that cells need. Its relative error grows with |x|, as that of the argument does.
__device__ __forceinline__ float exp(float x) { return exp2f(x * 1.44269504f); }
// For 0 ≤ x ≤ 1, all that cells need: the series of 2 artanh(x / (2 + x)).
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
// For 1 ≤ b ≤ 2.
__device__ __forceinline__ float quotient(float a, float b) { return __fdividef(a, b); }
// Overflows of the exponential are harmless.
__device__ __forceinline__ float sigmoid(float x) {
  return __fdividef(1.0f, 1.0f + exp2f(x * -1.44269504f));
}
__device__ __forceinline__ float select(bool mask, float yes, float no) { return mask ? yes : no; }

#define RWA_CELL __device__ __forceinline__
#include "cells/cells-inl.h"

// Pads a cell of one or three gates by one (cuda/gates.h). The padding gate is 0 everywhere and has
// no effect.
template <class C>
struct Padded : C {
  static constexpr int kGates = C::kGates + 1;
  static constexpr int kSaved = C::kSaved + 1;
  static constexpr int kMemory = C::kMemory + 1;

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    V own_pre[C::kGates + C::kInputs];
    V own[C::kSaved];
    take<C::kGates + C::kInputs>(pre, own_pre);
    const V h = C::forward(own_pre, state, own);
    give(own, saved);
    return h;
  }

  template <class V>
  RWA_CELL static V output(const V* saved) {
    V own[C::kSaved];
    take<C::kSaved>(saved, own);
    return C::output(own);
  }

  template <class V>
  RWA_CELL static void backward(V dh, V h, const V* inputs, V before, V* saved, V* carry) {
    V own[C::kSaved];
    take<C::kSaved>(saved, own);
    C::backward(dh, h, inputs, before, own, carry);
    give(own, saved);
  }

 private:
  static_assert(C::kGates % 2 == 1);

  // Maps an index of the cell to the padded one. In pre-activations, saved values and gradients
  // alike the gates come first.
  RWA_CELL static constexpr int place(int own) { return own < C::kGates ? own : own + 1; }
  template <int kNumbers, class V>
  RWA_CELL static void take(const V* from, V* own) {
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) own[i] = from[place(i)];
  }
  template <class V>
  RWA_CELL static void give(const V* own, V* saved) {
#pragma unroll
    for (int i = 0; i < C::kSaved; ++i) saved[place(i)] = own[i];
    saved[C::kGates] = V(0);
  }
};

// The form of a cell that kernels run.
template <class C>
struct DeviceCell {
  using Type = std::conditional_t<C::kGates == device_gates(C::kGates), C, Padded<C>>;
};
// The same formula; terms that its gate does not see have zero weights, or none.
template <class F>
struct DeviceCell<RwaDecay<F>> : DeviceCell<RwaForget<F>> {};

template <class C>
using OnDevice = typename DeviceCell<C>::Type;
#undef RWA_CELL

template <class C>
struct Tables {
  float initial_state[C::kState] = {};
};

template <class C>
constexpr Tables<C> make_tables() {
  // Without this use of its size, nvcc treats the array as empty.
  static_assert(std::size(C::kInitialState) == C::kState);
  Tables<C> tables;
  for (int s = 0; s < C::kState; ++s) tables.initial_state[s] = C::kInitialState[s];
  return tables;
}

}  // namespace rwa::cuda::cells
