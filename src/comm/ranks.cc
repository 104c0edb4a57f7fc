#include "comm/ranks.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "base/shards.h"

namespace rwa {
namespace {
// Below this, a message takes the same time whatever its size: fewer messages win.
constexpr std::size_t kShortBytes = 8192;

template <class T>
std::span<std::byte> bytes_of(std::span<T> values) {
  return std::as_writable_bytes(values);
}
}  // namespace

Ranks::Ranks(Link* link) : link_(link) {
  if (link_ == nullptr) return;
  rank_ = link_->rank();
  size_ = link_->size();
  leaves_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(size_)));
}

Ranks::Leaf Ranks::leaf(int number) const {
  Leaf at{0, size_};
  for (int bit = leaves_ / 2; bit > 0; bit /= 2) {
    const int left = left_half(at.count);
    at = (number & bit) == 0 ? Leaf{at.first, left} : Leaf{at.first + left, at.count - left};
  }
  return at;
}

int Ranks::own_leaf() const {
  int number = 0;
  for (int next = 1; next < leaves_ && leaf(next).first <= rank_; ++next) number = next;
  return number;
}

template <class T>
void Ranks::add_from(int peer, std::span<const T> out, std::span<T> to) {
  received_.resize(to.size_bytes());
  link_->exchange(peer, std::as_bytes(out), received_);
  const T* from = reinterpret_cast<const T*>(received_.data());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

template <class T>
void Ranks::exchange_with(int number, std::span<const T> out, std::span<T> in) {
  link_->exchange(leaf(number).first, std::as_bytes(out), bytes_of(in));
}

// In a leaf of two ranks, the second hands its values to the first and gets the sum in the end.
template <class T>
void Ranks::sum_of(std::span<T> values) {
  if (alone() || values.empty()) return;
  const int own = own_leaf();
  const Leaf mine = leaf(own);
  if (rank_ != mine.first) {
    link_->exchange(mine.first, std::as_bytes(values), {});
    link_->exchange(mine.first, {}, bytes_of(values));
    return;
  }
  if (mine.count == 2) add_from<T>(rank_ + 1, {}, values);
  if (values.size_bytes() <= kShortBytes || values.size() < static_cast<std::size_t>(leaves_)) {
    sum_by_doubling(values, own);
  } else {
    sum_by_halves(values, own);
  }
  if (mine.count == 2) link_->exchange(rank_ + 1, std::as_bytes(values), {});
}

// Recursive doubling: neighbours in the tree exchange all values, from the leaves to the root.
template <class T>
void Ranks::sum_by_doubling(std::span<T> values, int own) {
  for (int bit = 1; bit < leaves_; bit *= 2) {
    add_from<T>(leaf(own ^ bit).first, values, values);
  }
}

// Recursive halving, the same sums with the fewest bytes: each of two neighbours continues with one
// half of the values, and they hand their sums back from the root to the leaves.
template <class T>
void Ranks::sum_by_halves(std::span<T> values, int own) {
  struct Halves {
    std::span<T> kept, given;
  };
  std::vector<Halves> levels;
  std::span<T> rest = values;
  for (int bit = 1; bit < leaves_; bit *= 2) {
    const std::size_t middle = rest.size() / 2;
    Halves halves{rest.first(middle), rest.subspan(middle)};
    if ((own & bit) != 0) std::swap(halves.kept, halves.given);
    add_from<T>(leaf(own ^ bit).first, halves.given, halves.kept);
    levels.push_back(halves);
    rest = halves.kept;
  }
  for (int bit = leaves_ / 2; bit > 0; bit /= 2) {
    exchange_with<T>(own ^ bit, levels.back().kept, levels.back().given);
    levels.pop_back();
  }
}

// Rank 0 sends to rank 1, these send to ranks 2 and 3, and so on.
void Ranks::broadcast(std::span<std::byte> bytes) {
  for (int known = 1; known < size_; known *= 2) {
    if (rank_ < known && rank_ + known < size_) {
      link_->exchange(rank_ + known, bytes, {});
    } else if (rank_ >= known && rank_ < 2 * known) {
      link_->exchange(rank_ - known, {}, bytes);
    }
  }
}

void Ranks::broadcast(std::string& text) {
  std::uint64_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  broadcast(std::as_writable_bytes(std::span(text)));
}

bool Ranks::any(bool mine) {
  double count = mine ? 1 : 0;
  sum(std::span(&count, 1));
  return count > 0;
}

void Ranks::send(int peer, std::string_view text) {
  const std::uint64_t size = text.size();
  link_->exchange(peer, std::as_bytes(std::span(&size, 1)), {});
  link_->exchange(peer, std::as_bytes(std::span(text)), {});
}

std::string Ranks::receive(int peer) {
  std::uint64_t size = 0;
  link_->exchange(peer, {}, std::as_writable_bytes(std::span(&size, 1)));
  std::string text(size, '\0');
  link_->exchange(peer, {}, std::as_writable_bytes(std::span(text)));
  return text;
}

// Collects towards rank 0 in a binary tree, then broadcasts. Each text is preceded by its size.
std::vector<std::string> Ranks::gather(std::string_view text) {
  const auto packed = [](std::string_view one) {
    const std::uint64_t size = one.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof(size)).append(one);
  };
  std::string all = packed(text);  // of ranks rank_ … rank_ + 2^k - 1
  int width = 1;
  for (; width < size_ && rank_ % (2 * width) == 0; width *= 2) {
    if (rank_ + width < size_) all += receive(rank_ + width);
  }
  if (rank_ > 0) send(rank_ - width, all);

  broadcast(all);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t size = 0;
    all.copy(reinterpret_cast<char*>(&size), sizeof(size), at);
    texts.push_back(all.substr(at + sizeof(size), size));
    at += sizeof(size) + size;
  }
  return texts;
}

template void Ranks::sum_of(std::span<float>);
template void Ranks::sum_of(std::span<double>);

}  // namespace rwa
