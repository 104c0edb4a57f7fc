// src/comm/ranks.h: collective operations. Sums follow one fixed binary tree over the ranks,
// ((0 + 1) + (2 + 3)) + …, the upper part of the tree of base/shards.h: all ranks get the same
// bits, and up to 8 ranks get the bits of one process. Every rank calls the same functions in the
// same order.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/link.h"

namespace rwa {

// How long to wait for a rank that shows no sign of work. The rest of 30 seconds is for ending the
// job.
inline constexpr std::chrono::seconds kPatience{20};

class Ranks {
 public:
  // The link must outlive it; null: this process is alone.
  explicit Ranks(Link* link = nullptr);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool alone() const { return size_ == 1; }

  // Replaces each value by its sum over the ranks.
  void sum(std::span<float> values) { sum_of(values); }
  void sum(std::span<double> values) { sum_of(values); }

  // Copies rank 0's bytes to all ranks.
  void broadcast(std::span<std::byte> bytes);
  // The same for a text of any length.
  void broadcast(std::string& text);
  // Whether `mine` is true on any rank.
  [[nodiscard]] bool any(bool mine);
  // Returns every rank's text, in the order of the ranks, on all of them. For few and short texts.
  std::vector<std::string> gather(std::string_view text);
  // Returns when all ranks have called it.
  void meet() { (void)gather(""); }

 private:
  // A leaf of the tree: one or two ranks. There are as many as the largest power of two <= size().
  struct Leaf {
    int first, count;
  };
  [[nodiscard]] Leaf leaf(int number) const;
  // The leaf of this rank.
  [[nodiscard]] int own_leaf() const;

  template <class T>
  void sum_of(std::span<T> values);
  template <class T>
  void sum_by_doubling(std::span<T> values, int own);
  template <class T>
  void sum_by_halves(std::span<T> values, int own);
  // Sends `out` to the first rank of that leaf, and receives `in` from it.
  template <class T>
  void exchange_with(int number, std::span<const T> out, std::span<T> in);
  // Sends `out` to the peer, and adds what it sends to `to`.
  template <class T>
  void add_from(int peer, std::span<const T> out, std::span<T> to);
  void send(int peer, std::string_view text);
  [[nodiscard]] std::string receive(int peer);

  Link* link_;
  int rank_ = 0;
  int size_ = 1;
  int leaves_ = 1;
  std::vector<std::byte> received_;
};

}  // namespace rwa
