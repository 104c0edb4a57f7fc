// src/backend/reference/recurrence.h: a recurrent layer in double, one sequence at a time.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace rwa::reference {

std::unique_ptr<LayerWeights<double>> make_weights(const RecurrentSpec& spec);
std::unique_ptr<RecurrentPass<double>> make_pass(const RecurrentSpec& spec);

}  // namespace rwa::reference
