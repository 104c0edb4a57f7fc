#include "ranks.h"

#include <algorithm>
#include <cstdio>

#include "rwa/device.h"
#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {
namespace {
Job* joined = nullptr;
}

void set_job(Job* job) {
  joined = job;
  if (is_first_rank()) return;
  speaks_for_all = false;
  if (std::freopen("/dev/null", "w", stdout) == nullptr) {
    throw ResourceError("cannot open /dev/null");
  }
}

Job* job() { return joined; }
Link* all_ranks() { return joined == nullptr ? nullptr : &joined->link(); }
bool is_first_rank() { return joined == nullptr || joined->link().rank() == 0; }

// At most default_threads(): the launcher may have bound this rank to some of the cores.
int usual_threads() {
  if (joined == nullptr) return default_threads();
  return std::clamp(joined->local_cores() / joined->local_size(), 1, default_threads());
}

}  // namespace rwa::cli
