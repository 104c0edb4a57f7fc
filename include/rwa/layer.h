// include/rwa/layer.h: a single unidirectional recurrent layer that works in the caller's memory,
// for frameworks that compose and differentiate layers themselves. Shapes: T steps, B sequences, D
// features, H units; row-major, last index fastest.
//
//   rwa::Layer layer({.cell = rwa::Cell::kLstm, .inputs = 3, .units = 64});
//   const rwa::LayerInput in = {.parameters = p, .x = x, .steps = T, .batch = B};
//   rwa::Tape tape = layer.forward(in, {.h = h});
//   tape.backward(in, {.h = dh, .parameters = dp, .x = dx});
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/export.h"
#include "rwa/types.h"

namespace rwa {

struct LayerConfig {
  Cell cell = Cell::kRwa;
  Activation activation = Activation::kTanh;
  int inputs = 1;                 // D
  int units = 250;                // H
  bool reverse = false;           // run from each sequence's last step to its first
  std::string device = "cpu";     // of the caller's memory; see rwa/device.h
  int threads = 1;                // of the CPU; does not affect the result
  Memory memory = Memory::kFull;  // what a tape stores
};

// The layout of a layer's parameters and state, by the letters of the cell's formula.
//
// The parameters are one block of four arrays, one after the other. Each array consists of blocks
// of H rows, one per gate:
//   weight_x [·,D]   weight_h [·,H]   bias [·]   start [·] (for cells that learn the initial h)
//
// The state of a sequence, [state,H], is h and whatever else the cell carries from step to step.
// For an rwa these are the average r and the logarithm L of its denominator, each with the rounding
// error of its last sum (r_lo, L_lo). L is -infinity for a sequence without steps. Rounding errors
// have no gradient of their own: later steps depend on r + r_lo and L + L_lo.
struct LayerLayout {
  std::vector<std::string_view> gates_x, gates_h, gates_bias, gates_start;
  std::vector<std::string_view> state;    // "h" first
  std::vector<std::string_view> carried;  // the components with gradients, in the order of `state`
  std::size_t parameters = 0;             // floats in the block
};

// Pointers are to memory of the layer's device.
struct LayerInput {
  const float* parameters = nullptr;
  const float* x = nullptr;                    // [T,B,D]; never read past a sequence's length
  std::span<const std::int32_t> lengths = {};  // [B], in host memory; empty: all T
  const float* state = nullptr;                // [B,state,H]; null: the start of a sequence
  int steps = 0;                               // T
  int batch = 0;                               // B
};

// A null pointer means that the output is not needed.
struct LayerOutput {
  float* h = nullptr;  // [T,B,H]; zero past a sequence's length
  // [B,state,H] after each sequence's last step. May alias the input's state if no backward pass
  // follows.
  float* state = nullptr;
};

struct LayerGradient {
  const float* h = nullptr;      // of the output, [T,B,H], never read past a length; null: zero
  const float* state = nullptr;  // of the output, [B,carried,H]; null: zero
  // These are overwritten, not added to.
  float* parameters = nullptr;
  float* x = nullptr;        // [T,B,D], zero past a sequence's length; null: not needed
  float* initial = nullptr;  // of the input's state, [B,carried,H]; null: not needed
};

// What a forward pass saves for its backward pass, weights included. A tape may outlive its layer.
// It may be used from any thread, by one at a time.
class RWA_EXPORT Tape {
 public:
  ~Tape();
  Tape(Tape&&) noexcept;
  Tape& operator=(Tape&&) noexcept;

  // Runs the backward pass and consumes the tape. `in` must be the input of the forward pass, with
  // x and the state unchanged; parameters and lengths are ignored. Throws InputError if the shape
  // differs or the tape has been used before.
  void backward(const LayerInput& in, const LayerGradient& gradient, void* stream = nullptr);

  struct RWA_HIDDEN Impl;

 private:
  friend class Layer;
  RWA_HIDDEN explicit Tape(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Memory: any number of tapes may be alive at once. On the CPU, tapes with equal parameters share
// one copy of the weights and store only their own steps. Buffers of released tapes are reused, so
// a loop allocates nothing after its first iteration.
//
// Threads: several threads may share a layer, and several layers a device. Calls are serialised,
// except those of layers on a single CPU thread (threads = 1), which do not wait for other layers.
//
// GPU: calls are asynchronous. The work runs in the order of `stream`, a cudaStream_t of that GPU
// (null: the default stream): after the work already enqueued there, before what is enqueued later.
class RWA_EXPORT Layer {
 public:
  // Throws ConfigError if a size is not positive or the device does not exist.
  explicit Layer(const LayerConfig& config);

  [[nodiscard]] const LayerConfig& config() const;
  [[nodiscard]] const LayerLayout& layout() const;

  // Runs the forward pass without saving anything. Throws InputError for a null pointer or an
  // invalid shape.
  void run(const LayerInput& in, const LayerOutput& out, void* stream = nullptr);
  // Like run(), but also saves what the backward pass needs.
  [[nodiscard]] Tape forward(const LayerInput& in, const LayerOutput& out, void* stream = nullptr);

  struct RWA_HIDDEN Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace rwa
