// src/model/stack.h: recurrent layers on top of each other: each reads the outputs of the one
// below, of which training hides some.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "backend/array.h"
#include "model/network_weights.h"

namespace rwa {

// What a stack, or an encoder, is run on.
template <class Real>
struct StackForward {
  Sequences<Real> in;
  // [layer][B, 1 + state, H]; null: the start of a sequence. Only for stacks that read one way.
  const Real* initial_state = nullptr;
  Real* final_state = nullptr;            // the same, and may be the same memory
  std::optional<Memory> keep = {};        // what backward will need; nothing: no backward
  const std::int64_t* dropout_step = {};  // see DropoutKey; null: nothing is hidden
  std::uint32_t part = 0;  // number of these steps among those of a batch: each part hides its own
  Real* share = nullptr;   // of the last layer; see RecurrentForward
};

template <class Real>
struct StackBackward {
  Sequences<Real> in;                     // the same as in forward
  const Real* initial_state = nullptr;    // the same
  const Real* dh = nullptr;               // of what forward gave
  Real* parameters = nullptr;             // gradient, the block of all parameters
  Real* x = nullptr;                      // gradient, null where not wanted
  Real* dh_total = nullptr;               // of the last layer; see RecurrentBackward
  const std::int64_t* dropout_step = {};  // the same
  std::uint32_t part = 0;                 // the same
};

// The scratch memory of one caller, and what forward leaves in it for backward.
template <class Real>
class StackPass {
 public:
  StackPass(const StackSpec& spec, Backend<Real>& backend);

  // Returns what the stack gives, in memory of its own that the caller may write over.
  Real* forward(const StackWeights<Real>&, const StackForward<Real>&);
  void backward(const StackWeights<Real>&, const StackBackward<Real>&);

 private:
  struct Layer {
    explicit Layer(Backend<Real>& backend) : h(backend) {}
    std::vector<std::unique_ptr<RecurrentPass<Real>>> directions;
    Array<Real> h;  // [T,B,width], or [B,width] where only the last step is wanted
  };

  [[nodiscard]] bool gives_every(std::size_t layer) const {
    return spec_.every || layer + 1 < layers_.size();
  }
  // Hides, in place, what training hides of a layer's outputs or their gradient.
  template <class Job>
  void hide(std::size_t layer, const Job&, Real* values);
  // Does work(direction) for each direction of a layer.
  template <class Work>
  void each_direction(std::size_t layer, Work&& work);

  StackSpec spec_;
  Backend<Real>& backend_;
  std::deque<Layer> layers_;       // which do not move
  std::array<Array<Real>, 2> dx_;  // taken in turn: a layer reads one and adds to the other
  Array<Real> dx_of_reverse_;      // which must not write where forward does
};

}  // namespace rwa
