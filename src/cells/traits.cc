#include "cells/traits.h"

#include <array>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
#define RWA_CELL inline
#include "cells/cells-inl.h"
#undef RWA_CELL

template <class C>
constexpr std::span<const char* const> torch_layers() {
  if constexpr (std::is_array_v<decltype(C::kTorchLayers)>) {
    static_assert(std::size(C::kTorchLayers) == C::kGates + C::kInputs);
    return C::kTorchLayers;
  } else {
    return {};
  }
}

template <class C>
constexpr CellTraits traits_of() {
  return {{.name = C::kName,
           .title = C::kTitle,
           .description = C::kDescription,
           .averages = C::kShare >= 0},
          C::kGates,
          C::kInputs,
          C::kState,
          C::kCarry,
          C::kLearnedStart,
          Terms(C::kSeesX),
          Terms(C::kSeesH),
          Terms(C::kHasBias),
          C::kInitialBias,
          C::kSpreadBias,
          C::kCarriesOutput,
          C::kLetters,
          C::kStateNames,
          C::kCarryNames,
          C::kTuned,
          C::kTorch,
          torch_layers<C>()};
}

// All cells in the order of the list.
constexpr auto kTraits = []<int... kNumbers>(std::integer_sequence<int, kNumbers...>) {
  return std::array{traits_of<typename ListedCell<kNumbers, Tanh>::Type>()...};
}
(std::make_integer_sequence<int, kCellCount>());

constexpr auto kCells = [] {
  std::array<Cell, kTraits.size()> cells{};
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<Cell>(i);
  return cells;
}();

std::string names(bool averages_only) {
  std::vector<std::string_view> all;
  for (const CellTraits& cell : kTraits) {
    if (cell.averages || !averages_only) all.push_back(cell.name);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}
}  // namespace

std::span<const Cell> all_cells() { return kCells; }

const CellTraits& cell_traits(Cell cell) {
  const auto number = static_cast<std::size_t>(cell);
  if (number < kTraits.size()) return kTraits[number];
  throw ConfigError(fmt::format("there is no cell number {}", static_cast<int>(cell)));
}
const CellInfo& cell_info(Cell cell) { return cell_traits(cell); }

std::string cell_names() { return names(false); }
std::string averaging_cell_names() { return names(true); }

std::string_view to_string(Cell cell) { return cell_traits(cell).name; }

Cell parse_cell(std::string_view name) {
  for (const Cell cell : kCells) {
    if (is_name(name, cell_traits(cell).name)) return cell;
  }
  throw ConfigError(fmt::format("unknown cell '{}', expected one of: {}", name, cell_names()));
}

}  // namespace rwa
