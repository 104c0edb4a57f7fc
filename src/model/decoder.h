// src/model/decoder.h: from what was read out of a sequence to the steps of another: it becomes a
// code, and a stack sees at each step the code and the label before.
#pragma once

#include "model/stack.h"

namespace rwa {

// Scratch memory of one caller.
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

  // Makes the code, [B,code], of what was read out, [B,width].
  void encode(const NetworkWeights<Real>&, int batch, const Real* read);

  // Returns the steps, [T,B,H], that come after the labels of `targets`, in memory that the caller
  // may write over.
  Real* forward(const NetworkWeights<Real>&, const Targets<Real>& targets,
                std::optional<Memory> keep, const std::int64_t* dropout_step);
  // From their gradient dh. Writes the gradient of what was read out over it.
  void backward(const NetworkWeights<Real>&, const Targets<Real>& targets, const Real* dh,
                Real* parameters, Real* read, const std::int64_t* dropout_step);

  // One step, [B,H], after the labels, plus one, that stand as symbols in `before`; 0 is none. The
  // states are those of StackForward.
  Real* step(const NetworkWeights<Real>&, const Sequences<Real>& before, const Real* initial_state,
             Real* final_state);

 private:
  Real* run(const NetworkWeights<Real>&, const Symbols&, StackForward<Real> job);

  DecoderSpec spec_;
  Backend<Real>& backend_;
  StackPass<Real> stack_;
  Array<Real> code_;  // [B,code]; backward leaves its gradient there
  Array<Real> in_;    // [T,B,code], what the stack sees
  Array<Real> din_;   // [T,B,code]
};

}  // namespace rwa
