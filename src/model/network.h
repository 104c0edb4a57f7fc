// src/model/network.h: the network as a composition of a backend's operations: an encoder, perhaps
// a decoder, a dense output layer, a loss. Real is that of the backend, so that the double
// reference runs the same composition.
#pragma once

#include <optional>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/network_spec.h"
#include "model/network_weights.h"

namespace rwa {

// Brings a batch for that network in. Without targets their rows do not matter.
template <class Real>
void load(Feed<Real>& feed, const NetworkSpec& spec, const Sequences<Real>& host,
          const Targets<Real>& host_targets) {
  feed.load(host, spec.inputs(), host_targets, spec.outputs());
}

// What is wanted of a gradient.
template <class Real>
struct NetworkGradient {
  Memory memory = Memory::kFull;
  Real* parameters = nullptr;  // added to
  Real* x = nullptr;           // added to, unless null
  // Written unless null: see RecurrentBackward. Of the encoder's last layer, which reads one way.
  Real* dh_total = nullptr;
  const std::int64_t* dropout_step = nullptr;  // see DropoutKey; null: nothing is hidden
  // Where these are a part of longer sequences: see StackForward. The states must not be the same
  // memory, no gradient goes to the first, and the loss is that of the targets' rows alone.
  const Real* initial_state = nullptr;
  Real* final_state = nullptr;  // null: they are whole
  std::uint32_t part = 0;
};

// Scratch memory of one caller. Pointers are to the backend's memory, and nothing is read back
// here, except where a decoder runs freely, so that a backend may repeat what a pass asks for.
template <class Real>
class NetworkPass {
 public:
  NetworkPass(const NetworkSpec& spec, Backend<Real>& backend);

  // For networks without a decoder.
  void forward(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* y);
  // For those with one: as many steps as wanted, y is [steps,B,O], each after the most likely label
  // of the one before.
  void decode(const NetworkWeights<Real>&, const Sequences<Real>& in, int steps, Real* y);

  // For networks that can be run one step at a time. The state before the first step,
  // [layer][B, 1 + state, H].
  void start(const NetworkWeights<Real>&, int batch, Real* state);
  // One step of every sequence from `state`, which it replaces; y is [B,O].
  void step(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* state, Real* y);

  // The state after a part of longer sequences which has no loss, for the same networks.
  void advance(const NetworkWeights<Real>&, const StackForward<Real>&);

  // What each step has of the average that the encoder's last layer ends with, [T,B,width]. Only
  // where the memory is the host's, and of cells that keep an average.
  void shares(const NetworkWeights<Real>&, const Sequences<Real>& in, Real* shares);

  // The mean loss; also the outputs, unless y is null. A decoder sees the labels of the targets.
  void loss(const NetworkWeights<Real>&, const Sequences<Real>& in, const Targets<Real>&,
            double* mean, Real* y = nullptr);
  // Also its gradient.
  void gradient(const NetworkWeights<Real>&, const Sequences<Real>& in, const Targets<Real>&,
                double* mean, const NetworkGradient<Real>& out);

 private:
  // What the output layer sees, and what the encoder has read out, which without a decoder is the
  // same memory.
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
  Array<Real> state_;   // of a decoder that runs freely
};

}  // namespace rwa
