// src/comm/job.h: the job in which mpirun or srun started this process as one of several ranks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "comm/ranks.h"
#include "rwa/link.h"

namespace rwa {

// The number of ranks that the launcher reports; 1 without a launcher.
int launched_ranks();

struct JobOptions {
  // How long a rank waits for a peer while neither the peer nor any rank that the peer waits for
  // shows a sign of work.
  std::chrono::milliseconds patience = kPatience;
  // For a rank that is lost while no rank waits for it: the start of the message, and the job's
  // exit status.
  std::string speaker = {};
  int lost_status = 1;
  // Called once, on another thread, if the launcher has died: MPI ends this process a second later.
  std::function<void()> abandoned = {};
};

class Job {
 public:
  // Returns null if this process was started alone. Throws ResourceError if it was not, but cannot
  // join the others.
  static std::unique_ptr<Job> join(const JobOptions& options = {});
  // Returns when all ranks leave. Call it on the thread that joined.
  virtual ~Job() = default;

  // For use by one thread of a rank at a time.
  [[nodiscard]] virtual Link& link() = 0;
  // This rank among the ranks on this machine, and their number: they decide which GPU it uses.
  [[nodiscard]] virtual int local_rank() const = 0;
  [[nodiscard]] virtual int local_size() const = 0;
  // Number of cores that these ranks may use together.
  [[nodiscard]] virtual int local_cores() const = 0;

  // Returns a number unique in the job, counting from 0. Any thread may call it at any time.
  [[nodiscard]] virtual std::int64_t ticket() = 0;

  // Ends the job on all ranks with this status. If several ranks fail together, only one message is
  // printed to stderr, by rank 0 if possible.
  [[noreturn]] virtual void fail(std::string_view message, int status) = 0;
};

// Returns the job's link, or null without a job.
inline Link* link_of(Job* job) { return job == nullptr ? nullptr : &job->link(); }

}  // namespace rwa
