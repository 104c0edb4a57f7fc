// src/training/prefetch.h: prepares batches in order on a separate thread.
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
  // Makes the batch of this number. Calls never overlap.
  using Fill = std::function<void(std::int64_t number, datasets::Batch& batch)>;

  struct Extent {
    std::int64_t first = 0, end = 0;  // batches [first, end)
    int kept = 1;                     // batches given out that stay valid
    int ahead = 0;                    // batches prepared in advance; 0: no thread
  };

  // Throws ResourceError if the thread cannot be started.
  Prefetch(Fill fill, const Extent& extent);
  ~Prefetch();  // waits for the batch in preparation
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Returns the next batch, which must exist. It stays valid until `kept` more are requested.
  // Rethrows exceptions of `fill`.
  const datasets::Batch& next();

 private:
  void work();
  datasets::Batch& slot(std::int64_t number);

  Fill fill_;
  Extent extent_;
  std::vector<datasets::Batch> slots_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::int64_t made_;   // number of the next batch to make
  std::int64_t asked_;  // number of the next batch to give out
  std::exception_ptr error_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace rwa::training
