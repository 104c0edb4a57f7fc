// src/training/prefetch.h: batches in their order, made by a thread of its own before they are needed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "datasets/dataset.h"

namespace rwa::training {

class Prefetch {
 public:
  // Makes the batch of this number; one at a time, and never two at once.
  using Fill = std::function<void(std::int64_t number, datasets::Batch& batch)>;

  struct Extent {
    std::int64_t first = 0, end = 0;  // the numbers of the batches; `end` is not made
    int kept = 1;                     // how many of those given out stay as they are
    int ahead = 0;                    // how many wait to be asked for; 0: no thread
  };

  // Throws ResourceError where the system has no more threads.
  Prefetch(Fill fill, const Extent& extent);
  ~Prefetch();  // waits for the batch that is being made
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // The next batch, of which there must be one; it stays as it is until `kept` more were asked for.
  // Throws what `fill` threw for it.
  const datasets::Batch& next();

 private:
  void work();
  datasets::Batch& slot(std::int64_t number);

  Fill fill_;
  Extent extent_;
  std::vector<datasets::Batch> slots_;

  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::int64_t made_;   // the number of the next to be made
  std::int64_t asked_;  // and of the next to be asked for
  std::exception_ptr error_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace rwa::training
