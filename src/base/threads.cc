#include "base/threads.h"

#include <fmt/format.h>

#include <system_error>

#include "rwa/errors.h"

namespace rwa {

ThreadPool::ThreadPool(int count) {
  try {
    for (int index = 1; index < count; ++index) {
      workers_.emplace_back([this, index] { work(index); });
    }
  } catch (const std::system_error& error) {
    stop();
    throw ResourceError(fmt::format("cannot start {} threads: {}", count, error.what()));
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) {
    worker.join();
  }
}

void ThreadPool::run(const std::function<void(int)>& job) {
  if (workers_.empty()) {
    job(0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    error_ = nullptr;
    running_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  execute(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
  if (error_) {
    std::rethrow_exception(error_);
  }
}

void ThreadPool::work(int index) {
  unsigned long seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) {
        return;
      }
      seen = generation_;
    }
    execute(index);
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) {
      done_.notify_one();
    }
  }
}

void ThreadPool::execute(int index) {
  try {
    (*job_)(index);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) {
      error_ = std::current_exception();
    }
  }
}

}  // namespace rwa
