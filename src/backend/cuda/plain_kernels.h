// src/backend/cuda/plain_kernels.h: the kernels of the plain path, to be called from the host. H is
// padded to Hp, a multiple of 32. Steps come in chunks of kChunk: a chunk starts from the state
// that the one before left, so that it can be run again, and has a tape of its own.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/cuda/gates.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"
#include "backend/spec.h"

namespace rwa::cuda::plain {

inline constexpr int kChunk = 64;

// Sizes, and where the parameters lie. Gates are those of cuda/gates.h.
struct Layer {
  Layer(const RecurrentSpec& spec, const float* parameters);

  int inputs, units, padded_units, gates;
  int stride;  // from one row of h, and of its gradient, to the next
  CellTerms parts;
  const float *weight_x, *weight_h, *bias, *start;
};

// What a chunk leaves for its backward. Row offset[t] - offset[first] + slot is step t of a slot.
// Backward replaces what was saved by gradients, in the form that cuda/gradients.h wants.
struct Tape {
  int first = 0;              // step
  float* gates = nullptr;     // [rows][Hp][gates]: what the cell saved, all but its last number
  float* last = nullptr;      // [rows][Hp]: the last number that the cell saved
  float* h_before = nullptr;  // [rows][Hp]; 0 in slots past their end and in padding
  // Without gates nothing is kept: h_before has two steps by turns, [2][slots][Hp].
};

struct Batch {
  PlacedRows rows;
  bool reverse;                 // the layer reads from the last step to the first
  const float* x;               // [T,B,D]
  const std::int32_t* symbols;  // [T,B], instead of x, or null

  // Which row of a [T,B,·] array step t of a slot is; -1 where the slot has no such step.
  [[nodiscard]] __device__ long source(int t, int slot) const {
    return rows.source(t, slot, reverse);
  }
};

struct ForwardStep {
  Batch in;
  Layer layer;
  Tape tape;
  float* state;    // [slots][1 + state][Hp]: h, and what the cell carries
  float* h_every;  // [T,B] rows of H or null
  int t;
  bool is_last;  // of the chunk: no h_before of the next is written
};

struct BackwardStep {
  Batch in;
  Layer layer;
  Tape tape;
  const float* weights;  // see turn_weights
  // The gates' gradients of step t + 1, [slots][Hp][gates]; null where the tape has it.
  const float* later_gates;
  const float* state_before;  // [slots][1 + state][Hp]: at the start of the chunk
  const float* dh_every;      // [T,B] rows of H or null
  const float* dh_last;       // [B] rows of H, last_stride apart, or null
  std::size_t last_stride;
  float* carry;  // [slots][carry][Hp]
  int t;
};

// The kernels of one cell.
class Kernels {
 public:
  virtual ~Kernels() = default;
  // The state before the first step. initial: [B, 1 + state, H], or null.
  virtual void start(const Context&, const PlacedRows&, const Layer&, const float* initial,
                     float* state) const = 0;
  // h_before of the chunk's first step, from the state.
  virtual void begin_chunk(const Context&, const PlacedRows&, const Layer&, const Tape&,
                           const float* state) const = 0;
  virtual void forward(const Context&, const ForwardStep&) const = 0;
  // h_last, [B] rows of H, and final_state [B, 1 + state, H], where not null.
  virtual void finish(const Context&, const PlacedRows&, const Layer&, const float* state,
                      float* h_last, float* final_state) const = 0;
  // What the last step finds in `carry`, [slots][carry][Hp]: zeros, or what comes with
  // dfinal_state, [B, 1 + carry, H].
  virtual void start_backward(const Context&, const PlacedRows&, const Layer&,
                              const float* dfinal_state, float* carry) const = 0;
  virtual void backward(const Context&, const BackwardStep&) const = 0;
  // The gradient of h_0: what step 0, in later_gates, sends to the step before it. Writes dh_0
  // [slots][Hp], adds to `initial` [B, 1 + carry, H] where not null.
  virtual void backward_start(const Context&, const BackwardStep&, float* dh_0,
                              float* initial) const = 0;
};
std::unique_ptr<const Kernels> make_kernels(const RecurrentSpec& spec);

// weight_h as [Hp][Hp][gates]: of each unit of h, its weights to all units' gates; 0 to those that
// do not see h.
void turn_weights(const Context&, const Layer&, float* turned);

inline int chunks_of(const PlacedRows& rows) { return (rows.capacity + kChunk - 1) / kChunk; }

// Chunks as batches of their own, in so many integers.
std::size_t placed_chunks_size(const PlacedRows& rows);
void place_chunks(const Context&, const PlacedRows& rows, std::int32_t* placed);
PlacedRows placed_chunk(const PlacedRows& rows, const std::int32_t* placed, int chunk);

}  // namespace rwa::cuda::plain
