// src/base/threads.h: a pool of threads that run the same function in parallel.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace rwa {

// Larger numbers are taken for a mistake.
inline constexpr int kMostThreads = 1024;

// A forked child has none of the threads: there the caller does all their work, with the same
// result.
class ThreadPool {
 public:
  // Starts count - 1 threads, which sleep between calls; the caller is the remaining one. Throws
  // ResourceError if the system cannot start them.
  explicit ThreadPool(int count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs job(0) … job(size() - 1), each on its own thread, and returns when all are done. Jobs must
  // not wait for each other. Rethrows the first exception. Must not be called from two threads at
  // once.
  void run(const std::function<void(int)>& job);

 private:
  struct Shared;  // state shared with the threads

  [[nodiscard]] bool in_child() const;
  void stop();

  std::unique_ptr<Shared> shared_;
  std::vector<std::thread> workers_;
  pid_t owner_;
};

}  // namespace rwa
