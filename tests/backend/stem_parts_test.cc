// tests/backend/stem_parts_test.cc: the operations of a stem besides its products, on the reference
// and on the CPU: unfolded steps, their gradient, the steps that the next part sees, the rectifier.
// Compared with their definitions, with NaN past the end of every sequence.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "support/cases.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using cases::Numbers;

constexpr double kBefore = 7;  // initial value of what is added to or must not be written
constexpr int kSteps = 9;
constexpr int kWidth = 3;
const std::vector<std::int32_t> kLengths = {9, 0, 4, 1, 9, 2};
const int kBatch = static_cast<int>(kLengths.size());
const Rows kRows{kSteps, kBatch, kLengths};

template <class F>
void on_all_backends(F&& f) {
  f(*make_reference_backend());
  f(*make_cpu_backend(1));
  f(*make_cpu_backend(3));
}

// Random [T,B,width], NaN past the end of each sequence.
template <class Real>
std::vector<Real> sequences(int width, std::uint64_t seed) {
  auto all =
      RandomData(seed).normal<Real>(kRows.index(kSteps, 0) * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = static_cast<int>(i) / width;
    if (!kRows.has(row / kBatch, row % kBatch)) all[i] = std::numeric_limits<Real>::quiet_NaN();
  }
  return all;
}

template <class Real>
std::size_t at(int t, int b, int width, int column) {
  return kRows.index(t, b) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
}

// A value of step t, which may be before the first.
template <class Real>
Real value_at(const std::vector<Real>& x, const std::vector<Real>& before, int kernel, int t, int b,
              int c) {
  if (t >= 0) return x[at<Real>(t, b, kWidth, c)];
  if (before.empty()) return 0;
  return before[static_cast<std::size_t>((b * (kernel - 1) - t - 1) * kWidth + c)];
}

template <class Real>
std::vector<Real> some_before(int kernel) {
  return RandomData(3).normal<Real>(cases::product(kBatch, kernel - 1, kWidth));
}

template <class Real>
void expect_unfolded(Backend<Real>& backend, int kernel, const std::vector<Real>& before) {
  const auto x = sequences<Real>(kWidth, 1);
  const int wide = kernel * kWidth;
  Numbers<Real> of_x(backend, x), of_before(backend, before);
  Numbers<Real> out(backend, kRows.index(kSteps, 0) * static_cast<std::size_t>(wide), kBefore);
  backend.unfold(kWidth, kernel, kRows, before.empty() ? nullptr : of_before.data(), of_x.data(),
                 out.data());
  const auto found = out.read();
  for (int t = 0; t < kSteps; ++t) {
    for (int b = 0; b < kBatch; ++b) {
      for (int i = 0; i < wide; ++i) {
        const Real expected = kRows.has(t, b)
                                  ? value_at(x, before, kernel, t - i / kWidth, b, i % kWidth)
                                  : Real{kBefore};
        EXPECT_EQ(found[at<Real>(t, b, wide, i)], expected) << t << ' ' << b << ' ' << i;
      }
    }
  }
}

TEST(StemParts, StepsAreUnfolded) {
  on_all_backends([]<class Real>(Backend<Real>& backend) {
    for (const int kernel : {1, 2, 5, 12}) {
      expect_unfolded<Real>(backend, kernel, {});
      expect_unfolded<Real>(backend, kernel, some_before<Real>(kernel));
    }
  });
}

// The gradient is the transpose: dout · unfold(x) is x · dx.
TEST(StemParts, TheGradientIsTheTranspose) {
  on_all_backends([]<class Real>(Backend<Real>& backend) {
    for (const int kernel : {1, 2, 5, 12}) {
      const auto dout = sequences<Real>(kernel * kWidth, 2);
      Numbers<Real> of_dout(backend, dout);
      Numbers<Real> dx(backend, kRows.index(kSteps, 0) * kWidth, kBefore);
      backend.unfold_backward(kWidth, kernel, kRows, of_dout.data(), dx.data());
      const auto found = dx.read();
      for (int t = 0; t < kSteps; ++t) {
        for (int b = 0; b < kBatch; ++b) {
          for (int c = 0; c < kWidth; ++c) {
            double expected = kBefore;
            for (int ago = 0; ago < kernel && kRows.has(t, b); ++ago) {
              if (!kRows.has(t + ago, b)) break;
              expected += dout[at<Real>(t + ago, b, kernel * kWidth, ago * kWidth + c)];
            }
            EXPECT_NEAR(found[at<Real>(t, b, kWidth, c)], expected, 1e-5);
          }
        }
      }
    }
  });
}

TEST(StemParts, TheNextPartSeesTheLastSteps) {
  on_all_backends([]<class Real>(Backend<Real>& backend) {
    for (const int kernel : {2, 5, 12}) {
      for (const bool starts : {true, false}) {
        const auto x = sequences<Real>(kWidth, 1);
        const auto before = starts ? std::vector<Real>() : some_before<Real>(kernel);
        Numbers<Real> of_x(backend, x), of_before(backend, before);
        Numbers<Real> after(backend, cases::product(kBatch, kernel - 1, kWidth));
        backend.last_steps(kWidth, kernel, kRows, starts ? nullptr : of_before.data(), of_x.data(),
                           after.data());
        const auto found = after.read();
        for (int i = 0; i < kBatch * (kernel - 1) * kWidth; ++i) {
          const int b = i / (kernel - 1) / kWidth;
          const int ago = i / kWidth % (kernel - 1);
          EXPECT_EQ(found[static_cast<std::size_t>(i)],
                    value_at(x, before, kernel, kRows.length(b) - 1 - ago, b, i % kWidth));
        }
      }
    }
  });
}

TEST(StemParts, NegativeValuesAndTheirGradientsAreZero) {
  on_all_backends([]<class Real>(Backend<Real>& backend) {
    const auto x = sequences<Real>(kWidth, 1);
    const auto dx = sequences<Real>(kWidth, 2);
    Numbers<Real> values(backend, x), gradient(backend, dx);
    backend.rectify(kWidth, kRows, values.data());
    backend.rectify_backward(kWidth, kRows, values.data(), gradient.data());
    const auto found = values.read();
    const auto derivative = gradient.read();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) continue;
      EXPECT_EQ(found[i], std::max(x[i], Real{0}));
      EXPECT_EQ(derivative[i], x[i] > 0 ? dx[i] : Real{0});
    }
  });
}

// A divergence must show.
TEST(StemParts, WhatIsNotANumberStays) {
  const auto backend = make_cpu_backend(1);
  std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(), -1.0F};
  backend->rectify(2, {.steps = 1, .batch = 1}, values.data());
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], 0.0F);
}

TEST(StemParts, ADenseLayerNeedNotGiveTheGradientOfItsInput) {
  on_all_backends([]<class Real>(Backend<Real>& backend) {
    const DenseSpec spec{kWidth, 4};
    const auto weights = backend.make_weights(spec);
    weights->load(Numbers<Real>(backend, RandomData(5).normal<Real>(spec.parameters())).data());
    Numbers<Real> h(backend, sequences<Real>(kWidth, 1)), dy(backend, sequences<Real>(4, 2));
    Numbers<Real> dh(backend, kRows.index(kSteps, 0) * kWidth);
    Numbers<Real> with(backend, spec.parameters()), without(backend, spec.parameters());
    backend.dense_backward(spec, *weights, kRows, h.data(), dy.data(), with.data(), dh.data());
    backend.dense_backward(spec, *weights, kRows, h.data(), dy.data(), without.data(), nullptr);
    EXPECT_EQ(with.read(), without.read());
  });
}

}  // namespace
}  // namespace rwa
