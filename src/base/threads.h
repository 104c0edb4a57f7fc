// src/base/threads.h: a few threads that run the same function side by side and wait for each
// other.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rwa {

// More are a mistake, not a wish.
inline constexpr int kMostThreads = 1024;

class ThreadPool {
 public:
  // The caller is one of the `count` threads; count - 1 are started here and sleep between calls.
  // Throws ResourceError when the system has no more threads.
  explicit ThreadPool(int count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs job(0) … job(size() - 1), each on its own thread, and returns when all are done. The first
  // exception is thrown again here. Not to be called from two threads at once.
  void run(const std::function<void(int)>& job);

 private:
  void work(int index);
  void stop();
  void execute(int index);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(int)>* job_ = nullptr;
  std::exception_ptr error_;
  unsigned long generation_ = 0;
  int running_ = 0;
  bool stopping_ = false;
};

}  // namespace rwa
