// src/comm/no_mpi/no_mpi.cc: stands in for src/comm/mpi in a build without MPI.
#include <fmt/format.h>

#include "comm/job.h"
#include "rwa/errors.h"

namespace rwa {

// Without MPI, the ranks would be separate processes that all write the same files.
std::unique_ptr<Job> Job::join(const JobOptions&) {
  if (launched_ranks() == 1) return nullptr;
  throw ResourceError(
      fmt::format("started as one of {} ranks, but this build has no MPI: start one process",
                  launched_ranks()));
}

}  // namespace rwa
