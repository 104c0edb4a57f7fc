// tests/support/layer_runs.h: runs a layer of rwa/layer.h in the memory of any device, and the same
// layer on the double reference.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "backend/device.h"
#include "rwa/layer.h"
#include "support/cases.h"

namespace rwa::cases {

// The state of a GRU is h: the public layer holds it once, a backend twice.
inline std::size_t halves(const RecurrentSpec& spec) {
  return spec.traits().state_is_output ? 2 : 1;
}

// A run for both: with lengths or without, from the start or from a state, with gradients of every
// step and of the final state.
inline Layer make_run(const RecurrentSpec& spec, int steps, int batch, bool lengths, bool state,
                      Draw& draw) {
  Layer run = make_layer(spec, steps, batch, draw);
  if (!lengths) run.lengths.clear();
  if (state) run.initial_state = make_state(spec, batch, draw);
  send_to_final_state(run, draw);
  const auto H = static_cast<std::size_t>(spec.units);
  for (std::size_t row = 0; halves(spec) == 2 && row < product(batch, 1); ++row) {
    float* both = run.initial_state.data() + 2 * row * H;
    if (state) std::copy_n(both, H, both + H);
    std::fill_n(run.dfinal_state.data() + (2 * row + 1) * H, H, 0.0F);
  }
  return run;
}

// From a backend's values, those of the public layer.
template <class Real>
std::vector<Real> outside(const RecurrentSpec& spec, const std::vector<Real>& inside) {
  if (halves(spec) == 1) return inside;
  const auto H = static_cast<std::size_t>(spec.units);
  std::vector<Real> out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (i / H % 2 == 0) out.push_back(inside[i]);
  }
  return out;
}

template <class Real>
struct LayerResult {
  std::vector<Real> h, state;                // outputs
  std::vector<Real> parameters, x, initial;  // gradients
};

inline LayerResult<double> reference_result(const Layer& run) {
  const auto found = cases::run(*make_reference_backend(), run);
  const auto H = static_cast<std::size_t>(run.spec.units);
  std::vector<double> initial = outside(run.spec, found.initial);
  for (std::size_t i = 0; halves(run.spec) == 2 && i < initial.size(); ++i) {
    initial[i] += found.initial[(2 * (i / H) + 1) * H + i % H];
  }
  return {found.h_every, outside(run.spec, found.final_state), found.parameters, found.x, initial};
}

// A layer's arguments in device memory. What it must not read, and what it has to write, is NaN.
class LayerMemory {
 public:
  LayerMemory(Backend<float>& backend, const Layer& run)
      : run_(run),
        parameters_(backend, run.parameters),
        x_(backend, hidden(run.x, run.spec.inputs)),
        state_(backend, outside(run.spec, run.initial_state)),
        dh_(backend, hidden(run.dh_every, run.spec.units)),
        dstate_(backend, outside(run.spec, run.dfinal_state)),
        h_(backend, run.dh_every.size(), kNaN),
        final_(backend, product(run.batch, 1) * run.spec.state_size() / halves(run.spec), kNaN),
        dparameters_(backend, run.parameters.size(), kNaN),
        dx_(backend, run.x.size(), kNaN),
        dinitial_(backend, run.dfinal_state.size() / halves(run.spec), kNaN) {}

  [[nodiscard]] LayerInput in() {
    return {.parameters = parameters_.data(),
            .x = x_.data(),
            .lengths = run_.lengths,
            .state = state_.data(),
            .steps = run_.steps,
            .batch = run_.batch};
  }
  [[nodiscard]] LayerOutput out() { return {.h = h_.data(), .state = final_.data()}; }
  [[nodiscard]] LayerGradient gradient() {
    return {.h = dh_.data(),
            .state = dstate_.data(),
            .parameters = dparameters_.data(),
            .x = dx_.data(),
            .initial = dinitial_.data()};
  }
  [[nodiscard]] LayerResult<float> read() const {
    return {h_.read(), final_.read(), dparameters_.read(), dx_.read(), dinitial_.read()};
  }

 private:
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

  [[nodiscard]] std::vector<float> hidden(std::vector<float> rows, int width) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int row = static_cast<int>(i) / width;
      if (!run_.rows().has(row / run_.batch, row % run_.batch)) rows[i] = kNaN;
    }
    return rows;
  }

  Layer run_;
  Numbers<float> parameters_, x_, state_, dh_, dstate_, h_, final_, dparameters_, dx_, dinitial_;
};

inline LayerConfig config_of(const RecurrentSpec& spec) {
  return {.cell = spec.cell,
          .activation = spec.activation,
          .inputs = spec.inputs,
          .units = spec.units,
          .reverse = spec.reverse};
}

// Runs forward and backward in host memory.
inline LayerResult<float> run_on_cpu(const Layer& run, const LayerConfig& config) {
  const auto backend = make_cpu_backend(1);
  LayerMemory memory(*backend, run);
  rwa::Layer(config).forward(memory.in(), memory.out()).backward(memory.in(), memory.gradient());
  return memory.read();
}

inline std::string name(const Layer& run) {
  return std::string(to_string(run.spec.cell)) + " " + std::string(to_string(run.spec.activation)) +
         (run.spec.reverse ? ", in reverse" : "") + (run.lengths.empty() ? "" : ", lengths") +
         (run.initial_state.empty() ? "" : ", from a state");
}

// Every cell in both directions, with and without lengths and a state.
inline std::vector<Layer> all_runs(int inputs, int units, int steps, int batch) {
  std::vector<Layer> all;
  Draw draw(11);
  for (const Cell cell : all_cells()) {
    for (const int form : {0, 1, 2, 3, 4, 5, 6, 7}) {
      const RecurrentSpec spec{
          .cell = cell, .inputs = inputs, .units = units, .reverse = (form & 1) != 0};
      all.push_back(make_run(spec, steps, batch, (form & 2) != 0, (form & 4) != 0, draw));
    }
  }
  return all;
}

// Bit-identical: backends have the same arithmetic, whenever and wherever they do the work.
inline bool same_bits(const LayerResult<float>& a, const LayerResult<float>& b) {
  return same_bits(a.h, b.h) && same_bits(a.state, b.state) &&
         same_bits(a.parameters, b.parameters) && same_bits(a.x, b.x) &&
         same_bits(a.initial, b.initial);
}

}  // namespace rwa::cases
