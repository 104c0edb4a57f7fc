// cli/ranks.h: the job of ranks that this process belongs to (mpirun, srun), for commands that
// share their work among ranks.
#pragma once

#include "comm/job.h"
#include "rwa/link.h"

namespace rwa::cli {

// From now on only rank 0 writes to standard output and reports messages. Null: a single process.
void set_job(Job* job);
Job* job();
Link* all_ranks();  // null: a single process
bool is_first_rank();

// The default number of threads of a rank: the ranks on a machine share its cores.
int usual_threads();

}  // namespace rwa::cli
