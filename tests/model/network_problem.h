// tests/model/network_problem.h: a network in double on the reference backend with its weights, a
// ragged batch and targets, all random. Padding has values that show whenever they are read.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "backend/device.h"
#include "model/network.h"
#include "support/cases.h"
#include "support/random_data.h"

namespace rwa {

class Problem {
 public:
  using Values = std::vector<double>;
  static constexpr int kSteps = 6;
  static constexpr int kBatch = 5;

  explicit Problem(const ModelConfig& config)
      : spec(config),
        hides(config.dropout > 0),
        backend(make_reference_backend()),
        weights(spec, *backend),
        pass(spec, *backend) {
    RandomData random(31);
    lengths = random.lengths(kBatch, kSteps);
    target_lengths = random.lengths(kBatch, kSteps);
    parameters = random.normal<double>(spec.parameters(), 0.7);
    const std::size_t rows = static_cast<std::size_t>(kSteps) * kBatch;
    if (spec.takes_symbols()) {
      symbols = random.classes(rows, spec.inputs());
    } else {
      x = random.normal<double>(rows * static_cast<std::size_t>(spec.inputs()));
    }
    classes = random.classes(rows, spec.outputs());
    values = random.uniform<double>(rows * width());
    hide_padding();
    step_.write(std::vector<std::int64_t>{17});
  }

  [[nodiscard]] Rows rows() const { return {kSteps, kBatch, lengths}; }
  [[nodiscard]] Rows output_rows() const {
    return spec.decodes() ? Rows{kSteps, kBatch, target_lengths} : spec.output_rows(rows());
  }
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(spec.outputs()); }

  // Loads the current weights and batch.
  void load_all() {
    weights.set(parameters);
    load<double>(*feed_, spec, {x.data(), rows(), symbols.data()},
                 {classes.data(), values.data(), output_rows()});
  }
  [[nodiscard]] const Sequences<double>& in() const { return feed_->in(); }
  [[nodiscard]] const Targets<double>& targets() const { return feed_->targets(); }

  // With dropout, the loss of a training step, always the same one.
  [[nodiscard]] double loss() {
    if (hides) {
      Values unused(parameters.size());
      Values none;
      return gradient(unused, none);
    }
    load_all();
    pass.loss(weights, in(), targets(), mean_.data());
    return read_mean();
  }
  // Returns the loss. Skips the gradient of x if dx is empty.
  double gradient(Values& dparameters, Values& dx, Memory memory = Memory::kFull) {
    load_all();
    cases::Numbers<double> of_parameters(*backend, dparameters), of_x(*backend, dx);
    pass.gradient(weights, in(), targets(), mean_.data(),
                  {.memory = memory,
                   .parameters = of_parameters.data(),
                   .x = of_x.data(),
                   .dropout_step = hides ? step_.data() : nullptr});
    dparameters = of_parameters.read();
    dx = of_x.read();
    return read_mean();
  }
  // The outputs as the loss sees them.
  [[nodiscard]] Values outputs() {
    load_all();
    cases::Numbers<double> y(*backend, rows().index(kSteps, 0) * width());
    pass.loss(weights, in(), targets(), mean_.data(), y.data());
    return y.read();
  }

  // The named part of the block of all parameters or their gradient.
  [[nodiscard]] std::span<double> named(Values& all, std::string_view name) const {
    for (const auto& info : spec.describe()) {
      if (info.name == name) return std::span(all).subspan(info.offset, info.size);
    }
    throw std::logic_error("no such parameter");
  }

  NetworkSpec spec;
  bool hides;
  std::unique_ptr<Backend<double>> backend;
  NetworkWeights<double> weights;
  NetworkPass<double> pass;
  Values parameters, x;
  std::vector<std::int32_t> symbols, lengths;
  std::vector<std::int32_t> classes, target_lengths;
  Values values;

 private:
  [[nodiscard]] double read_mean() const {
    double mean = 0;
    mean_.read({&mean, 1});
    return mean;
  }

  // With one output per sequence all targets count.
  void hide_padding() {
    const Rows out = output_rows();
    for (int t = 0; t < kSteps; ++t) {
      for (int b = 0; b < kBatch; ++b) {
        if (!rows().has(t, b)) {
          hide(x, t, b);
          hide(symbols, t, b);
        }
        if (out.has(t, b)) continue;
        hide(classes, t, b);
        hide(values, t, b);
      }
    }
  }
  template <class T>
  static void hide(std::vector<T>& all, int t, int b) {
    constexpr T kNever = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN()
                                                     : std::numeric_limits<T>::min();
    const std::size_t size = all.size() / (kSteps * kBatch);
    const auto row = static_cast<std::size_t>(t * kBatch + b);
    std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(row * size), size, kNever);
  }

  std::unique_ptr<Feed<double>> feed_ = backend->make_feed();
  Array<double> mean_{*backend, 1};
  Array<double, std::int64_t> step_{*backend, 1};
};

}  // namespace rwa
