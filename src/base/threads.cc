#include "base/threads.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>

#include "rwa/errors.h"

namespace rwa {

struct ThreadPool::Shared {
  void work(int index);
  void execute(int index);

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  const std::function<void(int)>* job = nullptr;
  std::exception_ptr error;
  unsigned long generation = 0;
  int running = 0;
  bool stopping = false;
};

ThreadPool::ThreadPool(int count) : shared_(std::make_unique<Shared>()), owner_(getpid()) {
  try {
    for (int index = 1; index < count; ++index) {
      workers_.emplace_back([shared = shared_.get(), index] { shared->work(index); });
    }
  } catch (const std::system_error& error) {
    stop();
    throw ResourceError(fmt::format("cannot start {} threads: {}", count, error.what()));
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  if (!in_child()) {
    stop();
    return;
  }
  // The condition variables still count waiting threads that do not exist in the child, and their
  // destructors would wait for them forever: leak them.
  for (auto& worker : workers_) worker.detach();
  static_cast<void>(shared_.release());
}

bool ThreadPool::in_child() const { return !workers_.empty() && getpid() != owner_; }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopping = true;
  }
  shared_->wake.notify_all();
  for (auto& worker : workers_) {
    worker.join();
  }
}

void ThreadPool::run(const std::function<void(int)>& job) {
  if (workers_.empty() || in_child()) {
    for (int index = 0; index < size(); ++index) job(index);
    return;
  }
  Shared& s = *shared_;
  {
    const std::lock_guard lock(s.mutex);
    s.job = &job;
    s.error = nullptr;
    s.running = static_cast<int>(workers_.size());
    ++s.generation;
  }
  s.wake.notify_all();
  s.execute(0);
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&s] { return s.running == 0; });
  if (s.error) {
    std::rethrow_exception(s.error);
  }
}

void ThreadPool::Shared::work(int index) {
  unsigned long seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping) {
        return;
      }
      seen = generation;
    }
    execute(index);
    const std::lock_guard lock(mutex);
    if (--running == 0) {
      done.notify_one();
    }
  }
}

void ThreadPool::Shared::execute(int index) {
  try {
    (*job)(index);
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!error) {
      error = std::current_exception();
    }
  }
}

}  // namespace rwa
