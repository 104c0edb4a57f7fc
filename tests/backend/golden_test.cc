// tests/backend/golden_test.cc: the LSTM and GRU agree with PyTorch: outputs, states, loss and
// gradients over sequences of unequal length, from files written by PyTorch.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "backend/device.h"
#include "support/cases.h"

namespace rwa {
namespace {

// The value, before the call, of everything that the call may change.
constexpr double kBefore = 7;

class Golden {
 public:
  explicit Golden(Cell cell) : cell_(cell) {
    const std::string name = std::string(to_string(cell)) + "_golden.json";
    json_ = nlohmann::json::parse(std::ifstream(RWA_TEST_DATA "/" + name));
    lengths_ = json_.at("lengths").get<std::vector<std::int32_t>>();
  }

  [[nodiscard]] RecurrentSpec spec() const {
    return {cell_, Activation::kTanh, json_.at("D"), json_.at("H")};
  }
  [[nodiscard]] Rows rows() const { return {json_.at("T"), json_.at("B"), lengths_}; }
  [[nodiscard]] double loss() const { return json_.at("loss"); }

  // The values of these arrays, concatenated.
  template <class Real>
  [[nodiscard]] std::vector<Real> values(std::initializer_list<const char*> names) const {
    std::vector<Real> all;
    for (const char* name : names) append(json_.at(name), all);
    return all;
  }
  // [T,B,·] with another value past the end of each sequence.
  template <class Real>
  [[nodiscard]] std::vector<Real> values(const char* name, double past_the_end) const {
    auto all = values<Real>({name});
    const auto width = all.size() / static_cast<std::size_t>(rows().steps * rows().batch);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int row = static_cast<int>(i / width);
      if (!rows().has(row / rows().batch, row % rows().batch))
        all[i] = static_cast<Real>(past_the_end);
    }
    return all;
  }

 private:
  template <class Real>
  static void append(const nlohmann::json& value, std::vector<Real>& out) {
    if (value.is_array()) {
      for (const auto& part : value) append(part, out);
    } else {
      out.push_back(static_cast<Real>(value.get<double>()));
    }
  }

  Cell cell_;
  nlohmann::json json_;
  std::vector<std::int32_t> lengths_;
};

// The error is relative to the largest absolute value of the array.
template <class Real>
void expect_close(const std::vector<Real>& actual, const std::vector<double>& expected,
                  double tolerance, const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double size = 0;
  for (const double v : expected) size = std::max(size, std::abs(v));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(actual[i]), expected[i], tolerance * size) << what << " " << i;
  }
}

// The results of one forward and one backward pass.
template <class Real>
struct Result {
  std::vector<Real> h, h_last, state, parameters, x;
};

template <class Real>
Result<Real> run(const Golden& golden, Backend<Real>& backend, Memory memory) {
  const RecurrentSpec spec = golden.spec();
  const auto batch = static_cast<std::size_t>(golden.rows().batch);
  const auto units = static_cast<std::size_t>(spec.units);
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto x = golden.values<Real>("x", nan);
  const auto before = static_cast<Real>(kBefore);
  const auto feed = cases::load_feed(backend, x.data(), spec.inputs, golden.rows());
  const auto weights =
      cases::load_weights(backend, spec, golden.values<Real>({"weight_ih", "weight_hh", "bias"}));
  const auto pass = backend.make_pass(spec);
  cases::Numbers<Real> probe_every(backend, golden.values<Real>("probe_every", nan));
  cases::Numbers<Real> probe_last(backend, golden.values<Real>({"probe_last"}));
  cases::Numbers<Real> h(backend, static_cast<std::size_t>(golden.rows().steps) * batch * units,
                         before);
  cases::Numbers<Real> h_last(backend, batch * units);
  cases::Numbers<Real> state(backend, batch * spec.state_size());
  cases::Numbers<Real> parameters(backend, spec.parameters(), before);
  cases::Numbers<Real> dx(backend, x.size(), before);
  pass->forward(*weights, {.in = feed->in(),
                           .h_every = h.data(),
                           .h_last = h_last.data(),
                           .final_state = state.data(),
                           .keep = memory});
  pass->backward(*weights, {.in = feed->in(),
                            .dh_every = probe_every.data(),
                            .dh_last = probe_last.data(),
                            .parameters = parameters.data(),
                            .x = dx.data()});
  return {h.read(), h_last.read(), state.read(), parameters.read(), dx.read()};
}

// The loss: the outputs weighted by the file's probes.
template <class Real>
double loss(const Golden& golden, const Result<Real>& result) {
  const auto probe_every = golden.values<double>("probe_every", 0);
  const auto probe_last = golden.values<double>({"probe_last"});
  double sum = 0;
  for (std::size_t i = 0; i < probe_every.size(); ++i) sum += probe_every[i] * result.h[i];
  for (std::size_t i = 0; i < probe_last.size(); ++i) sum += probe_last[i] * result.h_last[i];
  return sum;
}

// h and the cell's state, c or h again, of each sequence, in the layout of a final state.
std::vector<double> golden_state(const Golden& golden) {
  const auto h = golden.values<double>({"h_last"});
  const auto carried =
      golden.values<double>({golden.spec().cell == Cell::kLstm ? "c_last" : "h_last"});
  const auto units = golden.spec().units;
  std::vector<double> all;
  for (auto at = 0; at < static_cast<int>(h.size()); at += units) {
    all.insert(all.end(), h.begin() + at, h.begin() + at + units);
    all.insert(all.end(), carried.begin() + at, carried.begin() + at + units);
  }
  return all;
}

// What backward added.
template <class Real>
std::vector<Real> added(std::vector<Real> gradient) {
  for (Real& v : gradient) v -= static_cast<Real>(kBefore);
  return gradient;
}

// Outputs with 0 past the end, as in the file. Checks that nothing was written there.
template <class Real>
std::vector<Real> ended(const Golden& golden, std::vector<Real> h) {
  const auto units = static_cast<std::size_t>(golden.spec().units);
  const auto batch = static_cast<std::size_t>(golden.rows().batch);
  for (std::size_t i = 0; i < h.size(); ++i) {
    const auto row = i / units;
    if (golden.rows().has(static_cast<int>(row / batch), static_cast<int>(row % batch))) continue;
    EXPECT_EQ(h[i], static_cast<Real>(kBefore)) << "written past the end: " << i;
    h[i] = 0;
  }
  return h;
}

template <class Real>
void expect_golden(Cell cell, Backend<Real>& backend, double tolerance) {
  const Golden golden(cell);
  for (const Memory memory : {Memory::kFull, Memory::kChunked}) {
    const Result<Real> result = run(golden, backend, memory);
    expect_close(ended(golden, result.h), golden.values<double>({"h"}), tolerance, "h");
    expect_close(result.h_last, golden.values<double>({"h_last"}), tolerance, "h_last");
    expect_close(result.state, golden_state(golden), tolerance, "state");
    EXPECT_NEAR(loss(golden, result), golden.loss(), tolerance * std::abs(golden.loss()));
    expect_close(added(result.parameters),
                 golden.values<double>({"d_weight_ih", "d_weight_hh", "d_bias"}), tolerance,
                 "gradient of the parameters");
    expect_close(added(result.x), golden.values<double>({"d_x"}), tolerance, "gradient of x");
  }
}

class GoldenTest : public ::testing::TestWithParam<Cell> {};

INSTANTIATE_TEST_SUITE_P(Cells, GoldenTest, ::testing::Values(Cell::kLstm, Cell::kGru),
                         [](const auto& cell) { return std::string(to_string(cell.param)); });

TEST_P(GoldenTest, Reference) { expect_golden(GetParam(), *make_reference_backend(), 1e-12); }

TEST_P(GoldenTest, Cpu) { expect_golden(GetParam(), *make_cpu_backend(1), 1e-5); }

TEST_P(GoldenTest, CpuWithTwoThreads) { expect_golden(GetParam(), *make_cpu_backend(2), 1e-5); }

}  // namespace
}  // namespace rwa
