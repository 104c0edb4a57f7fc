#include <charconv>
#include <cstdlib>
#include <string_view>

#include "comm/job.h"

namespace rwa {
namespace {
int number_in(const char* variable) {
  const char* found = std::getenv(variable);
  if (found == nullptr) return 0;
  const std::string_view text = found;
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}
}  // namespace

// The first variable that is set counts, because mpirun starts its own helpers as tasks of srun. In
// order: the user's override, Open MPI, MPICH and its derivatives, and Slurm for the tasks of srun
// (a batch script has no step).
int launched_ranks() {
  for (const char* variable :
       {"RWA_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const int ranks = number_in(variable); ranks > 0) return ranks;
  }
  return 1;
}

}  // namespace rwa
