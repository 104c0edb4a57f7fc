// tests/support/thread_ranks.h: ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "rwa/link.h"

namespace rwa::cases {

// Messages on their way, in order for each pair of ranks.
class Mailboxes {
 public:
  void put(int from, int to, std::span<const std::byte> message) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].emplace_back(message.begin(), message.end());
    arrived_.notify_all();
  }
  void take(int from, int to, std::span<std::byte> message) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    arrived_.wait(lock, [&] { return broken_ || !box.empty(); });
    if (box.empty()) throw std::runtime_error("another rank has failed");
    if (box.front().size() != message.size()) throw std::logic_error("a message of another size");
    std::memcpy(message.data(), box.front().data(), message.size());
    box.pop_front();
  }
  // Called when a rank has failed: ends all waits.
  void give_up() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    arrived_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;
  bool broken_ = false;
};

class ThreadLink final : public Link {
 public:
  ThreadLink(int rank, int size, std::shared_ptr<Mailboxes> mailboxes)
      : rank_(rank), size_(size), mailboxes_(std::move(mailboxes)) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    if (!out.empty()) mailboxes_->put(rank_, peer, out);
    if (!in.empty()) mailboxes_->take(peer, rank_, in);
  }

 private:
  int rank_, size_;
  std::shared_ptr<Mailboxes> mailboxes_;
};

// Runs work(link) on `size` threads, each with a link to the others. Rethrows the first error.
inline void run_ranks(int size, const std::function<void(Link&)>& work) {
  const auto mailboxes = std::make_shared<Mailboxes>();
  std::mutex mutex;
  std::exception_ptr error;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          ThreadLink link(rank, size, mailboxes);
          work(link);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (error == nullptr) error = std::current_exception();
          mailboxes->give_up();
        }
      });
    }
  }
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace rwa::cases
