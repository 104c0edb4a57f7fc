// src/backend/cuda/stem.cu: a stem's convolutions without their products. A warp works on one row,
// lane by column. Sums are formed in the order of the steps, as on the host, and have its bits.
#include <cstdint>

#include "backend/cuda/operations.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/sums.cuh"

namespace rwa::cuda {
namespace {

constexpr int kThreads = kLanes * kWarps;

// The index of the warp in the grid: its row, or its slot.
__device__ int warp_index() { return static_cast<int>(blockIdx.x * kWarps + threadIdx.y); }

// The row of the warp, or -1 if it has none.
__device__ int warp_row(const CountedRows& rows) {
  const int i = warp_index();
  return i < rows.size() ? rows[i] : -1;
}

template <class T>
__device__ T* row_at(T* numbers, std::int64_t row, int width) {
  return numbers + row * width;
}

// What the steps of a sequence see.
struct Seen {
  int width, kernel;
  const float* before;  // [B, kernel - 1, width], or null
  const float* x;       // [T,B,width]
};

// Copies a step and those before it, side by side, as many as `columns` are. `step` is -1 if the
// sequence has none.
__device__ void copy_steps(const Seen& in, int batch, int sequence, int step, int columns,
                           float* to) {
  const float* before =
      in.before == nullptr ? nullptr : row_at(in.before, sequence, (in.kernel - 1) * in.width);
  // Both are advanced by a warp's width, because a division per number would take longer than its
  // transfer.
  int ago = static_cast<int>(threadIdx.x) / in.width;
  int column = static_cast<int>(threadIdx.x) % in.width;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kLanes) {
    float value = 0.0f;
    if (ago <= step) {
      const std::int64_t row = static_cast<std::int64_t>(step - ago) * batch + sequence;
      value = row_at(in.x, row, in.width)[column];
    } else if (before != nullptr) {
      value = before[i - (step + 1) * in.width];
    }
    to[i] = value;
    ago += kLanes / in.width;
    column += kLanes % in.width;
    if (column >= in.width) {
      column -= in.width;
      ++ago;
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    unfold_kernel(const CountedRows rows, const Seen in, float* out) {
  const int row = warp_row(rows);
  if (row < 0) return;
  const int step = row / rows.batch();
  const int columns = in.kernel * in.width;
  copy_steps(in, rows.batch(), row - step * rows.batch(), step, columns, row_at(out, row, columns));
}

__global__ void __launch_bounds__(kThreads)
    last_steps_kernel(const CountedRows rows, const Seen in, float* after) {
  const int slot = warp_index();
  if (slot >= rows.batch()) return;
  const int columns = (in.kernel - 1) * in.width;
  const int sequence = rows.sequence(slot);
  copy_steps(in, rows.batch(), sequence, rows.length(slot) - 1, columns,
             row_at(after, sequence, columns));
}

__global__ void __launch_bounds__(kThreads)
    unfold_backward_kernel(const CountedRows rows, int width, int kernel, const float* dout,
                           float* dx) {
  const int row = warp_row(rows);
  if (row < 0) return;
  const int step = row / rows.batch();
  const int slot = warp_index() - step * rows.batch();
  const int seen = min(kernel, rows.length(slot) - step);  // by this step and those after it
  float* to = row_at(dx, row, width);
  // From one step's copy of this row to the next one's.
  const std::int64_t stride = (static_cast<std::int64_t>(rows.batch()) * kernel + 1) * width;
  for (int c = static_cast<int>(threadIdx.x); c < width; c += kLanes) {
    const float* from = row_at(dout, row, kernel * width) + c;
    float sum = to[c];
#pragma unroll 4
    for (int later = 0; later < seen; ++later) sum += from[later * stride];
    to[c] = sum;
  }
}

// Keeps what is not a number, so that a divergence shows.
__global__ void __launch_bounds__(kThreads)
    rectify_kernel(const CountedRows rows, int width, float* values) {
  const int row = warp_row(rows);
  if (row < 0) return;
  float* mine = row_at(values, row, width);
  for (int c = static_cast<int>(threadIdx.x); c < width; c += kLanes) {
    mine[c] = mine[c] < 0.0f ? 0.0f : mine[c];
  }
}

__global__ void __launch_bounds__(kThreads)
    rectify_backward_kernel(const CountedRows rows, int width, const float* values,
                            float* gradient) {
  const int row = warp_row(rows);
  if (row < 0) return;
  const float* value = row_at(values, row, width);
  float* mine = row_at(gradient, row, width);
  for (int c = static_cast<int>(threadIdx.x); c < width; c += kLanes) {
    if (value[c] == 0.0f) mine[c] = 0.0f;
  }
}

// Launches a kernel with a warp for each of `warps`.
template <class... Parameters, class... Arguments>
void launch(const Context& context, const char* what, void (*kernel)(CountedRows, Parameters...),
            const Rows& rows, int warps, Arguments... arguments) {
  if (warps == 0) return;
  const auto blocks = static_cast<unsigned>(divide_up(warps, kWarps));
  kernel<<<blocks, dim3(kLanes, kWarps), 0, context.stream>>>(CountedRows(rows), arguments...);
  check_launch(what);
}

}  // namespace

void unfold(const Context& context, int width, int kernel, const Rows& rows, const float* before,
            const float* x, float* out) {
  launch(context, "unfolding steps", unfold_kernel, rows, row_count(rows),
         Seen{width, kernel, before, x}, out);
}

void unfold_backward(const Context& context, int width, int kernel, const Rows& rows,
                     const float* dout, float* dx) {
  launch(context, "the gradient of unfolded steps", unfold_backward_kernel, rows, row_count(rows),
         width, kernel, dout, dx);
}

void last_steps(const Context& context, int width, int kernel, const Rows& rows,
                const float* before, const float* x, float* after) {
  launch(context, "the last steps", last_steps_kernel, rows, rows.batch,
         Seen{width, kernel, before, x}, after);
}

void rectify(const Context& context, int width, const Rows& rows, float* values) {
  launch(context, "the rectifier", rectify_kernel, rows, row_count(rows), width, values);
}

void rectify_backward(const Context& context, int width, const Rows& rows, const float* values,
                      float* gradient) {
  launch(context, "the gradient of the rectifier", rectify_backward_kernel, rows, row_count(rows),
         width, values, gradient);
}

}  // namespace rwa::cuda
