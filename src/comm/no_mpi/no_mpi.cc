// src/comm/no_mpi/no_mpi.cc: stands in for src/comm/mpi in a build without it.
#include <fmt/format.h>

#include "comm/job.h"
#include "rwa/errors.h"

namespace rwa {

// As many lone processes they would all write the same files.
std::unique_ptr<Job> Job::join(const JobOptions&) {
  if (launched_ranks() == 1) return nullptr;
  throw ResourceError(fmt::format(
      "started as one of {} ranks, expected one alone: this build has no MPI", launched_ranks()));
}

}  // namespace rwa
