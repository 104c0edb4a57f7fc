// src/comm/mpi/calls.h: checks the results of MPI's functions. Threads call them one at a time, and
// once all ranks have joined no call blocks: a rank that waits for another polls, and notices when
// it has waited too long.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <string>

#include "rwa/errors.h"

namespace rwa::mpi {

inline void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw ResourceError(fmt::format("{}: {}", what, text));
}

enum Tag { kData = 1, kSign = 2, kFailure = 3, kTicket = 4 };

}  // namespace rwa::mpi
