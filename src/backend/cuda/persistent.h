// src/backend/cuda/persistent.h: a recurrent layer in one kernel per direction. Sequences are
// independent, so one thread block cluster runs a slice of the batch through all steps, and
// clusters never synchronise with each other. A block owns 32 or 64 units; their weights and state
// stay on chip for the whole sequence. Forward, a block needs all of h and computes its units of
// the next h, which it sends to every block. Backward, it has the gradients of its own gates and
// computes a share of dh for all units; it sends each block the share for that block's units.
// Either way a block sends 4 bytes per row, unit of its own and receiving block.
//
// Products are exact (fp32) or split: each factor is the sum of two fp16 halves, and the tensor
// cores compute three of the four products of halves (Ootomo & Yokota 2022). See cuda/pack.h.
#pragma once

#include <cuda_fp16.h>

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/pack.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Up to this many features, the kernel itself sums the gradients of weight_x and bias.
inline constexpr int kFewInputs = 4;

// How the kernels read x.
struct Features {
  Features() = default;
  explicit Features(const RecurrentSpec& spec)
      : width(spec.symbols ? 1 : (has_input_table(spec) ? 0 : spec.inputs)),
        weights(has_input_table(spec) ? 0 : spec.inputs) {}

  int width = 0;    // values per row staged in shared memory: features, or one symbol
  int weights = 0;  // features with weights in shared memory: all, or 0 if there is a table

  [[nodiscard]] __host__ __device__ bool in_table() const { return weights == 0; }
  [[nodiscard]] __host__ __device__ bool is_summed() const {
    return !in_table() && weights <= kFewInputs;
  }
};

// Arguments of both kernels. Gates and pre-activations are numbered as in cuda/gates.h.
struct KernelBatch {
  PlacedRows rows;
  Features features;
  const void* x = nullptr;        // [T,B,width]: float or int32 symbols
  const float* x_part = nullptr;  // the table: [symbol or row of x][preactivations][Hp]
  int batch = 0, units = 0;
  int h_stride = 0;        // between rows of h and of its gradient
  bool reverse = false;    // step t reads and writes step length - 1 - t of x, h and dh
  int begin = 0, end = 0;  // steps to run, as far as sequences have them
  int chunk = 0;           // steps of x in shared memory at a time
  // `saved` starts at step `begin` instead of 0.
  bool saved_from_begin = false;
};

struct ForwardArguments {
  KernelBatch in;
  Packed weights;
  const float* initial_state = nullptr;  // [B, 1 + state, H] at `begin`; null: start of sequence
  float* final_state = nullptr;
  float* h_every = nullptr;  // [T,B,H], rows h_stride apart, as in all arrays of this shape
  float* h_last = nullptr;   // [B,H]
  // The tape: what the cell saved, in SavedLines, and the h that each step read.
  float* saved = nullptr;
  __half* h_high = nullptr;  // [rows][Hp], for split products
  __half* h_low = nullptr;
  float* h_before = nullptr;  // [rows][Hp], for exact products

  [[nodiscard]] bool has_tape() const {
    return saved != nullptr || h_high != nullptr || h_before != nullptr;
  }
};

struct BackwardArguments {
  KernelBatch in;
  Packed weights;
  const float* initial_state = nullptr;  // at `begin`
  const float* saved = nullptr;
  const float* dh_every = nullptr;  // [T,B,H]
  const float* dh_last = nullptr;   // [B,H], rows last_stride apart
  int last_stride = 0;
  // Each row of dh_last continues with the gradient of the carried values after the last step.
  bool last_has_carry = false;
  // Gradients of h and of the carried values at the chunk's borders, [1 + carry][slots][Hp]: read
  // from `later` (after step end - 1), written to `earlier` (before step `begin`). Both may be the
  // same memory. If `later` is null, this is the last chunk, and x_sums starts at zero.
  const float* later = nullptr;
  float* earlier = nullptr;
  float* delta = nullptr;        // [rows][Hp][gates]
  float* delta_max = nullptr;    // [rows][Hp / 32], for split products
  float* delta_input = nullptr;  // [rows][Hp]; null if not needed
  float* x_sums = nullptr;       // [slots][1 + D][preactivations][Hp], bias first; few inputs only
};

// How a layer and a batch map to clusters, blocks and warps.
struct Shape {
  int blocks = 1;  // per cluster
  int block_units = 32;
  int warps = 8;   // per block
  int rows = 8;    // of the batch per slice
  int slices = 1;  // of the batch: one cluster each
  Product product = Product::kSplit;
  [[nodiscard]] int threads() const { return 32 * warps; }
};

// Steps of x to keep in shared memory, at least one.
inline int chunk_steps(const Shape& shape, const Features& features) {
  constexpr int kNumbers = 2048;
  const int steps = kNumbers / (shape.rows * (features.width > 0 ? features.width : 1));
  return steps < 1 ? 1 : (steps > 32 ? 32 : steps);
}

// One cell's kernels. Each cell is compiled in its own file.
class PersistentKernels {
 public:
  virtual ~PersistentKernels() = default;
  virtual void forward(const Context&, const Shape&, const ForwardArguments&) const = 0;
  virtual void backward(const Context&, const Shape&, const BackwardArguments&) const = 0;
  // The shapes that the kernels have for this layer, from the smallest slices to the largest. All
  // give the same bits.
  [[nodiscard]] virtual std::vector<Shape> shapes(const PackedSizes&) const = 0;
  // How many clusters of this shape the device holds at a time; 0: the shape does not fit.
  [[nodiscard]] virtual int clusters(const Context&, const Shape&, const Features&) const = 0;
  // Values that the cell saves per unit and step.
  [[nodiscard]] virtual int saved() const = 0;
};

const PersistentKernels* rwa_kernels(Activation activation);
const PersistentKernels* rwa_forget_kernels(Activation activation);
const PersistentKernels* lstm_kernels(Activation activation);
const PersistentKernels* gru_kernels(Activation activation);

// Returns the products that the layer's persistent kernels use on this device; empty: the layer
// takes the plain path. Throws ConfigError if RWA_CUDA forces a path that the layer does not fit.
std::optional<Product> persistent_product(const Context& context, const RecurrentSpec& spec);

// For a layer with a persistent_product(). `beside` passes run concurrently, including this one.
// The weights are cuda::Weights.
std::unique_ptr<RecurrentPass<float>> make_persistent_pass(const RecurrentSpec& spec,
                                                           const Context& context, int beside);

// Writes W x + b for all steps at once to x_part [T,B,preactivations,Hp], skipping padding rows.
// Sums are fp32, in the order of the features. The layer must have a table (cuda/pack.h).
void multiply_inputs(const Context&, const PackedSizes&, const Packed& weights, const Rows&,
                     const float* x, float* x_part);

// Sums x_sums [slots][1 + D][preactivations][Hp], bias first, over the slots in a fixed order and
// adds the result to weight_x and bias of `parameters`.
void add_x_sums(const Context&, const RecurrentSpec&, const PlacedRows& rows, const float* x_sums,
                int padded_units, float* parameters);

// Adds earlier [1 + carry][slots][Hp] to `initial` [B, 1 + carry, H].
void add_initial_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                           const float* earlier, int padded_units, float* initial);

}  // namespace rwa::cuda
