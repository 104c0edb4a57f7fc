// src/comm/group.h: a group of a link's ranks that works on its own.
#pragma once

#include <span>

#include "rwa/link.h"

namespace rwa {

// Splits the ranks of a link into consecutive groups of nearly equal size; this is the group of
// this rank. Ranks within a group count from 0. The link must outlive the group.
class RankGroup final : public Link {
 public:
  RankGroup(Link& whole, int groups) : whole_(whole) {  // 1 <= groups <= whole.size()
    const auto first = [&](int group) {
      return static_cast<int>(static_cast<long>(whole.size()) * group / groups);
    };
    while (first(number_ + 1) <= whole.rank()) ++number_;
    first_ = first(number_);
    size_ = first(number_ + 1) - first_;
  }

  // The group's number, from 0.
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int rank() const override { return whole_.rank() - first_; }
  [[nodiscard]] int size() const override { return size_; }
  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    whole_.exchange(first_ + peer, out, in);
  }

 private:
  Link& whole_;
  int number_ = 0;
  int first_ = 0;
  int size_ = 0;
};

}  // namespace rwa
