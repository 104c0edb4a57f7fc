// include/rwa/layer.h: one recurrent layer, one way, in the caller's memory: for frameworks that
// compose and differentiate themselves. Shapes: T steps, B sequences, D features, H units;
// row-major, last index fastest.
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
  bool reverse = false;           // from the last step of each sequence to its first
  std::string device = "cpu";     // where the caller's memory lies; see rwa/device.h
  int threads = 1;                // of the CPU; the result does not depend on it
  Memory memory = Memory::kFull;  // what a tape keeps
};

// What a layer's numbers mean, by the letters of the cell's formula. The parameters are one block
// in which four arrays follow each other; each is made of blocks of H rows, one for each gate:
//   weight_x [·,D]   weight_h [·,H]   bias [·]   start [·] (of cells that learn where h starts)
// The state of a sequence is h and what the cell carries beside it, [state,H]. Of an rwa that is
// the average r and the logarithm L of its denominator, each with the rounding error of its last
// sum; L of a sequence without steps is -infinity. Rounding errors have no gradient: what follows
// depends on r + r_lo and L + L_lo.
struct LayerLayout {
  std::vector<std::string_view> gates_x, gates_h, gates_bias, gates_start;
  std::vector<std::string_view> state;    // "h" first
  std::vector<std::string_view> carried;  // of the state, in its order, those that have gradients
  std::size_t parameters = 0;             // numbers in the block
};

// Pointers are to the memory of the layer's device.
struct LayerInput {
  const float* parameters = nullptr;
  const float* x = nullptr;  // [T,B,D]; steps past a sequence's length are never read
  std::span<const std::int32_t> lengths = {};  // [B], the host's; empty: all are T
  const float* state = nullptr;                // [B,state,H]; null: the start of a sequence
  int steps = 0;                               // T
  int batch = 0;                               // B
};

// Each may be null: not wanted.
struct LayerOutput {
  float* h = nullptr;  // [T,B,H]; zeros past a sequence's length
  // [B,state,H] after each sequence's last step. May be the input's, where no backward follows.
  float* state = nullptr;
};

struct LayerGradient {
  const float* h = nullptr;      // of the output, [T,B,H]; null: none; past a length never read
  const float* state = nullptr;  // of the output, [B,carried,H]; null: none
  // Written, not added to.
  float* parameters = nullptr;
  float* x = nullptr;        // [T,B,D]; zeros past a sequence's length; null: not wanted
  float* initial = nullptr;  // [B,carried,H] of the input's state; null: not wanted
};

// What one forward leaves for its backward, the weights with it. May outlive its layer. One thread
// at a time, not always the same.
class RWA_EXPORT Tape {
 public:
  ~Tape();
  Tape(Tape&&) noexcept;
  Tape& operator=(Tape&&) noexcept;

  // Once: it uses up what forward left. Of `in`, which is that of forward, x and the state must
  // still have their numbers; parameters and lengths are not looked at again. Throws InputError for
  // another shape, or the second time.
  void backward(const LayerInput& in, const LayerGradient& gradient, void* stream = nullptr);

  struct RWA_HIDDEN Impl;

 private:
  friend class Layer;
  RWA_HIDDEN explicit Tape(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Any number of tapes may be alive. Those of the CPU share the weights of equal parameters, so
// that each keeps only its steps. What the last few kept is used again when they are gone: a loop
// takes no more memory after its first round. Threads may share a layer, and layers a device: calls
// take turns, except those of layers with a CPU thread of their own (threads = 1).
//
// On a GPU nothing waits for the work: it comes after what `stream`, a cudaStream_t of that GPU
// (null: the default one), was asked for before, and before what it is asked for afterwards.
class RWA_EXPORT Layer {
 public:
  // Throws ConfigError for a size that is not positive, or a device that is not there.
  explicit Layer(const LayerConfig& config);

  [[nodiscard]] const LayerConfig& config() const;
  [[nodiscard]] const LayerLayout& layout() const;

  // Both throw InputError for a pointer or a shape that cannot be.
  void run(const LayerInput& in, const LayerOutput& out, void* stream = nullptr);
  // The same, and what backward needs.
  [[nodiscard]] Tape forward(const LayerInput& in, const LayerOutput& out, void* stream = nullptr);

  struct RWA_HIDDEN Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace rwa
