// src/backend/cuda/plain.cu: one step of a recurrent layer per launch. Launches on one stream run
// in order, so that each step reads what the previous one left in global memory.
#include "backend/cuda/cells.cuh"
#include "backend/cuda/plain_kernels.cuh"
#include "backend/cuda/plain_kernels.h"

namespace rwa::cuda::plain {
namespace {

constexpr int kGateColumns = 64;  // per tile, forward
constexpr int kBackwardUnits = 32;

template <class C>
struct ForwardTile {
  // Columns are [pre-activation][unit], the gates first.
  static constexpr int kUnits = kGateColumns / C::kGates;
  static constexpr int kInputColumns = C::kInputs * kUnits;
  static constexpr int kColumns = kGateColumns + kInputColumns;
  static constexpr int kShared = shared_size(kColumns, kColumns);
};
template <class C>
struct BackwardTile {
  // Columns are units: first for dh, then for the pre-activation that sees only x.
  static constexpr int kInputColumns = C::kInputs * kBackwardUnits;
  static constexpr int kColumns = kBackwardUnits + kInputColumns;
  static constexpr int kShared = shared_size(kBackwardUnits, kColumns);
};

__device__ float* shared_memory() {
  extern __shared__ float4 memory[];
  return reinterpret_cast<float*>(memory);
}
template <class Tile>
constexpr std::size_t shared_bytes() {
  return sizeof(float) * Tile::kShared;
}

__device__ std::size_t tape_row(const PlacedRows& rows, const Tape& tape, int t) {
  return static_cast<std::size_t>(tape.gates != nullptr ? rows.offset[t] - rows.offset[tape.first]
                                                        : (t & 1) * rows.slots);
}

// Fetches a tile of x: 32 features of the slots from `slot` on, at step t.
__device__ void fetch_x(float* tile, const Batch& in, int inputs, int t, int slot, int feature) {
  fetch_tile<kTileRows>(tile, [&](int row, int depth) -> const float* {
    if (feature + depth >= inputs) return nullptr;
    const long source = in.source(t, slot + row);
    return source < 0 ? nullptr : in.x + source * inputs + feature + depth;
  });
}

// Fetches rows of weight_x, [pre-activation][unit], from `preactivation` and `unit` on; 0 for
// pre-activations that do not see x.
template <int Columns, int Units>
__device__ void fetch_weight_x(float* tile, const Layer& layer, int preactivation, int unit,
                               int feature) {
  fetch_tile<Columns>(tile, [&](int column, int depth) -> const float* {
    const int p = preactivation + column / Units;
    const int u = unit + column % Units;
    if (!layer.parts.x.has(p) || u >= layer.units || feature + depth >= layer.inputs) {
      return nullptr;
    }
    const int row = layer.parts.x.block(p) * layer.units + u;
    return layer.weight_x + static_cast<std::size_t>(row) * layer.inputs + feature + depth;
  });
}

__device__ int tiles_deep(int depth) { return (depth + kTileDepth - 1) / kTileDepth; }
// Tiles of x. Symbols need none: their column of weight_x is added to the sums directly.
__device__ int x_tiles(const Batch& in, const Layer& layer) {
  return in.symbols == nullptr ? tiles_deep(layer.inputs) : 0;
}

// A thread block's position in the grid.
struct Block {
  int slot, unit;  // first slot and unit of its tile
};

// Leaves the tile's pre-activations, without biases, in shared memory.
template <class C>
__device__ void forward_product(const ForwardStep& s, Block block, int slots, float* shared) {
  using Tile = ForwardTile<C>;
  const Layer& layer = s.layer;
  const int h_tiles = tiles_deep(layer.units);
  const float* h =
      s.tape.h_before + (tape_row(s.in.rows, s.tape, s.t) + block.slot) * layer.padded_units;
  const auto fetch = [&](int i, int stage) {
    float* rows = shared + stage * stage_size(Tile::kColumns);
    float* columns = rows + kTileRows * kTileStride;
    if (i >= h_tiles) {
      const int feature = (i - h_tiles) * kTileDepth;
      fetch_x(rows, s.in, layer.inputs, s.t, block.slot, feature);
      fetch_weight_x<Tile::kColumns, Tile::kUnits>(columns, layer, 0, block.unit, feature);
      return;
    }
    const int first = i * kTileDepth;
    fetch_tile_in_fours<kTileRows>(rows, [&](int row, int depth) -> const float* {
      if (block.slot + row >= slots) return nullptr;
      return h + static_cast<std::size_t>(row) * layer.padded_units + first + depth;
    });
    fetch_tile<kGateColumns>(columns, [&](int column, int depth) -> const float* {
      const int gate = column / Tile::kUnits;
      const int unit = block.unit + column % Tile::kUnits;
      if (!layer.parts.h.has(gate) || unit >= layer.units || first + depth >= layer.units) {
        return nullptr;
      }
      const int row = layer.parts.h.block(gate) * layer.units + unit;
      return layer.weight_h + static_cast<std::size_t>(row) * layer.units + first + depth;
    });
  };
  Sums<kGateColumns> gates;
  Sums<Tile::kInputColumns> inputs;
  pipeline<kStages>(h_tiles + x_tiles(s.in, layer), fetch, [&](int i, int stage) {
    const float* rows = shared + stage * stage_size(Tile::kColumns);
    const float* columns = rows + kTileRows * kTileStride;
    gates.add(rows, columns);
    if (i >= h_tiles) inputs.add(rows, columns + kGateColumns * kTileStride);
  });
  gates.leave(shared, 0, Tile::kColumns);
  inputs.leave(shared, kGateColumns, Tile::kColumns);
  __syncthreads();
}

// The bias of a unit's pre-activation.
__device__ float bias_of(const Layer& layer, int preactivation, int unit) {
  const TermBits& bias = layer.parts.bias;
  if (!bias.has(preactivation)) return 0.0f;
  return layer.bias[bias.block(preactivation) * layer.units + unit];
}
// The terms of a pre-activation that need no product: the bias, and the weight of a symbol.
__device__ float given(const Layer& layer, const Batch& in, long source, int preactivation,
                       int unit) {
  const float bias = bias_of(layer, preactivation, unit);
  const TermBits& sees_x = layer.parts.x;
  if (in.symbols == nullptr || !sees_x.has(preactivation)) return bias;
  const int row = sees_x.block(preactivation) * layer.units + unit;
  const float* weights = layer.weight_x + static_cast<std::size_t>(row) * layer.inputs;
  return weights[in.symbols[source]] + bias;
}

// What the cell saves per gate, contiguous.
template <class C>
struct alignas(sizeof(float) * C::kGates) Gates {
  float values[C::kGates];
};

// Runs the cell for one unit of a slot that has this step. row, column: its place in the tile whose
// sums are in `shared`.
template <class C>
__device__ float forward_cell(const ForwardStep& s, const float* shared, int row, int column,
                              int slot, int unit) {
  const Layer& layer = s.layer;
  const long source = s.in.source(s.t, slot);
  float pre[C::kGates + C::kInputs];
#pragma unroll
  for (int p = 0; p < C::kGates + C::kInputs; ++p) {
    pre[p] = take_sum(shared, row, p * ForwardTile<C>::kUnits + column, ForwardTile<C>::kColumns) +
             given(layer, s.in, source, p, unit);
  }
  float* at =
      s.state + static_cast<std::size_t>(slot) * (1 + C::kState) * layer.padded_units + unit;
  float state[C::kState];
#pragma unroll
  for (int i = 0; i < C::kState; ++i) state[i] = at[(1 + i) * layer.padded_units];
  float saved[C::kSaved];
  const float h = C::forward(pre, state, saved);
  at[0] = h;
#pragma unroll
  for (int i = 0; i < C::kState; ++i) at[(1 + i) * layer.padded_units] = state[i];
  if (s.tape.gates != nullptr) {
    const std::size_t place = (tape_row(s.in.rows, s.tape, s.t) + slot) * layer.padded_units + unit;
    Gates<C> gates;
#pragma unroll
    for (int g = 0; g < C::kGates; ++g) gates.values[g] = saved[g];
    reinterpret_cast<Gates<C>*>(s.tape.gates)[place] = gates;
    s.tape.last[place] = saved[C::kGates];
  }
  if (s.h_every != nullptr) s.h_every[source * layer.stride + unit] = h;
  return h;
}

template <class C>
__global__ void __launch_bounds__(kThreads, 2) forward_step(const ForwardStep s) {
  using Tile = ForwardTile<C>;
  float* shared = shared_memory();
  const Block block = {static_cast<int>(blockIdx.y) * kTileRows,
                       static_cast<int>(blockIdx.x) * Tile::kUnits};
  const int slots = slots_at(s.in.rows, s.t);
  if (block.slot >= slots) return;
  forward_product<C>(s, block, slots, shared);

  const int next_slots = s.is_last ? 0 : slots_at(s.in.rows, s.t + 1);
  float* next = next_slots == 0
                    ? nullptr
                    : s.tape.h_before + tape_row(s.in.rows, s.tape, s.t + 1) * s.layer.padded_units;
  for (int i = thread(); i < kTileRows * Tile::kUnits; i += kThreads) {
    const int row = i / Tile::kUnits;
    const int column = i % Tile::kUnits;
    const int slot = block.slot + row;
    const int unit = block.unit + column;
    if (slot >= slots) break;
    const int length = s.in.rows.length[slot];
    float h = 0.0f;
    if (unit < s.layer.units && s.t < length) {
      h = forward_cell<C>(s, shared, row, column, slot, unit);
    }
    if (slot < next_slots) {
      next[static_cast<std::size_t>(slot) * s.layer.padded_units + unit] =
          s.t + 1 < length ? h : 0.0f;
    }
  }
}

// Leaves two products in shared memory: dh from the gates of step t + 1, and the pre-activation
// that sees only x. later_slots: the number of slots of step t + 1.
template <class C, bool SeesX>
__device__ void backward_product(const BackwardStep& s, Block block, int later_slots,
                                 float* shared) {
  using Tile = BackwardTile<C>;
  const Layer& layer = s.layer;
  const std::size_t width = static_cast<std::size_t>(layer.padded_units) * C::kGates;
  const int gate_tiles = block.slot < later_slots ? tiles_deep(static_cast<int>(width)) : 0;
  const float* gates = s.later_gates != nullptr || gate_tiles == 0
                           ? s.later_gates
                           : s.tape.gates + tape_row(s.in.rows, s.tape, s.t + 1) * width;
  const auto fetch = [&](int i, int stage) {
    float* rows = shared + stage * stage_size(kBackwardUnits);
    float* columns = rows + kTileRows * kTileStride;
    if (i >= gate_tiles) {
      const int feature = (i - gate_tiles) * kTileDepth;
      fetch_x(rows, s.in, layer.inputs, s.t, block.slot, feature);
      fetch_weight_x<kBackwardUnits, kBackwardUnits>(columns, layer, C::kGates, block.unit,
                                                     feature);
      return;
    }
    const int first = i * kTileDepth;
    fetch_tile_in_fours<kTileRows>(rows, [&](int row, int depth) -> const float* {
      const int slot = block.slot + row;
      return slot < later_slots ? gates + slot * width + first + depth : nullptr;
    });
    fetch_tile_in_fours<kBackwardUnits>(columns, [&](int column, int depth) {
      return s.weights + (block.unit + column) * width + first + depth;
    });
  };
  Sums<kBackwardUnits> dh;
  Sums<Tile::kInputColumns> inputs;
  const int tiles = gate_tiles + (SeesX ? x_tiles(s.in, layer) : 0);
  pipeline<kStages>(tiles, fetch, [&](int i, int stage) {
    const float* rows = shared + stage * stage_size(kBackwardUnits);
    const float* columns = rows + kTileRows * kTileStride;
    if (i < gate_tiles) {
      dh.add(rows, columns);
    } else {
      inputs.add(rows, columns);
    }
  });
  dh.leave(shared, 0, Tile::kColumns);
  inputs.leave(shared, kBackwardUnits, Tile::kColumns);
  __syncthreads();
}

// The first value of the cell's state before step t.
template <class C>
__device__ float memory_before(const BackwardStep& s, int slot, int unit) {
  const int padded = s.layer.padded_units;
  if (s.t == s.tape.first) {
    return s.state_before[(static_cast<std::size_t>(slot) * (1 + C::kState) + 1) * padded + unit];
  }
  return s.tape.last[(tape_row(s.in.rows, s.tape, s.t - 1) + slot) * padded + unit];
}

// The gradient of h from the loss at step t; t = -1 is the initial h of empty sequences.
__device__ float from_loss(const BackwardStep& s, int slot, int unit) {
  const PlacedRows& rows = s.in.rows;
  float sum = 0.0f;
  if (s.dh_every != nullptr && s.t >= 0) {
    sum = s.dh_every[s.in.source(s.t, slot) * s.layer.stride + unit];
  }
  if (s.dh_last != nullptr && rows.length[slot] == s.t + 1) {
    sum += s.dh_last[static_cast<std::size_t>(rows.sequence[slot]) * s.last_stride + unit];
  }
  return sum;
}

// Runs the cell backward for one unit; replaces `saved` by gradients.
template <class C>
__device__ void backward_cell(const BackwardStep& s, const float* shared, int row, int column,
                              int slot, int unit, float* saved) {
  using Tile = BackwardTile<C>;
  const Layer& layer = s.layer;
  const float dh = take_sum(shared, row, column, Tile::kColumns) + from_loss(s, slot, unit);
  float inputs[C::kInputs + 1];
#pragma unroll
  for (int i = 0; i < C::kInputs; ++i) {
    inputs[i] = take_sum(shared, row, (1 + i) * kBackwardUnits + column, Tile::kColumns) +
                given(layer, s.in, s.in.source(s.t, slot), C::kGates + i, unit);
  }
  float* at = s.carry + static_cast<std::size_t>(slot) * C::kCarry * layer.padded_units + unit;
  float carry[C::kCarry];
#pragma unroll
  for (int i = 0; i < C::kCarry; ++i) carry[i] = at[i * layer.padded_units];
  C::backward(dh, C::output(saved), inputs, memory_before<C>(s, slot, unit), saved, carry);
#pragma unroll
  for (int i = 0; i < C::kCarry; ++i) at[i * layer.padded_units] = carry[i];
}

template <class C>
__global__ void __launch_bounds__(kThreads, 2) backward_step(const BackwardStep s) {
  float* shared = shared_memory();
  const Block block = {static_cast<int>(blockIdx.y) * kTileRows,
                       static_cast<int>(blockIdx.x) * kBackwardUnits};
  const int slots = slots_at(s.in.rows, s.t);
  if (block.slot >= slots) return;
  backward_product<C, (C::kInputs > 0)>(s, block, slots_at(s.in.rows, s.t + 1), shared);

  const std::size_t tape = tape_row(s.in.rows, s.tape, s.t);
  for (int i = thread(); i < kTileRows * kBackwardUnits; i += kThreads) {
    const int row = i / kBackwardUnits;
    const int column = i % kBackwardUnits;
    const int slot = block.slot + row;
    const int unit = block.unit + column;
    if (slot >= slots) break;
    const std::size_t place = (tape + slot) * s.layer.padded_units + unit;
    Gates<C> gates = {};
    float last = 0.0f;
    if (unit < s.layer.units && s.t < s.in.rows.length[slot]) {
      gates = reinterpret_cast<const Gates<C>*>(s.tape.gates)[place];
      float saved[C::kSaved];
#pragma unroll
      for (int g = 0; g < C::kGates; ++g) saved[g] = gates.values[g];
      saved[C::kGates] = s.tape.last[place];
      backward_cell<C>(s, shared, row, column, slot, unit, saved);
#pragma unroll
      for (int g = 0; g < C::kGates; ++g) gates.values[g] = saved[g];
      last = saved[C::kGates];
    }
    reinterpret_cast<Gates<C>*>(s.tape.gates)[place] = gates;
    if (C::kInputs > 0) s.tape.last[place] = last;
  }
}

template <class C>
__global__ void __launch_bounds__(kThreads, 2)
    backward_start(const BackwardStep s, float* dh_0, float* initial) {
  using Tile = BackwardTile<C>;
  float* shared = shared_memory();
  const Block block = {static_cast<int>(blockIdx.y) * kTileRows,
                       static_cast<int>(blockIdx.x) * kBackwardUnits};
  backward_product<C, false>(s, block, slots_at(s.in.rows, 0), shared);

  const Layer& layer = s.layer;
  for (int i = thread(); i < kTileRows * kBackwardUnits; i += kThreads) {
    const int row = i / kBackwardUnits;
    const int column = i % kBackwardUnits;
    const int slot = block.slot + row;
    const int unit = block.unit + column;
    const int sequence = s.in.rows.sequence[slot];
    float dh = 0.0f;
    if (sequence >= 0 && unit < layer.units) {
      dh = take_sum(shared, row, column, Tile::kColumns) + from_loss(s, slot, unit);
      if (initial != nullptr) {
        float* to = initial + static_cast<std::size_t>(sequence) * (1 + C::kCarry) * layer.units;
        const float* carry =
            s.carry + static_cast<std::size_t>(slot) * C::kCarry * layer.padded_units;
        to[unit] += dh;
        for (int c = 0; c < C::kCarry; ++c) {
          to[(1 + c) * layer.units + unit] += carry[c * layer.padded_units + unit];
        }
      }
    }
    dh_0[static_cast<std::size_t>(slot) * layer.padded_units + unit] = dh;
  }
}

// One thread per slot and unit.
constexpr int kUnitThreads = 128;
dim3 unit_grid(const PlacedRows& rows, const Layer& layer) {
  return {static_cast<unsigned>(rows.slots),
          static_cast<unsigned>((layer.padded_units + kUnitThreads - 1) / kUnitThreads)};
}
__device__ int this_slot() { return static_cast<int>(blockIdx.x); }
__device__ int this_unit() {
  return static_cast<int>(blockIdx.y) * kUnitThreads + static_cast<int>(threadIdx.x);
}

template <class C>
__global__ void start_state(const PlacedRows rows, const Layer layer, const float* initial,
                            float* state) {
  constexpr auto tables = cells::make_tables<C>();
  const int slot = this_slot();
  const int unit = this_unit();
  if (unit >= layer.padded_units) return;
  const int sequence = rows.sequence[slot];
  const bool is_there = sequence >= 0 && unit < layer.units;
  const float* from =
      initial == nullptr || !is_there
          ? nullptr
          : initial + static_cast<std::size_t>(sequence) * (1 + C::kState) * layer.units + unit;
  float* to = state + static_cast<std::size_t>(slot) * (1 + C::kState) * layer.padded_units + unit;
  float h = 0.0f;
  if (from != nullptr) {
    h = from[0];
  } else if (C::kLearnedStart && is_there) {
    h = C::Activation::apply(layer.start[unit]);
  }
  to[0] = h;
#pragma unroll
  for (int i = 0; i < C::kState; ++i) {
    to[(1 + i) * layer.padded_units] =
        from != nullptr ? from[(1 + i) * layer.units] : tables.initial_state[i];
  }
}

template <class C>
__global__ void first_h_before(const PlacedRows rows, const Layer layer, const Tape tape,
                               const float* state) {
  const int slot = this_slot();
  const int unit = this_unit();
  if (unit >= layer.padded_units || slot >= slots_at(rows, tape.first)) return;
  const float h =
      state[static_cast<std::size_t>(slot) * (1 + C::kState) * layer.padded_units + unit];
  tape.h_before[(tape_row(rows, tape, tape.first) + slot) * layer.padded_units + unit] =
      unit < layer.units && tape.first < rows.length[slot] ? h : 0.0f;
}

template <class C>
__global__ void final_outputs(const PlacedRows rows, const Layer layer, const float* state,
                              float* h_last, float* final_state) {
  const int unit = this_unit();
  const int sequence = rows.sequence[this_slot()];
  if (unit >= layer.units || sequence < 0) return;
  const float* from =
      state + static_cast<std::size_t>(this_slot()) * (1 + C::kState) * layer.padded_units + unit;
  const auto row = static_cast<std::size_t>(sequence);
  if (h_last != nullptr) h_last[row * layer.stride + unit] = from[0];
  if (final_state == nullptr) return;
  float* to = final_state + row * (1 + C::kState) * layer.units + unit;
  for (int i = 0; i < 1 + C::kState; ++i) to[i * layer.units] = from[i * layer.padded_units];
}

template <class C>
__global__ void start_carry(const PlacedRows rows, const Layer layer, const float* dfinal_state,
                            float* carry) {
  const int unit = this_unit();
  if (unit >= layer.padded_units) return;
  const int sequence = rows.sequence[this_slot()];
  const bool is_there = dfinal_state != nullptr && sequence >= 0 && unit < layer.units;
  const float* from = is_there ? dfinal_state +
                                     static_cast<std::size_t>(sequence) * (1 + C::kCarry) *
                                         layer.units +
                                     unit
                               : nullptr;
  float* to =
      carry + static_cast<std::size_t>(this_slot()) * C::kCarry * layer.padded_units + unit;
#pragma unroll
  for (int c = 0; c < C::kCarry; ++c) {
    to[c * layer.padded_units] = is_there ? from[(1 + c) * layer.units] : 0.0f;
  }
}

template <class C>
class KernelsOf final : public Kernels {
  using Forward = ForwardTile<C>;
  using Backward = BackwardTile<C>;

 public:
  KernelsOf() {
    check(cudaFuncSetAttribute(forward_step<C>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes<Forward>())),
          "the plain forward kernel");
  }
  void start(const Context& context, const PlacedRows& rows, const Layer& layer,
             const float* initial, float* state) const override {
    start_state<C>
        <<<unit_grid(rows, layer), kUnitThreads, 0, context.stream>>>(rows, layer, initial, state);
    check_launch("start_state");
  }
  void begin_chunk(const Context& context, const PlacedRows& rows, const Layer& layer,
                   const Tape& tape, const float* state) const override {
    first_h_before<C>
        <<<unit_grid(rows, layer), kUnitThreads, 0, context.stream>>>(rows, layer, tape, state);
    check_launch("first_h_before");
  }
  void forward(const Context& context, const ForwardStep& step) const override {
    forward_step<C><<<tile_grid(step.in.rows, step.layer, Forward::kUnits), kThreads,
                      shared_bytes<Forward>(), context.stream>>>(step);
    check_launch("forward_step");
  }
  void finish(const Context& context, const PlacedRows& rows, const Layer& layer,
              const float* state, float* h_last, float* final_state) const override {
    final_outputs<C><<<unit_grid(rows, layer), kUnitThreads, 0, context.stream>>>(
        rows, layer, state, h_last, final_state);
    check_launch("final_outputs");
  }
  void start_backward(const Context& context, const PlacedRows& rows, const Layer& layer,
                      const float* dfinal_state, float* carry) const override {
    start_carry<C><<<unit_grid(rows, layer), kUnitThreads, 0, context.stream>>>(
        rows, layer, dfinal_state, carry);
    check_launch("start_carry");
  }
  void backward(const Context& context, const BackwardStep& step) const override {
    backward_step<C><<<tile_grid(step.in.rows, step.layer, kBackwardUnits), kThreads,
                       shared_bytes<Backward>(), context.stream>>>(step);
    check_launch("backward_step");
  }
  void backward_start(const Context& context, const BackwardStep& step, float* dh_0,
                      float* initial) const override {
    plain::backward_start<C><<<tile_grid(step.in.rows, step.layer, kBackwardUnits), kThreads,
                               shared_bytes<Backward>(), context.stream>>>(step, dh_0, initial);
    check_launch("backward_start");
  }

 private:
  static dim3 tile_grid(const PlacedRows& rows, const Layer& layer, int units) {
    return {static_cast<unsigned>(layer.padded_units / units),
            static_cast<unsigned>(rows.slots / kTileRows)};
  }
};

constexpr int kTurn = 32;
constexpr int kTurnRows = 8;  // rows that a block copies at a time

// Transposes tiles of the gates of 32 units by 32 units of h.
__global__ void turn(const Layer layer, float* turned) {
  float* tile = shared_memory();  // [gates][32][33]
  const int lane = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(threadIdx.y);
  const int unit0 = static_cast<int>(blockIdx.x) * kTurn;
  const int h0 = static_cast<int>(blockIdx.y) * kTurn;
  const int h = h0 + lane;
  const int gates = layer.gates;
  const TermBits sees_h = layer.parts.h;
  for (int row = first_row; row < gates * kTurn; row += kTurnRows) {
    const int gate = row / kTurn;
    const int unit = unit0 + row % kTurn;
    const bool is_there = sees_h.has(gate) && unit < layer.units && h < layer.units;
    const std::size_t from = static_cast<std::size_t>(sees_h.block(gate)) * layer.units + unit;
    tile[row * (kTurn + 1) + lane] = is_there ? layer.weight_h[from * layer.units + h] : 0.0f;
  }
  __syncthreads();
  for (int row = first_row; row < kTurn; row += kTurnRows) {
    float* to = turned + (static_cast<std::size_t>(h0 + row) * layer.padded_units + unit0) * gates;
    for (int i = lane; i < kTurn * gates; i += kTurn) {
      to[i] = tile[(i % gates * kTurn + i / gates) * (kTurn + 1) + row];
    }
  }
}

// Integers of one chunk's row layout: a RowsHeader, length[slots], offset[kChunk + 1].
constexpr int kHeaderInts = sizeof(RowsHeader) / sizeof(std::int32_t);
__host__ __device__ constexpr int chunk_ints(int slots) { return kHeaderInts + slots + kChunk + 1; }

__global__ void place(const PlacedRows rows, std::int32_t* placed) {
  const int first = static_cast<int>(blockIdx.x) * kChunk;
  std::int32_t* header = placed + static_cast<std::size_t>(blockIdx.x) * chunk_ints(rows.slots);
  std::int32_t* length = header + kHeaderInts;
  std::int32_t* offset = length + rows.slots;
  __shared__ int counted;
  if (thread() == 0) counted = 0;
  __syncthreads();
  for (int slot = thread(); slot < rows.slots; slot += kThreads) {
    length[slot] = min(max(rows.length[slot] - first, 0), kChunk);
    atomicAdd(&counted, length[slot]);
  }
  for (int i = thread(); i <= kChunk; i += kThreads) {
    offset[i] = rows.offset[min(first + i, rows.capacity)] - rows.offset[first];
  }
  __syncthreads();
  if (thread() == 0) {
    const int steps = min(max(rows.header->steps - first, 0), kChunk);
    RowsHeader& chunk = *reinterpret_cast<RowsHeader*>(header);
    chunk = *rows.header;
    chunk.steps = steps;
    chunk.rows = offset[kChunk];
    chunk.counted = counted;
  }
}

}  // namespace

std::unique_ptr<const Kernels> make_kernels(const RecurrentSpec& spec) {
  return cells::visit_cell(spec.cell, spec.activation,
                           [&]<class C>() -> std::unique_ptr<const Kernels> {
                             return std::make_unique<KernelsOf<cells::OnDevice<C>>>();
                           });
}

void turn_weights(const Context& context, const Layer& layer, float* turned) {
  const auto tiles = static_cast<unsigned>(layer.padded_units / kTurn);
  const std::size_t bytes = sizeof(float) * layer.gates * kTurn * (kTurn + 1);
  turn<<<dim3(tiles, tiles), dim3(kTurn, kTurnRows), bytes, context.stream>>>(layer, turned);
  check_launch("turn");
}

std::size_t placed_chunks_size(const PlacedRows& rows) {
  return static_cast<std::size_t>(chunks_of(rows)) * chunk_ints(rows.slots);
}

void place_chunks(const Context& context, const PlacedRows& rows, std::int32_t* placed) {
  if (rows.capacity == 0) return;
  place<<<static_cast<unsigned>(chunks_of(rows)), kThreads, 0, context.stream>>>(rows, placed);
  check_launch("place");
}

PlacedRows placed_chunk(const PlacedRows& rows, const std::int32_t* placed, int chunk) {
  const std::int32_t* header =
      placed + static_cast<std::size_t>(chunk) * static_cast<std::size_t>(chunk_ints(rows.slots));
  const std::int32_t* length = header + kHeaderInts;
  return {.slots = rows.slots,
          .capacity = kChunk,
          .header = reinterpret_cast<const RowsHeader*>(header),
          .sequence = rows.sequence,
          .length = length,
          .offset = length + rows.slots,
          .first = chunk * kChunk,
          .whole_length = rows.length};
}

}  // namespace rwa::cuda::plain
