// src/backend/reference/reference.h: the network in double with plain loops, one thing after the
// other: the oracle that every other backend is compared with. Slow on purpose.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace rwa {

std::unique_ptr<Backend<double>> make_reference_backend();

}  // namespace rwa
