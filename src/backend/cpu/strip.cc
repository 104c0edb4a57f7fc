#include "backend/cpu/strip.h"

#include <algorithm>
#include <numeric>

namespace rwa::cpu {
namespace {
std::size_t blocks(std::size_t value, std::size_t block) { return (value + block - 1) / block; }

// Rounds up to an odd number of cache lines: rows a power of two apart would compete for the same
// few cache sets.
std::size_t spread_stride(std::size_t floats) {
  return (blocks(floats, kLineFloats) | 1) * kLineFloats;
}
}  // namespace

Geometry::Geometry(const RecurrentSpec& spec, std::size_t vector_lanes, int saved)
    : inputs(spec.symbols ? 0 : spec.inputs),
      units(spec.units),
      symbols(spec.symbols ? spec.inputs : 0),
      reverse(spec.reverse),
      h_stride(static_cast<std::size_t>(spec.h_stride())),
      gates(spec.traits().gates),
      only_inputs(spec.traits().inputs),
      lanes(vector_lanes),
      panels(blocks(static_cast<std::size_t>(spec.units), vector_lanes)),
      x_panels(blocks(static_cast<std::size_t>(inputs), vector_lanes)),
      row_size(x_size() + static_cast<std::size_t>(spec.units)),
      row_stride(spread_stride(x_size() + panels * lanes)),
      cell_size(static_cast<std::size_t>(saved) * lanes),
      delta_stride(spread_stride(depth())) {}

void Strip::arrange(Range which, const Rows& batch) {
  shards = which;
  const Range sequences = batch.cut().rows(which);
  first_sequence = sequences.begin;
  sequence.resize(static_cast<std::size_t>(sequences.size()));
  std::iota(sequence.begin(), sequence.end(), first_sequence);
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](int a, int b) { return batch.length(a) > batch.length(b); });

  length.resize(count());
  row_of.resize(count());
  for (std::size_t row = 0; row < count(); ++row) {
    length[row] = batch.length(sequence[row]);
    row_of[static_cast<std::size_t>(sequence[row] - first_sequence)] = static_cast<int>(row);
  }
  active.resize(static_cast<std::size_t>(steps()) + 1);
  int longer = rows();
  for (int t = 0; t <= steps(); ++t) {
    while (longer > 0 && length[static_cast<std::size_t>(longer) - 1] <= t) --longer;
    active[static_cast<std::size_t>(t)] = longer;
  }
}

void Strip::reserve(const Geometry& g, int state_size, int tape_steps, bool chunked) {
  slots = std::max(tape_steps, 1);
  const auto panel_rows = g.panels * count() * g.lanes;
  const auto state_floats = panel_rows * static_cast<std::size_t>(state_size);
  const auto slot_count = static_cast<std::size_t>(slots);
  tape.reserve((slot_count + 1) * count() * g.row_stride);
  saved.reserve(g.panels * slot_count * count() * g.cell_size);
  state.reserve(state_floats);
  memory.reserve(panel_rows);
  if (chunked) {
    const auto chunks = blocks(static_cast<std::size_t>(steps()), kChunkSteps);
    snapshots.reserve(chunks * (state_floats + panel_rows));
  }
}

void Strip::reserve_backward(const Geometry& g, int carry_size) {
  const auto panel_rows = g.panels * count() * g.lanes;
  deltas.reserve(2 * count() * g.delta_stride);
  carry.reserve(panel_rows * static_cast<std::size_t>(carry_size));
  dh.reserve(panel_rows);
}

}  // namespace rwa::cpu
