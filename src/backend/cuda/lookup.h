// src/backend/cuda/lookup.h: rows of a learned table, and their gradient. As in Backend; `scratch`
// grows to what as many rows as there is room for could need.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/runtime.h"

namespace rwa::cuda {

void lookup(const Context&, const TableSpec&, const Rows&, const Symbols&, const float* table,
            const float* base, float* out);
void lookup_backward(const Context&, const TableSpec&, const Rows&, const Symbols&,
                     const float* dout, DeviceMemory& scratch, float* dtable, float* dbase);

}  // namespace rwa::cuda
