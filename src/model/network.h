// src/model/network.h: the network as a composition of a backend's operations: a recurrent layer, a
// readout, a dense output layer, a loss. Real is that of the backend, so that the double reference
// runs the same composition.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/array.h"
#include "backend/backend.h"
#include "rwa/model.h"

namespace rwa {

struct ParameterInfo {
  std::string name;
  std::vector<std::int64_t> shape;
  std::size_t offset;
  std::size_t size;
};

// The parts of a described network, and where their parameters lie in one flat block.
class NetworkSpec {
 public:
  // Throws ConfigError when a size is not positive or too large to address.
  explicit NetworkSpec(const ModelConfig& config);

  RecurrentSpec recurrent;
  DenseSpec output;
  Readout readout;
  Loss loss;

  [[nodiscard]] std::size_t parameters() const { return output_offset() + output.parameters(); }
  [[nodiscard]] std::size_t output_offset() const { return recurrent.parameters(); }
  [[nodiscard]] std::vector<ParameterInfo> describe() const;

  // The rows of y for a batch: all steps, or one.
  [[nodiscard]] Rows output_rows(const Rows& in) const {
    return readout == Readout::kEvery ? in : Rows{1, in.batch, {}};
  }
};

// The initial weights of the paper: uniform in ±sqrt(6 / (inputs + outputs)), biases as the cell
// says, s_0 normal.
std::vector<float> initial_weights(const NetworkSpec& spec, const ModelConfig& config);

// Weights as the backend computes with them; shared by any number of passes.
template <class Real>
struct NetworkWeights {
  NetworkWeights(const NetworkSpec& spec, Backend<Real>& backend)
      : values(backend, spec.parameters()),
        recurrent(backend.make_weights(spec.recurrent)),
        output(backend.make_weights(spec.output)),
        output_offset(spec.output_offset()) {}
  // To be called after `values` changed.
  void update() {
    recurrent->load(values.data());
    output->load(values.data() + output_offset);
  }
  void set(std::span<const Real> host) {
    values.write(host);
    update();
  }

  Array<Real> values;
  std::unique_ptr<LayerWeights<Real>> recurrent;
  std::unique_ptr<LayerWeights<Real>> output;
  std::size_t output_offset;
};

// Brings a batch for that network in.
template <class Real>
void load(Feed<Real>& feed, const NetworkSpec& spec, const Sequences<Real>& host,
          const Targets<Real>& host_targets) {
  feed.load(host, spec.recurrent.inputs, host_targets, spec.output_rows(host.rows),
            spec.output.outputs);
}

// Scratch memory of one caller. Pointers are to the backend's memory, and nothing is read back
// here, so that a backend may repeat what a pass asks for.
template <class Real>
class NetworkPass {
 public:
  NetworkPass(const NetworkSpec& spec, Backend<Real>& backend)
      : spec_(spec),
        backend_(backend),
        recurrent_(backend.make_pass(spec.recurrent)),
        h_(backend),
        y_(backend),
        dy_(backend) {}

  void forward(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* y,
               std::optional<Memory> keep = {});
  // The state before the first step, [B, 1 + state, H].
  void start(const NetworkWeights<Real>&, int batch, Real* state);
  // One step of every sequence from `state`, [B, 1 + state, H], which it replaces; y is [B,O].
  void step(const NetworkWeights<Real>&, const Real* x, int batch, Real* state, Real* y);

  // The mean loss; also the outputs, unless y is null.
  void loss(const NetworkWeights<Real>&, const Sequences<Real>& in, const Targets<Real>&,
            double* mean, Real* y = nullptr);
  // Also adds its gradient to `parameters` and, unless null, to `x`.
  void gradient(const NetworkWeights<Real>&, const Sequences<Real>& in, const Targets<Real>&,
                double* mean, Memory memory, Real* parameters, Real* x);

 private:
  [[nodiscard]] std::size_t prepare(const Rows& in);

  NetworkSpec spec_;
  Backend<Real>& backend_;
  std::unique_ptr<RecurrentPass<Real>> recurrent_;
  Array<Real> h_;   // what the readout passes on, [rows, H]; backward leaves dh in its place
  Array<Real> y_;   // [rows, O]
  Array<Real> dy_;  // [rows, O]
};

}  // namespace rwa
