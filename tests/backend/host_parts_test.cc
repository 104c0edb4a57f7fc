// tests/backend/host_parts_test.cc: the operations around recurrent layers, on the reference and on
// the CPU: table lookup, averages over steps, dropout, sums. Compared with their definitions and
// with central differences, with NaN past the end of every sequence; the same bits for any number
// of threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "base/random.h"
#include "support/cases.h"
#include "support/derivative.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using cases::Numbers;
using Values = std::vector<double>;

constexpr double kBefore = 7;  // initial value of what is added to or must not be written
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr int kSteps = 9;
constexpr int kWidth = 7;
const std::vector<std::int32_t> kLengths = {9, 0, 4, 1, 9, 2};
const int kBatch = static_cast<int>(kLengths.size());
const Rows kRows{kSteps, kBatch, kLengths};
const std::size_t kCount = kRows.index(kSteps, 0);

std::size_t at(int t, int b, int c) {
  return kRows.index(t, b) * kWidth + static_cast<std::size_t>(c);
}
std::size_t at(int row, int c) { return cases::product(row, kWidth) + static_cast<std::size_t>(c); }

template <class F>
void for_each_number(F&& f) {
  for (int t = 0; t < kSteps; ++t) {
    for (int b = 0; b < kBatch; ++b) {
      for (int c = 0; c < kWidth; ++c) f(t, b, c);
    }
  }
}

// [T,B,width] with another value past the end of each sequence.
template <class T>
std::vector<T> ended(std::vector<T> values, double past) {
  for_each_number([&](int t, int b, int c) {
    if (!kRows.has(t, b)) values[at(t, b, c)] = static_cast<T>(past);
  });
  return values;
}

template <class Real>
Values doubles(const std::vector<Real>& values) {
  return {values.begin(), values.end()};
}

void expect_near(const Values& found, const Values& expected, double tolerance, const char* what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance) << what << " " << i;
  }
}

// Runs f(backend, tolerance) on all backends of the host.
template <class F>
void on_all_backends(F&& f) {
  f(*make_reference_backend(), 1e-13);
  f(*make_cpu_backend(1), 1e-5);
  f(*make_cpu_backend(3), 1e-5);
}

// A table and the symbols of a batch, which are invalid past the end.
struct Table {
  TableSpec spec{5, kWidth};
  std::vector<std::int32_t> symbols;
  Values values, base;

  Table() {
    RandomData random(3);
    symbols = random.classes(kCount, spec.symbols - 1);  // one fewer: of_step_before adds one
    for (int t = 0; t < kSteps; ++t) {
      for (int b = 0; b < kBatch; ++b) {
        if (!kRows.has(t, b)) symbols[kRows.index(t, b)] = std::numeric_limits<std::int32_t>::max();
      }
    }
    values = random.normal<double>(spec.parameters());
    base = random.normal<double>(cases::product(kBatch, kWidth));
  }
  [[nodiscard]] int row(int t, int b, bool of_step_before) const {
    if (!of_step_before) return symbols[kRows.index(t, b)];
    return t == 0 ? 0 : symbols[kRows.index(t - 1, b)] + 1;
  }
};

TEST(Lookup, TakesTheRowsOfATable) {
  const Table table;
  for (const bool before : {false, true}) {
    for (const bool with_base : {false, true}) {
      Values expected(kCount * kWidth, kBefore);
      for_each_number([&](int t, int b, int c) {
        if (!kRows.has(t, b)) return;
        expected[at(t, b, c)] =
            table.values[at(table.row(t, b, before), c)] + (with_base ? table.base[at(b, c)] : 0.0);
      });
      on_all_backends([&]<class Real>(Backend<Real>& backend, double tolerance) {
        Numbers<Real> values(backend, table.values), base(backend, table.base);
        Numbers<Real> out(backend, kCount * kWidth, static_cast<Real>(kBefore));
        backend.lookup(table.spec, kRows, {table.symbols.data(), before}, values.data(),
                       with_base ? base.data() : nullptr, out.data());
        expect_near(doubles(out.read()), expected, tolerance, "out");
      });
    }
  }
}

TEST(Lookup, SendsGradientsBackToTheRows) {
  const Table table;
  const auto dout = ended(RandomData(4).normal<double>(kCount * kWidth), kNan);
  for (const bool before : {false, true}) {
    Values dtable(table.values.size(), kBefore);
    Values dbase(table.base.size(), 0.0);
    for_each_number([&](int t, int b, int c) {
      if (!kRows.has(t, b)) return;
      dtable[at(table.row(t, b, before), c)] += dout[at(t, b, c)];
      dbase[at(b, c)] += dout[at(t, b, c)];
    });
    on_all_backends([&]<class Real>(Backend<Real>& backend, double tolerance) {
      Numbers<Real> gradient(backend, dout);
      Numbers<Real> of_table(backend, table.values.size(), static_cast<Real>(kBefore));
      Numbers<Real> of_base(backend, table.base.size(), static_cast<Real>(kBefore));
      const Symbols symbols{table.symbols.data(), before};
      backend.lookup_backward(table.spec, kRows, symbols, gradient.data(), of_table.data(),
                              of_base.data());
      expect_near(doubles(of_table.read()), dtable, tolerance, "table");
      expect_near(doubles(of_base.read()), dbase, tolerance, "base");
      // Once more, without the gradient of the base.
      Numbers<Real> again(backend, table.values.size(), static_cast<Real>(kBefore));
      backend.lookup_backward(table.spec, kRows, symbols, gradient.data(), again.data(), nullptr);
      EXPECT_EQ(again.read(), of_table.read());
    });
  }
}

// An average of h, and the loss  Σ probe · average  for its gradients.
struct Average {
  Values score, h, probe;

  explicit Average(double size = 1) {
    RandomData random(5);
    score = random.normal<double>(kWidth, size);
    h = ended(random.normal<double>(kCount * kWidth), kNan);
    probe = random.normal<double>(cases::product(kBatch, kWidth));
  }

  template <class Real>
  struct Result {
    std::vector<Real> share, out, dscore, dh;
  };
  template <class Real>
  [[nodiscard]] Result<Real> run(Backend<Real>& backend, bool attends) const {
    const auto before = static_cast<Real>(kBefore);
    Numbers<Real> weights(backend, score), values(backend, h), gradient(backend, probe);
    Numbers<Real> share(backend, kCount, before), out(backend, probe.size(), before);
    Numbers<Real> dscore(backend, score.size(), before), dh(backend, h.size(), before);
    const Real* on = attends ? weights.data() : nullptr;
    backend.average(kWidth, kRows, on, values.data(), share.data(), out.data());
    backend.average_backward(kWidth, kRows, on, values.data(), share.data(), gradient.data(),
                             attends ? dscore.data() : nullptr, dh.data());
    return {share.read(), out.read(), dscore.read(), dh.read()};
  }

  [[nodiscard]] double value(Backend<double>& backend, bool attends) const {
    const auto out = run(backend, attends).out;
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += probe[i] * out[i];
    return sum;
  }
};

TEST(Average, IsWeightedByTheExponentialOfAScore) {
  const Average average;
  for (const bool attends : {false, true}) {
    Values share(kCount, kBefore);
    Values out(average.probe.size(), 0.0);
    for (int b = 0; b < kBatch; ++b) {
      double sum = 0;
      for (int t = 0; t < kRows.length(b); ++t) {
        double score = 0;
        for (int c = 0; attends && c < kWidth; ++c) {
          score += average.score[static_cast<std::size_t>(c)] * average.h[at(t, b, c)];
        }
        sum += share[kRows.index(t, b)] = std::exp(score);
      }
      for (int t = 0; t < kRows.length(b); ++t) {
        share[kRows.index(t, b)] /= sum;
        for (int c = 0; c < kWidth; ++c) {
          out[at(b, c)] += share[kRows.index(t, b)] * average.h[at(t, b, c)];
        }
      }
    }
    on_all_backends([&]<class Real>(Backend<Real>& backend, double tolerance) {
      const auto found = average.run(backend, attends);
      expect_near(doubles(found.share), share, tolerance, "share");
      expect_near(doubles(found.out), out, tolerance, "average");
    });
  }
}

// Scores whose exponentials would overflow: the largest takes all.
TEST(Average, DoesNotOverflow) {
  const Average average(1e4);
  on_all_backends([&]<class Real>(Backend<Real>& backend, double tolerance) {
    const auto found = average.run(backend, true);
    EXPECT_TRUE(cases::all_finite(found.dscore));
    EXPECT_TRUE(cases::all_finite(found.dh));
    for (int b = 0; b < kBatch; ++b) {
      double sum = 0;
      double largest = 0;
      for (int t = 0; t < kRows.length(b); ++t) {
        const double share = found.share[kRows.index(t, b)];
        sum += share;
        largest = std::max(largest, share);
      }
      if (kRows.length(b) == 0) continue;
      EXPECT_NEAR(sum, 1, tolerance);
      EXPECT_NEAR(largest, 1, tolerance);
    }
  });
}

TEST(Average, GradientsByCentralDifferences) {
  const auto backend = make_reference_backend();
  for (const bool attends : {false, true}) {
    Average average;
    const auto found = average.run(*backend, attends);
    const auto value = [&] { return average.value(*backend, attends); };
    for (std::size_t i = 0; i < average.score.size(); ++i) {
      const double expected = attends ? derivative(value, average.score[i]) : 0;
      EXPECT_NEAR(found.dscore[i] - kBefore, expected, 1e-10) << "score " << i;
    }
    for_each_number([&](int t, int b, int c) {
      const std::size_t i = at(t, b, c);
      const double expected = kRows.has(t, b) ? derivative(value, average.h[i]) : kBefore;
      EXPECT_NEAR(found.dh[i], expected, 1e-10) << "h " << i;
    });
    const auto cpu = average.run(*make_cpu_backend(1), attends);
    expect_near(doubles(cpu.dscore), found.dscore, 1e-5, "score on the CPU");
    expect_near(doubles(cpu.dh), found.dh, 1e-5, "h on the CPU");
  }
}

TEST(Average, HasTheSameBitsForAnyNumberOfThreads) {
  const Average average;
  const auto one = average.run(*make_cpu_backend(1), true);
  for (const int threads : {2, 3, 8}) {
    const auto found = average.run(*make_cpu_backend(threads), true);
    EXPECT_TRUE(cases::same_bits(found.share, one.share)) << threads;
    EXPECT_TRUE(cases::same_bits(found.out, one.out)) << threads;
    EXPECT_TRUE(cases::same_bits(found.dscore, one.dscore)) << threads;
    EXPECT_TRUE(cases::same_bits(found.dh, one.dh)) << threads;
  }
}

struct Drop {
  double rate = 0.4;
  std::uint64_t seed = 0x123456789ABCDEF0;
  std::uint32_t layer = 2;
  std::int64_t step = 3;

  template <class Real>
  [[nodiscard]] std::vector<Real> apply(Backend<Real>& backend, const std::vector<Real>& to,
                                        int width = kWidth, const Rows& rows = kRows) const {
    Numbers<Real> values(backend, to);
    Array<Real, std::int64_t> device_step(backend, 1);
    device_step.write({&step, 1});
    backend.dropout(rate, {seed, layer, device_step.data()}, width, rows, values.data());
    return values.read();
  }
  [[nodiscard]] std::vector<float> mask() const {
    return apply(*make_cpu_backend(1), std::vector<float>(kCount * kWidth, 1.0F));
  }
};

TEST(Dropout, HidesWhatTheGeneratorSays) {
  const Drop drop;
  const Random random(drop.seed, Purpose::kDropout, drop.layer);
  const auto values = ended(RandomData(6).normal<double>(kCount * kWidth), kNan);
  on_all_backends([&]<class Real>(Backend<Real>& backend, double) {
    const std::vector<Real> in(values.begin(), values.end());
    const auto found = drop.apply(backend, in);
    const auto scale = static_cast<Real>(1 / (1 - drop.rate));
    for_each_number([&](int t, int b, int c) {
      const std::uint64_t i = at(t, b, c);
      if (!kRows.has(t, b)) {
        EXPECT_TRUE(std::isnan(found[i])) << i;
        return;
      }
      const auto bits = random.bits(static_cast<std::uint64_t>(drop.step) << 40 | i / 4)[i % 4];
      const bool hidden = static_cast<double>(bits) < drop.rate * 0x1p32;
      EXPECT_EQ(found[i], hidden ? Real{0} : in[i] * scale) << i;
    });
  });
}

// Backward makes the same call as forward, and must drop the same values.
TEST(Dropout, IsTheSameEveryTime) {
  const Drop drop;
  const auto first = drop.mask();
  EXPECT_EQ(drop.mask(), first);
  for (const int threads : {2, 8}) {
    const std::vector<float> ones(kCount * kWidth, 1.0F);
    EXPECT_EQ(drop.apply(*make_cpu_backend(threads), ones), first);
  }
}

TEST(Dropout, DiffersByStepLayerAndSeed) {
  const auto first = Drop().mask();
  EXPECT_NE(Drop{.step = 4}.mask(), first);
  EXPECT_NE(Drop{.layer = 3}.mask(), first);
  EXPECT_NE(Drop{.seed = 1}.mask(), first);
}

TEST(Dropout, HidesTheRightShare) {
  const Rows rows{100, 50};
  const std::size_t count = cases::product(100, 50, 40);
  for (const double rate : {0.0, 0.1, 0.5, 0.9}) {
    const auto found =
        Drop{.rate = rate}.apply(*make_cpu_backend(2), std::vector<float>(count, 1.0F), 40, rows);
    const auto hidden = static_cast<double>(std::count(found.begin(), found.end(), 0.0F));
    const double deviation = std::sqrt(rate * (1 - rate) * static_cast<double>(count));
    EXPECT_NEAR(hidden, rate * static_cast<double>(count), 5 * deviation) << rate;
  }
}

TEST(Parts, AddAndBeside) {
  on_all_backends([&]<class Real>(Backend<Real>& backend, double) {
    Numbers<Real> one(backend, std::vector<Real>{1, 2, 3}),
        other(backend, std::vector<Real>{4, 5, 6});
    Numbers<Real> sum(backend, 3), twice(backend, 3);
    backend.beside(
        [&] {
          backend.add(3, one.data(), sum.data());
          backend.add(3, other.data(), sum.data());
        },
        [&] {
          backend.add(2, one.data(), twice.data());
          backend.add(2, one.data(), twice.data());
        });
    EXPECT_EQ(sum.read(), (std::vector<Real>{5, 7, 9}));
    EXPECT_EQ(twice.read(), (std::vector<Real>{2, 4, 0}));
  });
}

}  // namespace
}  // namespace rwa
