// src/backend/reference/recurrence.h: one recurrent layer over one sequence after the other.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace rwa::reference {

std::unique_ptr<LayerWeights<double>> make_weights(const RecurrentSpec& spec);
std::unique_ptr<RecurrentPass<double>> make_pass(const RecurrentSpec& spec);

}  // namespace rwa::reference
