// src/comm/ranks.h: what ranks do together. Sums are formed as one fixed binary tree over the
// ranks, ((0 + 1) + (2 + 3)) + …, the upper part of the tree of base/shards.h: all ranks have the
// same bits, and up to 8 of them have those of one process. Every rank calls the same functions in
// the same order.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/link.h"

namespace rwa {

// How long a rank that gives no sign of work is waited for. What is left of 30 seconds is for
// ending the job.
inline constexpr std::chrono::seconds kPatience{20};

class Ranks {
 public:
  // The link must outlive it; null: this process is alone.
  explicit Ranks(Link* link = nullptr);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool alone() const { return size_ == 1; }

  // Each number becomes the sum over the ranks.
  void sum(std::span<float> values) { sum_of(values); }
  void sum(std::span<double> values) { sum_of(values); }

  // Rank 0's bytes, on all.
  void broadcast(std::span<std::byte> bytes);
  // The same for a text of any length.
  void broadcast(std::string& text);
  // Whether any of them says so, on all.
  [[nodiscard]] bool any(bool mine);
  // Everybody's text, in the order of the ranks, on all; for few and short ones.
  std::vector<std::string> gather(std::string_view text);
  // Returns when all have come here.
  void meet() { (void)gather(""); }

 private:
  // Of the tree, with one or two ranks; there are as many as the largest power of two up to size().
  struct Leaf {
    int first, count;
  };
  [[nodiscard]] Leaf leaf(int number) const;
  // Which of them this rank is in.
  [[nodiscard]] int own_leaf() const;

  template <class T>
  void sum_of(std::span<T> values);
  template <class T>
  void sum_by_doubling(std::span<T> values, int own);
  template <class T>
  void sum_by_halves(std::span<T> values, int own);
  // `in` receives what the first of that leaf sends while `out` goes there.
  template <class T>
  void exchange_with(int number, std::span<const T> out, std::span<T> in);
  // Adds what the peer sends, which this rank's `out` crosses.
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
