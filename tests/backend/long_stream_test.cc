// tests/backend/long_stream_test.cc: after a million steps, when each adds a millionth to the
// average, the CPU backend is still within 1e-5 of the double reference. The same holds for units
// that forget, some at once and some hardly ever.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backend/device.h"
#include "support/cases.h"

namespace rwa {
namespace {

constexpr int kSteps = 1'000'000;
// The reference keeps a tape of every step: a piece at a time bounds its memory.
constexpr int kPiece = 1'000;
constexpr double kBound = 1e-5;
constexpr RecurrentSpec kSpec{Cell::kRwa, Activation::kTanh, 1, 8};
constexpr int kForgettingSteps = 100'000;

// Runs the layer on one backend, one piece of [kPiece, B, 1] after another.
template <class Real>
class Runner {
 public:
  Runner(std::unique_ptr<Backend<Real>> backend, const RecurrentSpec& spec,
         const std::vector<float>& parameters, int batch)
      : backend_(std::move(backend)),
        weights_(cases::load_weights(*backend_, spec, parameters)),
        pass_(backend_->make_pass(spec)),
        feed_(backend_->make_feed()),
        batch_(batch),
        h_(*backend_, cases::product(kPiece, batch, spec.units)),
        state_(*backend_, cases::product(batch, 1) * spec.state_size()) {
    const auto nothing =
        cases::load_feed<Real>(*backend_, nullptr, spec.inputs, {.steps = 0, .batch = batch});
    pass_->forward(*weights_, {.in = nothing->in(), .final_state = state_.data()});
  }

  std::vector<Real> step(const std::vector<float>& x) {
    const std::vector<Real> real(x.begin(), x.end());
    const Rows rows{.steps = kPiece, .batch = batch_};
    feed_->load({real.data(), rows}, 1, {}, 0);
    pass_->forward(*weights_, {.in = feed_->in(),
                               .initial_state = state_.data(),
                               .h_every = h_.data(),
                               .final_state = state_.data()});
    return h_.read();
  }

 private:
  std::unique_ptr<Backend<Real>> backend_;
  std::unique_ptr<LayerWeights<Real>> weights_;
  std::unique_ptr<RecurrentPass<Real>> pass_;
  std::unique_ptr<Feed<Real>> feed_;
  int batch_;
  cases::Numbers<Real> h_, state_;
};

// value(t, sequence) is the feature.
template <class F>
double largest_error(const RecurrentSpec& spec, const std::vector<float>& parameters, int steps,
                     int batch, F&& value) {
  Runner<float> cpu(make_cpu_backend(1), spec, parameters, batch);
  Runner<double> reference(make_reference_backend(), spec, parameters, batch);
  std::vector<float> x(cases::product(kPiece, batch));
  double largest = 0;
  for (int begin = 0; begin < steps; begin += kPiece) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int row = static_cast<int>(i);
      x[i] = value(begin + row / batch, row % batch);
    }
    largest = std::max(largest, cases::largest_difference(cpu.step(x), reference.step(x)));
  }
  return largest;
}

std::vector<float> random_parameters(const RecurrentSpec& spec) {
  const auto units = static_cast<float>(spec.units);
  return cases::Draw(11).numbers(spec.parameters(), std::sqrt(6.0F / (1 + 2 * units)));
}

// Noise, and noise with a drift.
double error_of_noise_and_drift(const RecurrentSpec& spec, const std::vector<float>& parameters,
                                int steps) {
  cases::Draw draw(12);
  return largest_error(spec, parameters, steps, 2, [&](int t, int sequence) {
    const float noise = draw.uniform(-2, 2);
    return sequence == 0 ? noise : noise + 1e-5F * static_cast<float>(t);
  });
}

TEST(LongStream, StationaryAndDriftingInput) {
  const double error = error_of_noise_and_drift(kSpec, random_parameters(kSpec), kSteps);
  RecordProperty("largest_error", fmt::format("{:.1e}", error));
  EXPECT_LE(error, kBound);
}

// Every step weighs the same: the increments of the average and of its weight are smallest.
TEST(LongStream, ConstantLogits) {
  std::vector<float> parameters = random_parameters(kSpec);
  const auto H = static_cast<std::ptrdiff_t>(kSpec.units);
  const auto on_x = parameters.begin() + static_cast<std::ptrdiff_t>(kSpec.weight_x());
  const auto on_h = parameters.begin() + static_cast<std::ptrdiff_t>(kSpec.weight_h());
  std::fill_n(on_x + H, H, 0.0F);  // the weights of a, the second block
  std::fill_n(on_h + H * H, H * H, 0.0F);
  const double error = error_of_noise_and_drift(kSpec, parameters, kSteps);
  RecordProperty("largest_error", fmt::format("{:.1e}", error));
  EXPECT_LE(error, kBound);
}

// Forget gates with half-lives of one step to a million steps.
TEST(LongStream, Forgetting) {
  for (const Cell cell : {Cell::kRwaForget, Cell::kRwaDecay}) {
    const RecurrentSpec spec{cell, Activation::kTanh, 1, 8};
    std::vector<float> parameters = random_parameters(spec);
    const auto gate = spec.bias() + static_cast<std::size_t>(spec.units);  // after those of g
    for (int j = 0; j < spec.units; ++j) {
      parameters[gate + static_cast<std::size_t>(j)] = 2.0F * static_cast<float>(j);
    }
    const double error = error_of_noise_and_drift(spec, parameters, kForgettingSteps);
    RecordProperty(std::string(to_string(cell)), fmt::format("{:.1e}", error));
    EXPECT_LE(error, kBound) << to_string(cell);
  }
}

}  // namespace
}  // namespace rwa
