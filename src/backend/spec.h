// src/backend/spec.h: the parts of a network in numbers, and how their parameters lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/shards.h"
#include "cells/traits.h"
#include "rwa/types.h"

namespace rwa {

// One recurrent layer. Its parameters are one block, row-major; of the pre-activations X see x, G
// see h and B have a bias:
//   weight_x [X·H, D]   weight_h [G·H, H]   bias [B·H]   start [H] (where the cell has a learned
//   start)
struct RecurrentSpec {
  Cell cell = Cell::kRwa;
  Activation activation = Activation::kTanh;
  int inputs = 1;        // D
  int units = 1;         // H
  bool symbols = false;  // x is one of D symbols
  bool reverse = false;  // from the last step of each sequence to its first
  int stride = 0;        // numbers from one row of h, and of its gradient, to the next; 0: H

  [[nodiscard]] int h_stride() const { return stride > 0 ? stride : units; }
  [[nodiscard]] const CellTraits& traits() const { return cell_traits(cell); }
  [[nodiscard]] std::size_t weight_x() const { return 0; }
  [[nodiscard]] std::size_t weight_h() const { return size(traits().x.count(), inputs); }
  [[nodiscard]] std::size_t bias() const { return weight_h() + size(traits().h.count(), units); }
  [[nodiscard]] std::size_t start() const { return bias() + size(traits().bias.count(), 1); }
  [[nodiscard]] std::size_t parameters() const {
    return start() + (traits().learned_start ? static_cast<std::size_t>(units) : 0);
  }
  // Numbers in the state of one sequence: h and what the cell carries, [1 + state, H].
  [[nodiscard]] std::size_t state_size() const { return size(1 + traits().state, 1); }
  // Of these, those that have a gradient: h and the carried sums, [1 + carry, H].
  [[nodiscard]] std::size_t carried_size() const { return size(1 + traits().carry, 1); }

 private:
  [[nodiscard]] std::size_t size(int blocks, int columns) const {
    return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(units) *
           static_cast<std::size_t>(columns);
  }
};

// A fully connected layer: weight [O, H], bias [O].
struct DenseSpec {
  int inputs = 1;   // H
  int outputs = 1;  // O

  [[nodiscard]] std::size_t bias() const {
    return static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs);
  }
  [[nodiscard]] std::size_t parameters() const {
    return bias() + static_cast<std::size_t>(outputs);
  }
};

// A table of learned numbers, `width` of them for each of `symbols`: weight [symbols, width].
struct TableSpec {
  int symbols = 1;
  int width = 1;

  [[nodiscard]] std::size_t parameters() const {
    return static_cast<std::size_t>(symbols) * static_cast<std::size_t>(width);
  }
};

// What a device knows of the lengths beside the host, in a form of its own.
struct PlacedRows;

// The rows of a [steps, batch, ·] array that count: step t of sequence b does when t < lengths[b].
// Without lengths all do. Where they are placed on a device, `steps` is how many there is room for;
// how many there are, and the lengths, are known there.
struct Rows {
  int steps = 1;
  int batch = 0;
  std::span<const std::int32_t> lengths = {};
  const PlacedRows* placed = nullptr;
  Cut part = {};  // of a larger batch; one of no sequences: this batch is whole

  [[nodiscard]] Cut cut() const { return part.whole > 0 ? part : Cut{.whole = batch}; }
  // One row for each sequence.
  [[nodiscard]] Rows one_step() const { return {.batch = batch, .part = part}; }
  // Which row of the array it is.
  [[nodiscard]] std::size_t index(int step, int sequence) const {
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(batch) +
           static_cast<std::size_t>(sequence);
  }
  // Which row it would be of the whole batch's.
  [[nodiscard]] std::size_t place(int step, int sequence) const {
    const Cut whole = cut();
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(whole.whole) +
           static_cast<std::size_t>(whole.first() + sequence);
  }
  [[nodiscard]] int length(int sequence) const {
    return lengths.empty() ? steps : lengths[static_cast<std::size_t>(sequence)];
  }
  [[nodiscard]] bool has(int step, int sequence) const { return step < length(sequence); }
  [[nodiscard]] std::int64_t counted() const {
    std::int64_t sum = 0;
    for (int b = 0; b < batch; ++b) sum += length(b);
    return sum;
  }
};

struct AdamSettings {
  double rate, beta1, beta2, epsilon;
};

}  // namespace rwa
