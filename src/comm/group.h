// src/comm/group.h: some of the ranks of a link, which work on something of their own.
#pragma once

#include <span>

#include "rwa/link.h"

namespace rwa {

// Cuts the ranks of a link, which must outlive it, into so many consecutive groups, as equal as can
// be: this is the one that this rank is in. The ranks of a group count from 0.
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

  // Which of the groups it is, from 0 on.
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
