// cli/ranks.h: the job of several ranks that mpirun or srun has started this program in, for the
// commands that know how to share their work.
#pragma once

#include "comm/job.h"
#include "rwa/link.h"

namespace rwa::cli {

// From now on only rank 0 has a standard output, and says what all would. Null: there are no others.
void set_job(Job* job);
Job* job();
Link* all_ranks();  // null: there are no others
bool is_first_rank();

// The threads of a rank, where nobody says how many: those on a machine share its cores.
int usual_threads();

}  // namespace rwa::cli
