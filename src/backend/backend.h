// src/backend/backend.h: what a device must be able to do. Real is float on devices that compute,
// double in the reference, which is the oracle of the others. Arguments have been checked by the
// caller. Gradients are added to what is there, never written over it.
#pragma once

#include <memory>
#include <optional>

#include "backend/spec.h"

namespace rwa {

// A layer's weights in the form the device computes with. Constant while running: one object serves
// any number of passes at a time.
template <class Real>
class LayerWeights {
 public:
  virtual ~LayerWeights() = default;
  virtual void load(const Real* parameters) = 0;  // as RecurrentSpec or DenseSpec lays them out
};

template <class Real>
struct Sequences {
  const Real* x = nullptr;  // [T,B,D]; past a sequence's length never read
  Rows rows;                // with lengths
};

template <class Real>
struct RecurrentForward {
  Sequences<Real> in;
  const Real* initial_state = nullptr;  // [B, 1 + state, H]; null: the start of a sequence
  Real* h_every = nullptr;      // [T,B,H]; null where not wanted; past the end nothing is written
  Real* h_last = nullptr;       // [B,H]
  Real* final_state = nullptr;  // as initial_state, and may be the same memory
  std::optional<Memory> keep = {};  // what backward will need; nothing: no backward
};

template <class Real>
struct RecurrentBackward {
  Sequences<Real> in;                   // the same as in forward
  const Real* initial_state = nullptr;  // the same
  const Real* dh_every = nullptr;       // [T,B,H], null: none
  const Real* dh_last = nullptr;        // [B,H]
  Real* parameters = nullptr;           // gradient, as RecurrentSpec lays them out
  Real* x = nullptr;                    // gradient [T,B,D], null where not wanted
  Real* initial = nullptr;              // gradient [B, 1 + carry, H] of h and the carried sums
};

// The scratch memory of one caller, and what forward leaves in it for backward.
template <class Real>
class RecurrentPass {
 public:
  virtual ~RecurrentPass() = default;
  virtual void forward(const LayerWeights<Real>&, const RecurrentForward<Real>&) = 0;
  virtual void backward(const LayerWeights<Real>&, const RecurrentBackward<Real>&) = 0;
};

template <class Real>
struct Targets {
  const std::int32_t* classes = nullptr;  // [T,B]
  const Real* values = nullptr;           // [T,B,O]
};

template <class Real>
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::unique_ptr<LayerWeights<Real>> make_weights(
      const RecurrentSpec&) const = 0;
  [[nodiscard]] virtual std::unique_ptr<RecurrentPass<Real>> make_pass(const RecurrentSpec&) = 0;

  [[nodiscard]] virtual std::unique_ptr<LayerWeights<Real>> make_weights(
      const DenseSpec&) const = 0;

  // y = h Wᵀ + b, for the rows that count.
  virtual void dense_forward(const DenseSpec&, const LayerWeights<Real>&, const Rows&,
                             const Real* h, Real* y) = 0;
  // Adds to the parameters' gradient and writes dh, which may be the same memory as h.
  virtual void dense_backward(const DenseSpec&, const LayerWeights<Real>&, const Rows&,
                              const Real* h, const Real* dy, Real* dparameters, Real* dh) = 0;

  // The sum over the rows that count, times `scale`; writes dy, its gradient, unless null.
  virtual double loss(Loss, const Rows&, int outputs, const Real* y, const Targets<Real>&,
                      double scale, Real* dy) = 0;

  // One step of Adam, the `step`-th counted from 1. gradient is multiplied by `gradient_scale`
  // first.
  virtual void adam(const AdamSettings&, std::int64_t step, std::size_t count,
                    double gradient_scale, const Real* gradient, Real* parameters, Real* mean,
                    Real* variance) = 0;
};

}  // namespace rwa
