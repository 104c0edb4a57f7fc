// src/backend/cpu/vector-inl.h: a vector of floats with operators, so that the cells read like
// formulas, and the functions they use. Largest errors over all floats of the range, in units in
// the last place: tanh 5.6, exp 1.3 (x <= 0), log1p 1.7 (0 <= x <= 1); without fused multiply-add
// 6.7, 1.3, 2.1. tests/backend/vector_math_test.cc measures them. NaN stays NaN. The coefficients
// come from tools/minimax.py.
#if defined(RWA_BACKEND_CPU_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_VECTOR_INL_H_
#undef RWA_BACKEND_CPU_VECTOR_INL_H_
#else
#define RWA_BACKEND_CPU_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Tag());  // fixed at compile time on x86 and NEON
inline constexpr int kWidth = static_cast<int>(kLanes);     // the same, for offsets inside a tile

struct Vector {
  hn::Vec<Tag> v;

  HWY_INLINE Vector() : v(hn::Zero(Tag())) {}
  HWY_INLINE Vector(hn::Vec<Tag> value) : v(value) {}
  HWY_INLINE explicit Vector(float value) : v(hn::Set(Tag(), value)) {}
  HWY_INLINE explicit Vector(int value) : Vector(static_cast<float>(value)) {}
};
using Mask = hn::Mask<Tag>;

HWY_INLINE Vector operator+(Vector a, Vector b) { return hn::Add(a.v, b.v); }
HWY_INLINE Vector operator-(Vector a, Vector b) { return hn::Sub(a.v, b.v); }
HWY_INLINE Vector operator*(Vector a, Vector b) { return hn::Mul(a.v, b.v); }
HWY_INLINE Vector operator/(Vector a, Vector b) { return hn::Div(a.v, b.v); }
HWY_INLINE Vector operator-(Vector a) { return hn::Neg(a.v); }
HWY_INLINE Mask operator>(Vector a, Vector b) { return hn::Gt(a.v, b.v); }
HWY_INLINE Mask operator>=(Vector a, Vector b) { return hn::Ge(a.v, b.v); }
HWY_INLINE Vector select(Mask mask, Vector yes, Vector no) {
  return hn::IfThenElse(mask, yes.v, no.v);
}
HWY_INLINE Vector abs(Vector a) { return hn::Abs(a.v); }
HWY_INLINE Vector mul_add(Vector a, Vector b, Vector c) { return hn::MulAdd(a.v, b.v, c.v); }

// min(a, limit) that keeps NaN: if an operand is NaN, the vector minimum of x86 returns the second
// one, but Highway's scalar minimum the one that is a number.
HWY_INLINE Vector at_most(float limit, Vector a) {
  if constexpr (kLanes == 1) return select(a > Vector(limit), Vector(limit), a);
  return hn::Min(Vector(limit).v, a.v);
}

HWY_INLINE Vector load(const float* from) { return hn::LoadU(Tag(), from); }
HWY_INLINE void store(Vector value, float* to) { hn::StoreU(value.v, Tag(), to); }

// c[0] + c[1] x + c[2] x² + …
template <std::size_t N>
HWY_INLINE Vector polynomial(const float (&c)[N], Vector x) {
  Vector sum(c[N - 1]);
  HWY_UNROLL(32)
  for (std::size_t i = 1; i < N; ++i) {
    sum = mul_add(sum, x, Vector(c[N - 1 - i]));
  }
  return sum;
}

// x P(x²) / Q(x²); from 9.02 on the nearest float is ±1.
HWY_INLINE Vector tanh(Vector x) {
  constexpr float kTop[] = {1.0f, 0.133797169f, 0.00349403382f, 2.05834713e-05f, 1.33190596e-08f};
  constexpr float kBottom[] = {1.0f, 0.467130333f, 0.0258710701f, 0.000328309194f, 7.76201375e-07f};
  const Vector y = at_most(9.02f, abs(x));
  const Vector s = y * y;
  const Vector ratio = y * polynomial(kTop, s) / polynomial(kBottom, s);
  return hn::CopySign(at_most(1.0f, ratio).v, x.v);
}

// For x <= 0: 2^n exp(r) with |r| <= ln 2 / 2. Results near and below the smallest normal float
// are flushed to 0.
HWY_INLINE Vector exp(Vector x) {
  constexpr float kRest[] = {0.49999994f, 0.166665211f, 0.041668389f, 0.00836871658f,
                             0.00138145988f};
  // Adding this rounds to an integer and leaves it in the lowest bits.
  const Vector shift(12582912.0f);  // 1.5 · 2^23
  const hn::Rebind<std::int32_t, Tag> integers;
  const Vector shifted = mul_add(x, Vector(1.44269504f), shift);
  const Vector n = shifted - shift;
  const Vector r = mul_add(n, Vector(-1.42860677e-6f), mul_add(n, Vector(-0.693145752f), x));
  const Vector value = mul_add(polynomial(kRest, r), r * r, r + Vector(1));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted.v));
  const Vector scale = hn::BitCast(Tag(), hn::Add(exponent, hn::Set(integers, 127 << 23)));
  return select(Vector(-87.0f) > x, Vector(0), value * scale);
}

// For 0 <= x <= 1: x - x² P(x), so that small x keeps its relative accuracy.
HWY_INLINE Vector log1p(Vector x) {
  constexpr float kRest[] = {-0.499999315f,  0.33330512f,   -0.249585867f,
                             0.196953997f,   -0.153553948f, 0.106805541f,
                             -0.0576644279f, 0.0202045739f, -0.00331846997f};
  return mul_add(polynomial(kRest, x), x * x, x);
}

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
