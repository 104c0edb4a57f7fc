// src/model/encoder.h: from a batch to what is read out of it: symbols become learned numbers, the
// stack runs over them, and its steps are read as they are, or averaged.
#pragma once

#include "model/stack.h"

namespace rwa {

// Scratch memory of one caller.
template <class Real>
class EncoderPass {
 public:
  EncoderPass(const EncoderSpec& spec, Backend<Real>& backend)
      : spec_(spec),
        backend_(backend),
        stack_(spec.stack, backend),
        embedded_(backend),
        share_(backend),
        average_(backend),
        daveraged_(backend),
        dembedded_(backend) {}

  // Returns what is read out, [B,width] or [T,B,width], in memory of its own that the caller may
  // write over.
  Real* forward(const NetworkWeights<Real>&, StackForward<Real>);
  // From the gradient of what was read out. For symbols x is null.
  void backward(const NetworkWeights<Real>&, StackBackward<Real>);

 private:
  // What the stack sees of a batch.
  [[nodiscard]] Sequences<Real> seen(const Sequences<Real>& in) const {
    return spec_.embedding ? Sequences<Real>{embedded_.data(), in.rows} : in;
  }
  // In the block of all parameters, or of their gradient; null for a plain mean.
  template <class T>
  [[nodiscard]] T* score(T* values) const {
    return spec_.readout == Readout::kAttention ? values + spec_.score : nullptr;
  }

  EncoderSpec spec_;
  Backend<Real>& backend_;
  StackPass<Real> stack_;
  Array<Real> embedded_;  // [T,B,embedding]
  const Real* averaged_ =
      nullptr;             // [T,B,width]: the stack's outputs, or without layers its inputs
  Array<Real> share_;      // [T,B], of each step in the average
  Array<Real> average_;    // [B,width]
  Array<Real> daveraged_;  // [T,B,width]
  Array<Real> dembedded_;  // [T,B,embedding]
};

}  // namespace rwa
