// include/rwa/cells.h: the cells that a recurrent layer can be made of, for programs that list them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rwa/export.h"
#include "rwa/types.h"

namespace rwa {

struct CellInfo {
  std::string_view name;         // "rwa-forget", as files and the command line have it
  std::string_view title;        // "LSTM", as reports have it
  std::string_view description;  // "RWA with a forget gate"
  bool averages;                 // its state is an average, of which each step has a share
};

RWA_EXPORT std::span<const Cell> all_cells();
RWA_EXPORT const CellInfo& cell_info(Cell cell);

// The names of all cells, or of those that keep an average, for help and messages: "rwa, lstm, gru".
RWA_EXPORT std::string cell_names();
RWA_EXPORT std::string averaging_cell_names();

}  // namespace rwa
