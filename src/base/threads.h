// src/base/threads.h: a few threads that run the same function side by side and wait for each
// other.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace rwa {

// More are a mistake, not a wish.
inline constexpr int kMostThreads = 1024;

// A child of the process (fork) has none of the threads, but a copy of all else: there the caller
// does the work of all of them, with the same result.
class ThreadPool {
 public:
  // The caller is one of the `count` threads; count - 1 are started here and sleep between calls.
  // Throws ResourceError when the system has no more threads.
  explicit ThreadPool(int count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs job(0) … job(size() - 1), each on its own thread, none of which may wait for another, and
  // returns when all are done. The first exception is thrown again here. Not to be called from two
  // threads at once.
  void run(const std::function<void(int)>& job);

 private:
  struct Shared;  // what the threads see

  [[nodiscard]] bool in_child() const;
  void stop();

  std::unique_ptr<Shared> shared_;
  std::vector<std::thread> workers_;
  pid_t owner_;
};

}  // namespace rwa
