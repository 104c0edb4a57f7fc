// src/model/stack.h: stacked recurrent layers. Each reads the outputs of the one below, with
// dropout in training.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "backend/array.h"
#include "model/network_weights.h"

namespace rwa {

// Arguments of a forward pass of a stack or an encoder.
template <class Real>
struct StackForward {
  Sequences<Real> in;
  // [layer][B, 1 + state, H]; null: the start of a sequence. Only for stacks of one direction. An
  // encoder's has the state of its stem after that; see StemForward.
  const Real* initial_state = nullptr;
  Real* final_state = nullptr;            // same layout; may alias initial_state
  std::optional<Memory> keep = {};        // how backward's data is kept; empty: no backward
  const std::int64_t* dropout_step = {};  // see DropoutKey; null: no dropout
  std::uint32_t part = 0;  // which part of a batch's steps this is; each has its own dropout mask
  Real* share = nullptr;   // of the last layer; see RecurrentForward
};

template <class Real>
struct StackBackward {
  Sequences<Real> in;                     // the same as in forward
  const Real* initial_state = nullptr;    // the same
  const Real* dh = nullptr;               // gradient of what forward returned
  Real* parameters = nullptr;             // gradient, the block of all parameters
  Real* x = nullptr;                      // gradient, or null
  Real* dh_total = nullptr;               // of the last layer; see RecurrentBackward
  const std::int64_t* dropout_step = {};  // the same
  std::uint32_t part = 0;                 // the same
};

// One caller's workspace, and what forward saves in it for backward.
template <class Real>
class StackPass {
 public:
  StackPass(const StackSpec& spec, Backend<Real>& backend);

  // Returns the stack's outputs, which the caller may overwrite.
  Real* forward(const StackWeights<Real>&, const StackForward<Real>&);
  void backward(const StackWeights<Real>&, const StackBackward<Real>&);

 private:
  struct Layer {
    explicit Layer(Backend<Real>& backend) : h(backend) {}
    std::vector<std::unique_ptr<RecurrentPass<Real>>> directions;
    Array<Real> h;  // [T,B,width], or [B,width] if only the last step is needed
  };

  [[nodiscard]] bool gives_every(std::size_t layer) const {
    return spec_.every || layer + 1 < layers_.size();
  }
  // Applies dropout in place to a layer's outputs or their gradient.
  template <class Job>
  void hide(std::size_t layer, const Job&, Real* values);
  // Calls work(direction) for each direction of a layer.
  template <class Work>
  void each_direction(std::size_t layer, Work&& work);

  StackSpec spec_;
  Backend<Real>& backend_;
  std::deque<Layer> layers_;       // a deque, because layers must not move
  std::array<Array<Real>, 2> dx_;  // alternating: a layer reads one and adds to the other
  Array<Real> dx_of_reverse_;      // separate: both directions may run at once
};

}  // namespace rwa
