// src/model/stem.h: the stem, causal convolutions with a rectifier before the recurrent layers:
//   out_t = max(0, W [x_t, x_{t-1}, …, x_{t-kernel+1}] + b)
// A convolution is a dense layer on unfolded steps.
#pragma once

#include <array>
#include <deque>

#include "backend/array.h"
#include "model/network_weights.h"

namespace rwa {

template <class Real>
struct StemForward {
  const Real* x = nullptr;  // [T,B,width of the first convolution]
  Rows rows;
  // The steps before x that each convolution still sees, [convolution][B, kernel - 1, width], the
  // latest first; null: the start of a sequence.
  const Real* initial_state = nullptr;
  Real* final_state = nullptr;  // same layout; may alias initial_state
};

template <class Real>
struct StemBackward {
  const Real* x = nullptr;              // the same as in forward
  Rows rows;                            // the same
  const Real* initial_state = nullptr;  // the same; gets no gradient
  Real* dout = nullptr;                 // gradient of what forward returned; overwritten
  Real* parameters = nullptr;           // gradient, the block of all parameters
  Real* dx = nullptr;                   // gradient of x, or null
};

// One caller's workspace, and what forward saves in it for backward.
template <class Real>
class StemPass {
 public:
  StemPass(const StemSpec& spec, Backend<Real>& backend);

  // Returns the outputs of the last convolution, [T,B,channels]. Not for a stem without any.
  const Real* forward(const StemWeights<Real>&, const StemForward<Real>&);
  void backward(const StemWeights<Real>&, const StemBackward<Real>&);

 private:
  // What a convolution reads: the outputs of the one before it.
  [[nodiscard]] const Real* input(std::size_t convolution, const Real* x) const {
    return convolution == 0 ? x : outputs_[convolution - 1].data();
  }

  StemSpec spec_;
  Backend<Real>& backend_;
  std::deque<Array<Real>> outputs_;  // [T,B,channels] of each convolution
  Array<Real> unfolded_;           // [T,B,kernel·width]; large, so that all convolutions share it
  Array<Real> after_;              // state of a convolution
  std::array<Array<Real>, 2> dx_;  // alternating: a convolution reads one and adds to the other
};

}  // namespace rwa
