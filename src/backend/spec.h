// src/backend/spec.h: the sizes of a network's parts, and the layout of their parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/shards.h"
#include "cells/traits.h"
#include "rwa/types.h"

namespace rwa {

// One recurrent layer. Its parameters are one row-major block; X of the pre-activations see x, G
// see h and B have a bias:
//   weight_x [X·H, D]   weight_h [G·H, H]   bias [B·H]   start [H] (if the cell's start is learned)
struct RecurrentSpec {
  Cell cell = Cell::kRwa;
  Activation activation = Activation::kTanh;
  int inputs = 1;        // D
  int units = 1;         // H
  bool symbols = false;  // x is one of D symbols
  bool reverse = false;  // runs from each sequence's last step to its first
  int stride = 0;        // between rows of h, and of its gradient, in values; 0: H

  [[nodiscard]] int h_stride() const { return stride > 0 ? stride : units; }
  [[nodiscard]] const CellTraits& traits() const { return cell_traits(cell); }
  [[nodiscard]] std::size_t weight_x() const { return 0; }
  [[nodiscard]] std::size_t weight_h() const { return size(traits().x.count(), inputs); }
  [[nodiscard]] std::size_t bias() const { return weight_h() + size(traits().h.count(), units); }
  [[nodiscard]] std::size_t start() const { return bias() + size(traits().bias.count(), 1); }
  [[nodiscard]] std::size_t parameters() const {
    return start() + (traits().learned_start ? static_cast<std::size_t>(units) : 0);
  }
  // Size of one sequence's state: h and the cell's own state, [1 + state, H].
  [[nodiscard]] std::size_t state_size() const { return size(1 + traits().state, 1); }
  // Size of the part that has a gradient: h and the carried sums, [1 + carry, H].
  [[nodiscard]] std::size_t carried_size() const { return size(1 + traits().carry, 1); }

 private:
  [[nodiscard]] std::size_t size(int blocks, int columns) const {
    return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(units) *
           static_cast<std::size_t>(columns);
  }
};

// The loss of a network's outputs.
struct LossSpec {
  Loss kind = Loss::kSoftmax;
  double interval = 0.8;  // of kPinball
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

// An embedding: weight [symbols, width].
struct TableSpec {
  int symbols = 1;
  int width = 1;

  [[nodiscard]] std::size_t parameters() const {
    return static_cast<std::size_t>(symbols) * static_cast<std::size_t>(width);
  }
};

// A device's copy of the lengths, in its own form.
struct PlacedRows;

// The rows of a [steps, batch, ·] array that count: step t of sequence b does if t < lengths[b].
// Without lengths all do. For rows placed on a device, `steps` is the capacity; only the device
// knows the lengths and the actual number of steps.
struct Rows {
  int steps = 1;
  int batch = 0;
  std::span<const std::int32_t> lengths = {};
  const PlacedRows* placed = nullptr;
  Cut part = {};  // which part of a larger batch this is; default: a whole batch

  [[nodiscard]] Cut cut() const { return part.whole > 0 ? part : Cut{.whole = batch}; }
  // One row per sequence.
  [[nodiscard]] Rows one_step() const { return {.batch = batch, .part = part}; }
  // Index of the row in the array.
  [[nodiscard]] std::size_t index(int step, int sequence) const {
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(batch) +
           static_cast<std::size_t>(sequence);
  }
  // Index of the row in the array of the whole batch.
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
