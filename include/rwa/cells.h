// include/rwa/cells.h: a list of the available recurrent cells, with their names and descriptions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rwa/export.h"
#include "rwa/types.h"

namespace rwa {

struct CellInfo {
  std::string_view name;         // in files and on the command line: "rwa-forget"
  std::string_view title;        // in reports: "LSTM"
  std::string_view description;  // "RWA with a forget gate"
  bool averages;                 // the state is an average in which each step has a share
};

RWA_EXPORT std::span<const Cell> all_cells();
RWA_EXPORT const CellInfo& cell_info(Cell cell);

// Return the names of all cells, or of those whose state is an average, as "rwa, lstm, gru".
RWA_EXPORT std::string cell_names();
RWA_EXPORT std::string averaging_cell_names();

}  // namespace rwa
