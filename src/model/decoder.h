// src/model/decoder.h: the decoder, from the readout of one sequence to the steps of another. The
// readout becomes a code; at each step, a stack sees the code plus the previous label's embedding.
#pragma once

#include "model/stack.h"

namespace rwa {

// One caller's workspace.
template <class Real>
class DecoderPass {
 public:
  DecoderPass(const DecoderSpec& spec, Backend<Real>& backend)
      : spec_(spec),
        backend_(backend),
        stack_(spec.stack, backend),
        code_(backend),
        in_(backend),
        din_(backend) {}

  // Computes the code, [B,code], from the readout, [B,width].
  void encode(const NetworkWeights<Real>&, int batch, const Real* read);

  // Returns the stack's outputs, [T,B,H], each after the previous label of `targets`. The caller
  // may overwrite them.
  Real* forward(const NetworkWeights<Real>&, const Targets<Real>& targets,
                std::optional<Memory> keep, const std::int64_t* dropout_step);
  // Takes dh, the gradient of these outputs. Overwrites `read` with the gradient of the readout.
  void backward(const NetworkWeights<Real>&, const Targets<Real>& targets, const Real* dh,
                Real* parameters, Real* read, const std::int64_t* dropout_step);

  // Runs one step and returns its output, [B,H]. The symbols of `before` are the previous labels,
  // plus one; 0: none. The states are those of StackForward.
  Real* step(const NetworkWeights<Real>&, const Sequences<Real>& before, const Real* initial_state,
             Real* final_state);

 private:
  Real* run(const NetworkWeights<Real>&, const Symbols&, StackForward<Real> job);

  DecoderSpec spec_;
  Backend<Real>& backend_;
  StackPass<Real> stack_;
  Array<Real> code_;  // [B,code]; backward overwrites it with its gradient
  Array<Real> in_;    // [T,B,code], the stack's input
  Array<Real> din_;   // [T,B,code]
};

}  // namespace rwa
