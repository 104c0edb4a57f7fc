#include "training/prefetch.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rwa/errors.h"

namespace rwa::training {

Prefetch::Prefetch(Fill fill, const Extent& extent)
    : fill_(std::move(fill)),
      extent_(extent),
      slots_(static_cast<std::size_t>(extent.kept + extent.ahead)),
      made_(extent.first),
      asked_(extent.first) {
  if (extent.ahead == 0) return;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    throw ResourceError(fmt::format("cannot start the data thread: {}", error.what()));
  }
}

Prefetch::~Prefetch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const datasets::Batch& Prefetch::next() {
  if (!thread_.joinable()) {
    fill_(asked_, slot(asked_));
    return slot(asked_++);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return made_ > asked_ || error_; });
  if (made_ <= asked_) std::rethrow_exception(error_);
  changed_.notify_all();
  return slot(asked_++);
}

// The slots hold the batches given out and kept, and those prepared ahead.
void Prefetch::work() {
  for (std::int64_t number = extent_.first; number < extent_.end; ++number) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || number < asked_ + extent_.ahead; });
      if (stopping_) return;
    }
    std::exception_ptr error;
    try {
      fill_(number, slot(number));
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (error) {
      error_ = error;
    } else {
      made_ = number + 1;
    }
    changed_.notify_all();
    if (error) return;
  }
}

datasets::Batch& Prefetch::slot(std::int64_t number) {
  return slots_[static_cast<std::size_t>(number) % slots_.size()];
}

}  // namespace rwa::training
