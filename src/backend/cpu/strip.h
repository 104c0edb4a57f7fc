// src/backend/cpu/strip.h: the part of a batch that one thread walks through all steps, and how its
// numbers lie.
//
// A row is what the pre-activations of one sequence and step are made of, [x_t (D), 1, h_{t-1}
// (H)]: gates see all of it, inputs its first D + 1 numbers, and the 1 makes the bias a weight like
// the others. A symbol adds its columns of the weights to them instead, and has no place in the
// row: D is 0 then. Units come in panels of as many as a vector has lanes. Sequences are ordered by
// length, longest first, so that those which have ended are simply left out of the count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/spec.h"
#include "base/buffer.h"
#include "base/shards.h"

namespace rwa::cpu {

inline constexpr std::size_t kLineFloats = 16;  // in a cache line

// Steps between two saved states when memory is short. A multiple of kGradientSteps, so that sums
// over steps are formed in the same order with and without.
inline constexpr int kChunkSteps = 32;
// Steps whose share of the weight gradient is formed at once: few enough to stay in the cache.
inline constexpr int kGradientSteps = 8;

// The sizes of one layer for one vector width.
struct Geometry {
  // saved: numbers a cell keeps per unit and step, the gates' first.
  Geometry(const RecurrentSpec& spec, std::size_t lanes, int saved);

  int inputs, units;                 // D, H
  int symbols;                       // how many there are; 0: the input is numbers
  bool reverse;                      // the pass goes from a sequence's last step to its first
  std::size_t h_stride;              // between rows of h, and of its gradient, outside the strip
  int gates, only_inputs;            // pre-activations that see all of a row, and x only
  std::size_t lanes, panels;         // panels of units
  std::size_t x_panels;              // panels of features
  std::size_t row_size, row_stride;  // D + 1 + H, and the distance between rows
  std::size_t cell_size;             // numbers a cell saves per panel, row and step
  std::size_t delta_stride;          // between rows of the gradients of pre-activations
  [[nodiscard]] std::size_t x_size() const { return static_cast<std::size_t>(inputs) + 1; }
  [[nodiscard]] std::size_t padded_units() const { return panels * lanes; }
  // How many gradients of gates, and of all pre-activations, lead back from a row.
  [[nodiscard]] std::size_t gates_depth() const {
    return padded_units() * static_cast<std::size_t>(gates);
  }
  [[nodiscard]] std::size_t depth() const {
    return padded_units() * static_cast<std::size_t>(gates + only_inputs);
  }
  // Numbers in PackedWeights::forward: those of the gates, and all.
  [[nodiscard]] std::size_t gates_size() const {
    return padded_units() * row_size * static_cast<std::size_t>(gates);
  }
  [[nodiscard]] std::size_t forward_size() const {
    return gates_size() + padded_units() * x_size() * static_cast<std::size_t>(only_inputs);
  }
  // Numbers of one symbol in PackedWeights::symbols.
  [[nodiscard]] std::size_t symbol_size() const { return depth(); }
  // A gradient has the layout of PackedWeights::forward, followed by that of s_0.
  [[nodiscard]] std::size_t gradient_size() const { return forward_size() + padded_units(); }
};

// A layer's weights as the tiles read them, and h_0.
struct PackedWeights {
  Buffer forward;  // [panel][row_size][gates][lanes], then [panel][D + 1][only_inputs][lanes]
  Buffer back;     // [panel][(gate, unit)][lanes]: from gates to h
  Buffer back_x;   // [x panel][(pre-activation, unit)][lanes]: from all to x
  Buffer symbols;  // [symbol][panel][gates + only_inputs][lanes]
  Buffer start;    // h_0, [padded units]
};

struct Strip {
  // Takes the rows of these shards; puts the longest first.
  void arrange(Range shards, const Rows& batch);
  // Room for `tape_steps` steps at a time, and for a state at every chunk's start where `chunked`.
  void reserve(const Geometry& g, int state, int tape_steps, bool chunked);
  // For what only backward needs, so that a tape that waits for it has none.
  void reserve_backward(const Geometry& g, int carry);

  [[nodiscard]] int rows() const { return static_cast<int>(sequence.size()); }
  [[nodiscard]] std::size_t count() const { return sequence.size(); }
  [[nodiscard]] int steps() const { return length.empty() ? 0 : length.front(); }

  Range shards;
  std::vector<int> sequence;         // [row]: which of the batch
  std::vector<int> length;           // [row], falling
  std::vector<int> row_of;           // [sequence - first]: its row
  std::vector<int> active;           // [t]: rows longer than t, for t = 0 … steps
  std::vector<std::uint32_t> index;  // scratch: rows of the tape that a sum runs over
  int first_sequence = 0;
  int slots = 0;  // steps the tape has room for

  Buffer tape;       // rows [slot + 1][row][row_stride]
  Buffer saved;      // [panel][slot][row][saved][lanes]: values, and after backward their gradients
  Buffer deltas;     // [step, by turns][row][delta_stride]: those gradients again, by (gate, unit)
  Buffer state;      // [panel][row][state][lanes]
  Buffer carry;      // [panel][row][carry][lanes]
  Buffer memory;     // [panel][row][lanes]: what backward needs of the step before the tape's first
  Buffer dh;         // [row][padded units]: complete dh of the step before the tape's first
  Buffer snapshots;  // [chunk]: state, then h as [row][padded units]
};

}  // namespace rwa::cpu
