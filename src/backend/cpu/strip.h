// src/backend/cpu/strip.h: a strip, the part of a batch that one thread takes through all steps,
// and its memory layout.
//
// A row is the input of the pre-activations of one sequence and step, [x_t (D), 1, h_{t-1} (H)].
// Gates see all of it, input-only pre-activations its first D + 1 values; the 1 makes the bias a
// weight like any other. Symbols have no columns in the row (D is 0): the weights of a symbol are
// added to the pre-activations directly. A panel is a vector of units. Sequences are sorted by
// length, longest first, so that the active ones are always a prefix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/spec.h"
#include "base/buffer.h"
#include "base/shards.h"

namespace rwa::cpu {

inline constexpr std::size_t kLineFloats = 16;  // floats in a cache line

// Steps between two snapshots with Memory::kChunked. A multiple of kGradientSteps, so that sums
// over steps are formed in the same order as with Memory::kFull.
inline constexpr int kChunkSteps = 32;
// Steps added to the weight gradient at once: few enough to stay in the cache.
inline constexpr int kGradientSteps = 8;

// The sizes of one layer for one vector width.
struct Geometry {
  // saved: values a cell keeps per unit and step, the gates' first.
  Geometry(const RecurrentSpec& spec, std::size_t lanes, int saved);

  int inputs, units;                 // D, H
  int symbols;                       // vocabulary size; 0: the input is features
  bool reverse;                      // runs from a sequence's last step to its first
  std::size_t h_stride;              // between rows of h, and of its gradient, outside the strip
  int gates, only_inputs;            // pre-activations that see the whole row, and x only
  std::size_t lanes, panels;         // panels of units
  std::size_t x_panels;              // panels of features
  std::size_t row_size, row_stride;  // D + 1 + H, and the distance between rows
  std::size_t cell_size;             // values a cell saves per panel, row and step
  std::size_t delta_stride;          // between rows of the gradients of pre-activations
  [[nodiscard]] std::size_t x_size() const { return static_cast<std::size_t>(inputs) + 1; }
  [[nodiscard]] std::size_t padded_units() const { return panels * lanes; }
  // Depth of backward's products: over the gates, and over all pre-activations.
  [[nodiscard]] std::size_t gates_depth() const {
    return padded_units() * static_cast<std::size_t>(gates);
  }
  [[nodiscard]] std::size_t depth() const {
    return padded_units() * static_cast<std::size_t>(gates + only_inputs);
  }
  // Size of PackedWeights::forward: the gates' part, and all of it.
  [[nodiscard]] std::size_t gates_size() const {
    return padded_units() * row_size * static_cast<std::size_t>(gates);
  }
  [[nodiscard]] std::size_t forward_size() const {
    return gates_size() + padded_units() * x_size() * static_cast<std::size_t>(only_inputs);
  }
  // Size of one symbol's row in PackedWeights::symbols.
  [[nodiscard]] std::size_t symbol_size() const { return depth(); }
  // A gradient has the layout of PackedWeights::forward, followed by that of s_0.
  [[nodiscard]] std::size_t gradient_size() const { return forward_size() + padded_units(); }
};

// A layer's weights in the layout that the tiles read, and h_0.
struct PackedWeights {
  Buffer forward;  // [panel][row_size][gates][lanes], then [panel][D + 1][only_inputs][lanes]
  Buffer back;     // [panel][(gate, unit)][lanes]: from gates to h
  Buffer back_x;   // [x panel][(pre-activation, unit)][lanes]: from all of them to x
  Buffer symbols;  // [symbol][panel][gates + only_inputs][lanes]
  Buffer start;    // h_0, [padded units]
};

struct Strip {
  // Takes the sequences of these shards, longest first.
  void arrange(Range shards, const Rows& batch);
  // Makes room for `tape_steps` steps at a time and, if `chunked`, for a snapshot per chunk.
  void reserve(const Geometry& g, int state, int tape_steps, bool chunked);
  // Makes room for what only backward needs: a tape that waits for backward does not hold it.
  void reserve_backward(const Geometry& g, int carry);

  [[nodiscard]] int rows() const { return static_cast<int>(sequence.size()); }
  [[nodiscard]] std::size_t count() const { return sequence.size(); }
  [[nodiscard]] int steps() const { return length.empty() ? 0 : length.front(); }

  Range shards;
  std::vector<int> sequence;         // [row]: its index in the batch
  std::vector<int> length;           // [row], descending
  std::vector<int> row_of;           // [sequence - first]: its row
  std::vector<int> active;           // [t]: rows longer than t, for t = 0 … steps
  std::vector<std::uint32_t> index;  // scratch: the tape rows that a sum runs over
  int first_sequence = 0;
  int slots = 0;  // steps the tape has room for

  Buffer tape;       // rows [slot + 1][row][row_stride]
  Buffer saved;      // [panel][slot][row][saved][lanes]: values, and after backward their gradients
  Buffer deltas;     // [step % 2][row][delta_stride]: those gradients again, by (gate, unit)
  Buffer state;      // [panel][row][state][lanes]
  Buffer carry;      // [panel][row][carry][lanes]
  Buffer memory;     // [panel][row][lanes]: what backward needs from the step before the tape
  Buffer dh;         // [row][padded units]: complete dh of the step before the tape
  Buffer snapshots;  // [chunk]: state, then h as [row][padded units]
};

}  // namespace rwa::cpu
