// src/api/layer_layout.h: the letters of the cells.
#pragma once

#include "backend/spec.h"
#include "rwa/layer.h"

namespace rwa {

LayerLayout layer_layout(const RecurrentSpec& spec);

// Whether the cell's state is h itself: outside it is one number then, inside two.
[[nodiscard]] inline bool state_is_output(Cell cell) { return cell == Cell::kGru; }

}  // namespace rwa
