// src/comm/job.h: the job that mpirun or srun has started this process in, as one of several ranks.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "comm/ranks.h"
#include "rwa/link.h"

namespace rwa {

// How many ranks the launcher says it has started; 1 where there is none.
int launched_ranks();

struct JobOptions {
  // How long a rank waits for another while neither that one, nor whom that one waits for, shows a
  // sign of work.
  std::chrono::milliseconds patience = kPatience;
  // Of a rank that is lost while none waits for it: what the message begins with, and the status
  // that the job ends with.
  std::string speaker = {};
  int lost_status = 1;
};

class Job {
 public:
  // Null where this process was started alone. Throws ResourceError where it was not, and cannot
  // join the others.
  static std::unique_ptr<Job> join(const JobOptions& options = {});
  // Returns when all ranks leave. For the thread that joined.
  virtual ~Job() = default;

  // For one thread of a rank at a time.
  [[nodiscard]] virtual Link& link() = 0;
  // Among the ranks on this machine: which GPU is whose.
  [[nodiscard]] virtual int local_rank() const = 0;
  [[nodiscard]] virtual int local_size() const = 0;
  // The cores that these may use, together.
  [[nodiscard]] virtual int local_cores() const = 0;

  // A number that nobody else in the job gets, from 0 on. For any thread, whatever the others do.
  [[nodiscard]] virtual std::int64_t ticket() = 0;

  // Ends the job on all ranks, with this status. Of the messages of ranks that fail together one is
  // printed to stderr, where possible by rank 0.
  [[noreturn]] virtual void fail(std::string_view message, int status) = 0;
};

}  // namespace rwa
