// src/model/encoder.h: the encoder, from a batch to its readout: embeds symbols, runs the stem
// and the stack, and reads out its steps as they are or averaged.
#pragma once

#include "model/stack.h"
#include "model/stem.h"

namespace rwa {

// One caller's workspace.
template <class Real>
class EncoderPass {
 public:
  EncoderPass(const EncoderSpec& spec, Backend<Real>& backend)
      : spec_(spec),
        backend_(backend),
        stem_(spec.stem, backend),
        stack_(spec.stack, backend),
        embedded_(backend),
        share_(backend),
        average_(backend),
        daveraged_(backend),
        dembedded_(backend),
        dstem_(backend) {}

  // Returns the readout, [B,width] or [T,B,width], which the caller may overwrite.
  Real* forward(const NetworkWeights<Real>&, StackForward<Real>);
  // Takes the gradient of the readout. For symbols x is null.
  void backward(const NetworkWeights<Real>&, StackBackward<Real>);

 private:
  // Stack and stem, after forward; job.in is the stem's input.
  void differentiate_stem(const NetworkWeights<Real>&, const StackBackward<Real>& job);
  // The input of stem and stack for a batch.
  [[nodiscard]] Sequences<Real> seen(const Sequences<Real>& in) const {
    return spec_.embedding ? Sequences<Real>{embedded_.data(), in.rows} : in;
  }
  // The part of a state that is the stem's; it follows the stack's. Null stays null.
  template <class T>
  [[nodiscard]] T* stem_state(T* state, const Rows& rows) const {
    if (state == nullptr) return nullptr;
    return state + static_cast<std::size_t>(rows.batch) * spec_.stack.state_size();
  }
  // Attention's weight in the block of all parameters or gradients; null for a plain mean.
  template <class T>
  [[nodiscard]] T* score(T* values) const {
    return spec_.readout == Readout::kAttention ? values + spec_.score : nullptr;
  }

  EncoderSpec spec_;
  Backend<Real>& backend_;
  StemPass<Real> stem_;
  StackPass<Real> stack_;
  Array<Real> embedded_;             // [T,B,embedding]
  const Real* convolved_ = nullptr;  // [T,B,channels], the stem's outputs
  const Real* averaged_ =
      nullptr;             // [T,B,width]: the stack's outputs, or without layers its inputs
  Array<Real> share_;      // [T,B], of each step in the average
  Array<Real> average_;    // [B,width]
  Array<Real> daveraged_;  // [T,B,width]
  Array<Real> dembedded_;  // [T,B,embedding]
  Array<Real> dstem_;      // [T,B,channels]
};

}  // namespace rwa
