// src/model/encoder.h: the encoder, from a batch to its readout: embeds symbols, runs the stack,
// and reads out its steps as they are or averaged.
#pragma once

#include "model/stack.h"

namespace rwa {

// One caller's workspace.
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

  // Returns the readout, [B,width] or [T,B,width], which the caller may overwrite.
  Real* forward(const NetworkWeights<Real>&, StackForward<Real>);
  // Takes the gradient of the readout. For symbols x is null.
  void backward(const NetworkWeights<Real>&, StackBackward<Real>);

 private:
  // The stack's input for a batch.
  [[nodiscard]] Sequences<Real> seen(const Sequences<Real>& in) const {
    return spec_.embedding ? Sequences<Real>{embedded_.data(), in.rows} : in;
  }
  // Attention's weight in the block of all parameters or gradients; null for a plain mean.
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
