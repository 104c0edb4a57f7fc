// src/model/network.h: the network, composed of a backend's operations: an encoder, optionally a
// decoder, a dense output layer, a loss. Real is the backend's, so that the double reference runs
// the same composition.
#pragma once

#include <optional>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/network_spec.h"
#include "model/network_weights.h"

namespace rwa {

// Loads a batch for the network. Without targets, their rows do not matter.
template <class Real>
void load(Feed<Real>& feed, const NetworkSpec& spec, const Sequences<Real>& host,
          const Targets<Real>& host_targets) {
  feed.load(host, spec.inputs(), host_targets, spec.outputs());
}

// Arguments and results of NetworkPass::gradient().
template <class Real>
struct NetworkGradient {
  Memory memory = Memory::kFull;
  Real* parameters = nullptr;  // added to
  Real* x = nullptr;           // added to, unless null
  // Output, or null: see RecurrentBackward. For the encoder's last layer, of one direction.
  Real* dh_total = nullptr;
  const std::int64_t* dropout_step = nullptr;  // see DropoutKey; null: no dropout
  // For a part of longer sequences (truncated backpropagation): see StackForward. The states must
  // not alias, the initial state gets no gradient, and only the targets' rows have a loss.
  const Real* initial_state = nullptr;
  Real* final_state = nullptr;  // null: whole sequences
  std::uint32_t part = 0;
};

// One caller's workspace. Pointers are to the backend's memory. Only decode() reads anything back
// to the host, so that a backend can record and replay all else.
template <class Real>
class NetworkPass {
 public:
  NetworkPass(const NetworkSpec& spec, Backend<Real>& backend);

  // For networks without a decoder.
  void forward(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* y);
  // For networks with a decoder: y is [steps,B,O]. Each step sees the most likely label of the
  // previous step.
  void decode(const NetworkWeights<Real>&, const Sequences<Real>& in, int steps, Real* y);

  // For networks that can run one step at a time: writes the state before the first step,
  // [layer][B, 1 + state, H], then [convolution][B, kernel - 1, width].
  void start(const NetworkWeights<Real>&, int batch, Real* state);
  // Runs one step of every sequence and updates `state`; y is [B,O].
  void step(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* state, Real* y);

  // For the same networks: computes the state after a part of longer sequences that has no loss.
  void advance(const NetworkWeights<Real>&, const StackForward<Real>&);

  // Writes each step's share of the final average of the encoder's last layer, [T,B,width]. Only on
  // backends in host memory, and for cells that average.
  void shares(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* shares);

  // Writes the mean loss and, unless y is null, the outputs. A decoder sees the targets' labels.
  void loss(const NetworkWeights<Real>&, const Sequences<Real>& in, const Targets<Real>&,
            double* mean, Real* y = nullptr);
  // Writes the mean loss and its gradient.
  void gradient(const NetworkWeights<Real>&, const Sequences<Real>& in, const Targets<Real>&,
                double* mean, const NetworkGradient<Real>& out);

 private:
  // The output layer's input and the encoder's readout: the same memory without a decoder.
  struct Hidden {
    Real* top;
    Real* read;
  };
  Hidden run(const NetworkWeights<Real>&, const StackForward<Real>&, const Targets<Real>&);
  void output(const NetworkWeights<Real>&, const Rows&, const Real* top, Real* y);
  [[nodiscard]] Rows rows_of(const Sequences<Real>& in, const Targets<Real>& targets) const {
    return spec_.decodes() ? targets.rows : spec_.output_rows(in.rows);
  }

  NetworkSpec spec_;
  Backend<Real>& backend_;
  EncoderPass<Real> encoder_;
  std::optional<DecoderPass<Real>> decoder_;
  Array<Real> y_, dy_;  // [rows, O]
  Array<Real> state_;   // of a decoder in decode()
};

}  // namespace rwa
