// tests/backend/cuda_parts_test.cc: operations other than recurrent layers on the GPU: table
// lookup, averages over steps, dropout, sums, concurrent work. Compared with the double reference,
// dropout bit by bit with the CPU; nothing is written past a sequence's end. Skipped without a GPU.
#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "support/cases.h"
#include "support/cuda.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using cases::Numbers;
using cases::product;
using cases::same_bits;

constexpr double kBound = 4e-6;
constexpr float kBefore = 7;  // initial value of what is added to or must not be written

using CudaParts = cases::OnCudaBackend;

// Input sequences, and target sequences with their own lengths. Symbols past the end are invalid.
struct Batch {
  int steps, batch, symbols;
  std::vector<std::int32_t> lengths, target_lengths, of, labels;

  Batch(int step_count, int sequences, int symbol_count)
      : steps(step_count), batch(sequences), symbols(symbol_count) {
    RandomData random(static_cast<std::uint64_t>(steps + batch));
    lengths = random.lengths(batch, steps);
    target_lengths = random.lengths(batch, steps);
    of = ended(random.classes(product(steps, batch), symbols), lengths);
    // One class less: Symbols::of_step_before adds one.
    labels = ended(random.classes(product(steps, batch), std::max(symbols - 1, 1)), target_lengths);
  }

  [[nodiscard]] std::vector<std::int32_t> ended(std::vector<std::int32_t> all,
                                                const std::vector<std::int32_t>& by) const {
    const Rows rows{steps, batch, by};
    for (int t = 0; t < steps; ++t) {
      for (int b = 0; b < batch; ++b) {
        if (!rows.has(t, b)) all[rows.index(t, b)] = std::numeric_limits<std::int32_t>::max();
      }
    }
    return all;
  }
  template <class Real>
  [[nodiscard]] std::unique_ptr<Feed<Real>> load(Backend<Real>& backend) const {
    auto feed = backend.make_feed();
    feed->load({.rows = {steps, batch, lengths}, .symbols = of.data()}, symbols,
               {.classes = labels.data(), .rows = {steps, batch, target_lengths}}, symbols);
    return feed;
  }
  // [T,B,width], extended to the capacity of the device's rows.
  template <class Real>
  [[nodiscard]] Numbers<Real> spacious(Backend<Real>& backend, const Rows& rows,
                                       std::vector<float> values, int width) const {
    values.resize(product(rows.steps, batch, width), kBefore);
    return Numbers<Real>(backend, values);
  }
  template <class Real>
  [[nodiscard]] std::vector<Real> tight(const Numbers<Real>& numbers, int width) const {
    std::vector<Real> values = numbers.read();
    values.resize(product(steps, batch, width));
    return values;
  }
  [[nodiscard]] std::vector<float> numbers(int width, std::uint64_t seed) const {
    return RandomData(seed).normal<float>(product(steps, batch, width));
  }
  [[nodiscard]] std::vector<float> untouched(int width) const {
    return std::vector<float>(product(steps, batch, width), kBefore);
  }
};

template <class Real>
void expect_close(const std::vector<float>& found, const std::vector<Real>& exact,
                  const std::string& what) {
  ASSERT_EQ(found.size(), exact.size()) << what;
  EXPECT_LE(cases::relative_error(found, exact), kBound) << what;
}

struct Size {
  int steps, batch, symbols, width;
};
// Few and many symbols; fewer and more columns than a warp has lanes.
constexpr Size kSizes[] = {{1, 1, 1, 1},       {9, 6, 5, 7},        {40, 50, 9, 64},
                           {100, 37, 33, 250}, {30, 300, 2000, 64}, {150, 100, 10000, 33}};

std::string describe(const Size& s) {
  return std::to_string(s.steps) + " steps, batch " + std::to_string(s.batch) + ", " +
         std::to_string(s.symbols) + " symbols of " + std::to_string(s.width);
}

template <class Real>
struct LookedUp {
  std::vector<Real> out, dtable, dbase;
};

// As an embedding, or as a decoder's input.
template <class Real>
LookedUp<Real> look_up(Backend<Real>& backend, const Batch& batch, int width, bool decodes) {
  const auto feed = batch.load(backend);
  const TableSpec spec{batch.symbols + (decodes ? 1 : 0), width};
  const Rows rows = decodes ? feed->targets().rows : feed->in().rows;
  const Symbols symbols{decodes ? feed->targets().classes : feed->in().symbols, decodes};
  RandomData random(8);
  Numbers<Real> table(backend, random.normal<float>(spec.parameters()));
  Numbers<Real> base(backend, random.normal<float>(product(batch.batch, width)));
  auto out = batch.spacious(backend, rows, batch.untouched(width), width);
  auto dout = batch.spacious(backend, rows, batch.numbers(width, 9), width);
  Numbers<Real> dtable(backend, spec.parameters(), Real{kBefore});
  Numbers<Real> dbase(backend, product(batch.batch, width), Real{kBefore});
  backend.lookup(spec, rows, symbols, table.data(), decodes ? base.data() : nullptr, out.data());
  backend.lookup_backward(spec, rows, symbols, dout.data(), dtable.data(),
                          decodes ? dbase.data() : nullptr);
  return {batch.tight(out, width), dtable.read(), dbase.read()};
}

TEST_F(CudaParts, LookupAgreesWithTheReference) {
  const auto reference = make_reference_backend();
  for (const Size& size : kSizes) {
    for (const bool decodes : {false, true}) {
      const Batch batch(size.steps, size.batch, size.symbols);
      const auto found = look_up(*backend, batch, size.width, decodes);
      const auto exact = look_up(*reference, batch, size.width, decodes);
      const std::string what = describe(size) + (decodes ? ", of the step before" : "");
      expect_close(found.out, exact.out, what + ", out");
      expect_close(found.dtable, exact.dtable, what + ", table");
      expect_close(found.dbase, exact.dbase, what + ", base");
    }
  }
}

template <class Real>
struct Averaged {
  std::vector<Real> share, out, dscore, dh;
};

template <class Real>
Averaged<Real> average(Backend<Real>& backend, const Batch& batch, int width, bool attends) {
  const auto feed = batch.load(backend);
  const Rows rows = feed->in().rows;
  Numbers<Real> score(backend, RandomData(10).normal<float>(product(width, 1), 0.1));
  Numbers<Real> dscore(backend, product(width, 1), Real{kBefore});
  auto h = batch.spacious(backend, rows, batch.numbers(width, 11), width);
  auto share = batch.spacious(backend, rows, batch.untouched(1), 1);
  auto dh = batch.spacious(backend, rows, batch.untouched(width), width);
  Numbers<Real> out(backend, product(batch.batch, width), Real{kBefore});
  Numbers<Real> dout(backend, RandomData(12).normal<float>(product(batch.batch, width)));
  const Real* with = attends ? score.data() : nullptr;
  backend.average(width, rows, with, h.data(), share.data(), out.data());
  backend.average_backward(width, rows, with, h.data(), share.data(), dout.data(),
                           attends ? dscore.data() : nullptr, dh.data());
  return {batch.tight(share, 1), out.read(), dscore.read(), batch.tight(dh, width)};
}

TEST_F(CudaParts, AverageAgreesWithTheReference) {
  const auto reference = make_reference_backend();
  for (const Size& size : kSizes) {
    for (const bool attends : {false, true}) {
      const Batch batch(size.steps, size.batch, size.symbols);
      const auto found = average(*backend, batch, size.width, attends);
      const auto exact = average(*reference, batch, size.width, attends);
      const std::string what = describe(size) + (attends ? ", attention" : ", mean");
      expect_close(found.share, exact.share, what + ", share");
      expect_close(found.out, exact.out, what + ", average");
      expect_close(found.dscore, exact.dscore, what + ", score");
      expect_close(found.dh, exact.dh, what + ", h");
    }
  }
}

std::vector<float> dropped(Backend<float>& backend, const Batch& batch, int width) {
  const auto feed = batch.load(backend);
  Array<float, std::int64_t> step(backend, 1);
  step.write(std::vector<std::int64_t>{12345678901});
  const Rows rows = feed->in().rows;
  auto values = batch.spacious(backend, rows, batch.numbers(width, 13), width);
  backend.dropout(0.3, {0x123456789abcdef, 3, step.data()}, width, rows, values.data());
  return batch.tight(values, width);
}

TEST_F(CudaParts, DropoutHidesWhatItHidesOnTheCpu) {
  for (const Size& size : kSizes) {
    const Batch batch(size.steps, size.batch, size.symbols);
    EXPECT_TRUE(same_bits(dropped(*backend, batch, size.width),
                          dropped(*make_cpu_backend(1), batch, size.width)))
        << describe(size);
  }
}

TEST_F(CudaParts, HasTheSameBitsAgain) {
  const Batch batch(100, 37, 33);
  for (const bool other : {false, true}) {
    const auto looked_up = look_up(*backend, batch, 250, other);
    const auto averaged = average(*backend, batch, 250, other);
    for (int time = 0; time < 3; ++time) {
      EXPECT_TRUE(same_bits(look_up(*backend, batch, 250, other).dtable, looked_up.dtable));
      const auto again = average(*backend, batch, 250, other);
      EXPECT_TRUE(same_bits(again.dscore, averaged.dscore));
      EXPECT_TRUE(same_bits(again.dh, averaged.dh));
    }
  }
}

// Unused capacity must not change a sum.
TEST_F(CudaParts, RoomForMoreStepsChangesNothing) {
  constexpr int kWidth = 40;
  const Batch small(20, 37, 33);
  const Batch large(500, 37, 33);
  const TableSpec spec{small.symbols, kWidth};
  const auto expected = look_up(*backend, small, kWidth, false);
  const auto feed = large.load(*backend);
  feed->load(
      {.rows = {small.steps, small.batch, small.lengths}, .symbols = small.of.data()},
      small.symbols,
      {.classes = small.labels.data(), .rows = {small.steps, small.batch, small.target_lengths}},
      small.symbols);
  const Rows rows = feed->in().rows;
  EXPECT_GE(rows.steps, large.steps);
  auto dout = small.spacious(*backend, rows, small.numbers(kWidth, 9), kWidth);
  Numbers<float> dtable(*backend, spec.parameters(), kBefore);
  backend->lookup_backward(spec, rows, {feed->in().symbols}, dout.data(), dtable.data(), nullptr);
  EXPECT_TRUE(same_bits(dtable.read(), expected.dtable));
}

// Three times: run, captured, replayed.
TEST_F(CudaParts, WorkSideBySideIsRecordedToo) {
  constexpr int kTimes = 3;
  constexpr std::size_t kCount = 100000;
  const auto one = RandomData(14).classes(kCount, 100);
  const auto other = RandomData(15).classes(kCount, 100);
  Numbers<float> from_one(*backend, one), from_other(*backend, other);
  Numbers<float> to_one(*backend, kCount), to_other(*backend, kCount), sum(*backend, kCount);
  std::unique_ptr<Recording> recording;
  for (int time = 0; time < kTimes; ++time) {
    backend->repeat(recording, [&] {
      backend->beside([&] { backend->add(kCount, from_one.data(), to_one.data()); },
                      [&] { backend->add(kCount, from_other.data(), to_other.data()); });
      backend->add(kCount, to_one.data(), sum.data());
      backend->add(kCount, to_other.data(), sum.data());
    });
  }
  const auto found = sum.read();
  for (std::size_t i = 0; i < kCount; ++i) {
    const float each = static_cast<float>(one[i] + other[i]);
    ASSERT_EQ(found[i], (1 + 2 + 3) * each) << i;
  }
}

TEST_F(CudaParts, WorkSideBySideThatThrowsLeavesTheBackendUsable) {
  Numbers<float> from(*backend, 5, 1.0F), to(*backend, 5);
  const auto add = [&] { backend->add(5, from.data(), to.data()); };
  const auto fail = [] { throw std::runtime_error("on purpose"); };
  EXPECT_THROW(backend->beside(add, fail), std::runtime_error);
  EXPECT_THROW(backend->beside(fail, add), std::runtime_error);
  std::unique_ptr<Recording> recording;
  backend->repeat(recording, add);
  EXPECT_THROW(backend->repeat(recording, [&] { backend->beside(add, fail); }), std::runtime_error);
  backend->beside(add, [] {});
  EXPECT_EQ(to.read(), std::vector<float>(5, 3.0F));
}

}  // namespace
}  // namespace rwa
