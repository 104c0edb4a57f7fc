// src/backend/cuda/plain_kernels.h: the host interface to the kernels of the plain path. H is
// padded to Hp, a multiple of 32. Steps are processed in chunks of kChunk. A chunk starts from the
// state that the previous one left, so that it can be rerun, and has its own tape.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/cuda/gates.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"
#include "backend/spec.h"

namespace rwa::cuda::plain {

inline constexpr int kChunk = 64;

// Sizes and parameter pointers. Gates are numbered as in cuda/gates.h.
struct Layer {
  Layer(const RecurrentSpec& spec, const float* parameters);

  int inputs, units, padded_units, gates;
  int stride;  // between rows of h and of its gradient
  CellTerms parts;
  const float *weight_x, *weight_h, *bias, *start;
};

// What a chunk leaves for its backward pass. Step t of a slot is row offset[t] - offset[first] +
// slot. Backward overwrites the saved values with gradients in the layout of cuda/gradients.h.
struct Tape {
  int first = 0;              // first step of the chunk
  float* gates = nullptr;     // [rows][Hp][gates]: what the cell saved, except its last value
  float* last = nullptr;      // [rows][Hp]: the last value that the cell saved
  float* h_before = nullptr;  // [rows][Hp]; 0 past a sequence's end and in padding
  // If `gates` is null nothing is kept, and h_before is double-buffered: [2][slots][Hp].
};

struct Batch {
  PlacedRows rows;
  bool reverse;                 // the layer reads from the last step to the first
  const float* x;               // [T,B,D]
  const std::int32_t* symbols;  // [T,B] instead of x; or null

  // Returns the row of a [T,B,·] array for step t of a slot, or -1 if the slot has no such step.
  [[nodiscard]] __device__ long source(int t, int slot) const {
    return rows.source(t, slot, reverse);
  }
};

struct ForwardStep {
  Batch in;
  Layer layer;
  Tape tape;
  float* state;    // [slots][1 + state][Hp]: h, then the cell's state
  float* h_every;  // [T,B] rows of H, or null
  int t;
  bool is_last;  // step of the chunk: h_before of the next step is not written
};

struct BackwardStep {
  Batch in;
  Layer layer;
  Tape tape;
  const float* weights;  // see turn_weights()
  // Gate gradients of step t + 1, [slots][Hp][gates]; null if they are on the tape.
  const float* later_gates;
  const float* state_before;  // [slots][1 + state][Hp] at the start of the chunk
  const float* dh_every;      // [T,B] rows of H, or null
  const float* dh_last;       // [B] rows of H, last_stride apart, or null
  std::size_t last_stride;
  float* carry;  // [slots][carry][Hp]
  int t;
};

// The kernels of one cell.
class Kernels {
 public:
  virtual ~Kernels() = default;
  // Writes the state before the first step. initial: [B, 1 + state, H], or null.
  virtual void start(const Context&, const PlacedRows&, const Layer&, const float* initial,
                     float* state) const = 0;
  // Writes h_before of the chunk's first step, from the state.
  virtual void begin_chunk(const Context&, const PlacedRows&, const Layer&, const Tape&,
                           const float* state) const = 0;
  virtual void forward(const Context&, const ForwardStep&) const = 0;
  // Writes h_last, [B] rows of H, and final_state, [B, 1 + state, H], each unless null.
  virtual void finish(const Context&, const PlacedRows&, const Layer&, const float* state,
                      float* h_last, float* final_state) const = 0;
  // Initialises `carry`, [slots][carry][Hp]: from dfinal_state, [B, 1 + carry, H], or with zeros if
  // that is null.
  virtual void start_backward(const Context&, const PlacedRows&, const Layer&,
                              const float* dfinal_state, float* carry) const = 0;
  virtual void backward(const Context&, const BackwardStep&) const = 0;
  // Computes the gradient of h_0 from the gate gradients of step 0, in later_gates. Writes dh_0
  // [slots][Hp] and adds to `initial` [B, 1 + carry, H] unless null.
  virtual void backward_start(const Context&, const BackwardStep&, float* dh_0,
                              float* initial) const = 0;
};
std::unique_ptr<const Kernels> make_kernels(const RecurrentSpec& spec);

// Transposes weight_h to [Hp][Hp][gates]: for each unit of h, its weights to the gates of all
// units; 0 for gates that do not see h.
void turn_weights(const Context&, const Layer&, float* turned);

inline int chunks_of(const PlacedRows& rows) { return (rows.capacity + kChunk - 1) / kChunk; }

// Row layouts of the chunks, each like a batch of its own, and their size in integers.
std::size_t placed_chunks_size(const PlacedRows& rows);
void place_chunks(const Context&, const PlacedRows& rows, std::int32_t* placed);
PlacedRows placed_chunk(const PlacedRows& rows, const std::int32_t* placed, int chunk);

}  // namespace rwa::cuda::plain
