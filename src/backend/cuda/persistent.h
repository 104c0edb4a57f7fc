// src/backend/cuda/persistent.h: a recurrent layer in one kernel per direction. Sequences are
// independent of each other, so that a cluster of blocks takes a slice of the batch through all
// steps, and no two clusters ever wait for each other. A block of the cluster has 32 units: their
// weights stay on its chip for the whole sequence, and so does their state. Forward, a block needs
// all of h and makes its own 32 units of the next; it sends these to every block. Backward, it has
// the gradients of its own units' gates and makes a share of dh of all units; it sends to every
// block the share of that block's units. Either is 128 bytes for a row of the batch and a block.
//
// Products are exact, fp32 times fp32, or split: each number is the sum of two halves, and three of
// the four products of halves go to the tensor cores (Ootomo & Yokota 2022). See cuda/pack.h.
#pragma once

#include <cuda_fp16.h>

#include <memory>
#include <optional>

#include "backend/backend.h"
#include "backend/cuda/pack.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// With few features the gradient of weight_x and bias is summed inside the kernel.
inline constexpr int kFewInputs = 4;

// x as the kernels read it.
struct Features {
  Features() = default;
  explicit Features(const RecurrentSpec& spec)
      : width(spec.symbols ? 1 : (has_input_table(spec) ? 0 : spec.inputs)),
        weights(has_input_table(spec) ? 0 : spec.inputs) {}

  int width = 0;    // numbers of a row that pass through shared memory: features, or a symbol
  int weights = 0;  // features whose weights lie there: all, or none, and there is a table

  [[nodiscard]] __host__ __device__ bool in_table() const { return weights == 0; }
  [[nodiscard]] __host__ __device__ bool is_summed() const {
    return !in_table() && weights <= kFewInputs;
  }
};

// What the two kernels have in common. Gates and pre-activations are those of cuda/gates.h.
struct KernelBatch {
  PlacedRows rows;
  Features features;
  const void* x = nullptr;        // [T,B,width]: floats, or symbols
  const float* x_part = nullptr;  // the table: [symbol, or row of x][preactivations][Hp]
  int batch = 0, units = 0;
  int h_stride = 0;        // from one row of h, or of its gradient, to the next
  bool reverse = false;    // step t is step length - 1 - t of x, of h and of its gradient
  int begin = 0, end = 0;  // steps to take, where the sequences have them
  int chunk = 0;           // steps of x that are in shared memory at a time
  // `saved` holds the steps from `begin` on, not all.
  bool saved_from_begin = false;
};

struct ForwardArguments {
  KernelBatch in;
  Packed weights;
  const float* initial_state = nullptr;  // [B, 1 + state, H] at `begin`; null: the start
  float* final_state = nullptr;
  float* h_every = nullptr;  // [T,B,H], in rows of h_stride, and so are the others of this shape
  float* h_last = nullptr;   // [B,H]
  // The tape: what the cell saved, [rows][saved][Hp], and what each step saw of the step before.
  float* saved = nullptr;
  __half* h_high = nullptr;  // [rows][Hp], split products
  __half* h_low = nullptr;
  float* h_before = nullptr;  // [rows][Hp], exact products
};

struct BackwardArguments {
  KernelBatch in;
  Packed weights;
  const float* initial_state = nullptr;  // at `begin`
  const float* saved = nullptr;
  const float* dh_every = nullptr;  // [T,B,H]
  const float* dh_last = nullptr;   // [B,H], in rows of last_stride
  int last_stride = 0;
  // A row of dh_last goes on with what comes to the carried numbers after the last step.
  bool last_has_carry = false;
  // From and to the neighbouring chunks: the gradient of h, then of the carried numbers, after
  // step `end` and before step `begin`, [1 + carry][slots][Hp]. May be the same memory. Without
  // `later` this is the last chunk, and x_sums starts at zero.
  const float* later = nullptr;
  float* earlier = nullptr;
  float* delta = nullptr;        // [rows][Hp][gates]
  float* delta_max = nullptr;    // [rows][Hp / 32], split products
  float* delta_input = nullptr;  // [rows][Hp], where somebody needs it
  float* x_sums = nullptr;       // [slots][1 + D][preactivations][Hp], the bias first; few inputs
};

// How a layer is spread over blocks and threads.
struct Shape {
  int blocks = 1;     // of a cluster: 32 units each
  int splits = 2;     // warps that share a product; a block has 4 of these groups
  int row_tiles = 1;  // of 8 rows, in a slice
  int slices = 1;     // of the batch
  Product product = Product::kSplit;
  [[nodiscard]] int slice_rows() const { return 8 * row_tiles; }
  [[nodiscard]] int threads() const { return 128 * splits; }
};

// Steps of x that fit beside the rest, at least one.
inline int chunk_steps(const Shape& shape, const Features& features) {
  constexpr int kNumbers = 2048;
  const int steps = kNumbers / (shape.slice_rows() * (features.width > 0 ? features.width : 1));
  return steps < 1 ? 1 : (steps > 32 ? 32 : steps);
}

// One cell's kernels, compiled in a file of its own.
class PersistentKernels {
 public:
  virtual ~PersistentKernels() = default;
  virtual void forward(const Context&, const Shape&, const ForwardArguments&) const = 0;
  virtual void backward(const Context&, const Shape&, const BackwardArguments&) const = 0;
  // How many clusters of this shape the device runs at a time; 0: it does not fit.
  [[nodiscard]] virtual int clusters(const Context&, const Shape&, const Features&) const = 0;
  // Numbers that the cell saves per unit and step.
  [[nodiscard]] virtual int saved() const = 0;
};

const PersistentKernels* rwa_kernels(Activation activation);
const PersistentKernels* rwa_forget_kernels(Activation activation);
const PersistentKernels* lstm_kernels(Activation activation);
const PersistentKernels* gru_kernels(Activation activation);

// The products with which the layer runs in persistent kernels on this device; nothing: it takes
// the plain path. Throws ConfigError where another was asked for and the layer does not fit.
std::optional<Product> persistent_product(const Context& context, const RecurrentSpec& spec);

// For a layer that has them, one of `beside` that run side by side. Its weights are cuda::Weights.
std::unique_ptr<RecurrentPass<float>> make_persistent_pass(const RecurrentSpec& spec,
                                                           const Context& context, int beside);

// What many features add to the pre-activations, for all steps before the first: writes W x + b to
// x_part [T,B,preactivations,Hp], for the rows that count. Sums are in fp32, each in the order of
// the features. `weights` are of a layer that has a table (cuda/pack.h).
void multiply_inputs(const Context&, const PackedSizes&, const Packed& weights, const Rows&,
                     const float* x, float* x_part);

// What the backward kernel leaves per slot, added up over the batch in a fixed order.
// x_sums: [slots][1 + D][preactivations][Hp], the bias first, to weight_x and bias of `parameters`.
void add_x_sums(const Context&, const RecurrentSpec&, const PlacedRows& rows, const float* x_sums,
                int padded_units, float* parameters);

// earlier: [1 + carry][slots][Hp], to `initial` [B, 1 + carry, H].
void add_initial_gradients(const Context&, const RecurrentSpec&, const PlacedRows& rows,
                           const float* earlier, int padded_units, float* initial);

}  // namespace rwa::cuda
