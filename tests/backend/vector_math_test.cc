// tests/backend/vector_math_test.cc: tanh, exp and log1p of the CPU backend in every instruction
// set of this CPU: errors in units in the last place, and behaviour at the limits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// The same instruction sets as in src/backend/cpu/kernels.cc.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/vector_math_test.cc"
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "backend/cpu/vector-inl.h"
#include "support/random_data.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

// x and y are whole vectors.
void tanh_here(std::span<const float> x, float* y) {
  for (std::size_t i = 0; i < x.size(); i += kLanes) store(tanh(load(&x[i])), y + i);
}
void exp_here(std::span<const float> x, float* y) {
  for (std::size_t i = 0; i < x.size(); i += kLanes) store(exp(load(&x[i])), y + i);
}
void log1p_here(std::span<const float> x, float* y) {
  for (std::size_t i = 0; i < x.size(); i += kLanes) store(log1p(load(&x[i])), y + i);
}

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rwa::cpu {
namespace {
HWY_EXPORT(tanh_here);
HWY_EXPORT(exp_here);
HWY_EXPORT(log1p_here);

using Floats = std::vector<float>;

constexpr std::size_t kWidest = 16;  // lanes of AVX-512
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

struct Function {
  const char* name;
  void (*run)(std::span<const float> x, float* y);
  double (*exact)(double);
};
void run_tanh(std::span<const float> x, float* y) { HWY_DYNAMIC_DISPATCH(tanh_here)(x, y); }
void run_exp(std::span<const float> x, float* y) { HWY_DYNAMIC_DISPATCH(exp_here)(x, y); }
void run_log1p(std::span<const float> x, float* y) { HWY_DYNAMIC_DISPATCH(log1p_here)(x, y); }

const Function kTanh = {"tanh", run_tanh, [](double x) { return std::tanh(x); }};
const Function kExp = {"exp", run_exp, [](double x) { return std::exp(x); }};
const Function kLog1p = {"log1p", run_log1p, [](double x) { return std::log1p(x); }};

Floats values(const Function& f, Floats x) {
  const std::size_t count = x.size();
  x.resize((count + kWidest - 1) / kWidest * kWidest);
  Floats y(x.size());
  f.run(x, y.data());
  y.resize(count);
  return y;
}

// Every 509th float from 0 to `end`, denormals included, and a million spread evenly: the former
// are dense where floats are, the latter where the function bends.
Floats samples(float end) {
  constexpr std::uint32_t kStride = 509;
  auto all = RandomData(41).uniform<float>(1 << 20, 0, std::abs(end));
  const auto last = std::bit_cast<std::uint32_t>(std::abs(end));
  for (std::uint32_t bits = 0; bits <= last; bits += kStride)
    all.push_back(std::bit_cast<float>(bits));
  all.push_back(std::abs(end));
  if (end < 0) std::transform(all.begin(), all.end(), all.begin(), std::negate<>());
  return all;
}

// The unit in the last place of the float nearest to the exact value.
double unit_in_last_place(double exact) {
  constexpr int kLowest = std::numeric_limits<float>::min_exponent - 1;
  const int exponent = exact == 0 ? kLowest : std::max(std::ilogb(exact), kLowest);
  return std::ldexp(1.0, exponent - (std::numeric_limits<float>::digits - 1));
}

// The largest error in units in the last place; NaN if there is one.
double largest_error(const Function& f, const Floats& x) {
  const Floats y = values(f, x);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = f.exact(x[i]);
    const double error = std::abs(y[i] - exact) / unit_in_last_place(exact);
    if (error > largest || std::isnan(error)) largest = error;  // NaN stays: x > NaN is false
  }
  return largest;
}

// Runs everything once per compiled instruction set that this CPU supports.
class VectorMath : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  // Without fused multiply-add, products are rounded before they are added, and more is lost.
  static void expect_accuracy(const Function& f, float end, double units_fused, double units) {
    const bool fused = (GetParam() & (HWY_AVX2 | HWY_AVX3)) != 0;
    const double error = largest_error(f, samples(end));
    EXPECT_LE(error, fused ? units_fused : units);
    RecordProperty("largest_error", std::to_string(error));
  }
};

INSTANTIATE_TEST_SUITE_P(InstructionSets, VectorMath,
                         ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& set) { return std::string(hwy::TargetName(set.param)); });

// The largest errors over every float of at least 2^-14, with and without fused multiply-add: 5.60
// and 6.61 for tanh, 1.26 and 1.28 for exp, 1.62 and 2.03 for log1p.
TEST_P(VectorMath, TanhIsAccurate) { expect_accuracy(kTanh, 12, 5.7, 6.7); }

TEST_P(VectorMath, ExpIsAccurate) { expect_accuracy(kExp, -87, 1.3, 1.3); }

TEST_P(VectorMath, Log1pIsAccurate) { expect_accuracy(kLog1p, 1, 1.7, 2.1); }

// In every lane, next to numbers.
TEST_P(VectorMath, NanStaysNan) {
  for (const Function& f : {kTanh, kExp, kLog1p}) {
    for (std::size_t lane = 0; lane < kWidest; ++lane) {
      Floats x(kWidest, 0.0F);
      x[lane] = kNan;
      const Floats y = values(f, x);
      for (std::size_t i = 0; i < kWidest; ++i) {
        ASSERT_EQ(std::isnan(y[i]), i == lane) << f.name << " is " << y[i] << " in lane " << i;
      }
    }
  }
}

TEST_P(VectorMath, TanhIsOddAndBounded) {
  Floats x = samples(kLargest);
  const Floats above = values(kTanh, x);
  std::transform(x.begin(), x.end(), x.begin(), std::negate<>());
  const Floats below = values(kTanh, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(above[i]) ^ std::bit_cast<std::uint32_t>(below[i]),
              0x80000000U)
        << x[i];
    ASSERT_LE(above[i], 1) << x[i];
  }
}

TEST_P(VectorMath, TanhSaturates) {
  EXPECT_EQ(values(kTanh, {kInfinity, -kInfinity, kLargest, -kLargest}), (Floats{1, -1, 1, -1}));
  // Beyond the point where the nearest float is 1, it stays 1.
  const Floats y = values(kTanh, RandomData(43).uniform<float>(1 << 16, 9.02, 40));
  EXPECT_EQ(y, Floats(y.size(), 1.0F));
}

TEST_P(VectorMath, TanhOfTheSmallestIsItself) {
  const Floats x = {0.0F, kSmallest, -kSmallest, 1e-38F, 1e-20F, -1e-10F};
  EXPECT_EQ(values(kTanh, x), x);
}

TEST_P(VectorMath, ExpVanishes) {
  EXPECT_EQ(values(kExp, {-kInfinity, -kLargest, -1e10F, -104.0F, -88.0F}), Floats(5, 0.0F));
  EXPECT_EQ(values(kExp, {0.0F, -0.0F, -kSmallest}), Floats(3, 1.0F));
  const Floats y = values(kExp, RandomData(44).uniform<float>(1 << 16, -1000, -87.4));
  EXPECT_EQ(y, Floats(y.size(), 0.0F));
}

TEST_P(VectorMath, ExpStaysWithinOne) {
  for (const float y : values(kExp, samples(-kLargest))) {
    ASSERT_GE(y, 0);
    ASSERT_LE(y, 1);
  }
}

TEST_P(VectorMath, Log1pOfTheSmallestIsItself) {
  const Floats x = {0.0F, kSmallest, 1e-38F, 1e-20F, 1e-10F};
  EXPECT_EQ(values(kLog1p, x), x);
}

}  // namespace
}  // namespace rwa::cpu
#endif  // HWY_ONCE
