#include "datasets/files_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace rwa::datasets {
namespace {
// Fisher-Yates shuffle. Uses the random numbers from `index` on, one per item.
template <class T>
void shuffle(const Random& random, std::uint64_t index, std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random.below(index + i - 1, i)]);
  }
}

Random random_of(std::uint64_t seed, std::int64_t epoch) {
  return {seed, Purpose::kOrder, static_cast<std::uint32_t>(epoch)};
}
}  // namespace

void ShuffledOrder::draw(std::uint64_t seed, std::int64_t first,
                         std::span<std::int64_t> samples) const {
  const std::lock_guard lock(mutex_);
  for (std::int64_t& drawn : samples) {
    const std::int64_t epoch = first / size_;
    if (epoch_ != epoch || seed_ != seed) {
      seed_ = seed;
      epoch_ = epoch;
      shuffled_.resize(static_cast<std::size_t>(size_));
      std::iota(shuffled_.begin(), shuffled_.end(), std::int64_t{0});
      shuffle(random_of(seed, epoch), 0, shuffled_);
    }
    drawn = shuffled_[static_cast<std::size_t>(first++ % size_)];
  }
}

SampleOrder::SampleOrder(std::vector<const Store*> stores, bool balanced)
    : stores_(std::move(stores)), balanced_(balanced) {
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    const Store& store = *stores_[i];
    offsets_.push_back(size_);
    size_ += store.size();
    for (std::int64_t block = 0; block < store.blocks(); ++block) {
      blocks_.push_back({.store = i,
                         .first = store.first(block),
                         .count = store.first(block + 1) - store.first(block),
                         .bytes = store.bytes(block)});
    }
  }
}

void SampleOrder::begin_epoch(std::uint64_t seed, std::int64_t number) const {
  group_ = {};
  epoch_ = {.seed = seed, .number = number, .blocks = blocks_, .begins = {}, .places = {}};
  shuffle(random_of(seed, number), 0, epoch_.blocks);
  std::vector<std::size_t> used(stores_.size());
  std::int64_t place = 0;
  for (std::size_t i = 0; i < epoch_.blocks.size(); ++i) {
    const Block& block = epoch_.blocks[i];
    if (i == 0 || used[block.store] + block.bytes > stores_[block.store]->memory()) {
      std::ranges::fill(used, 0);
      epoch_.begins.push_back(i);
      epoch_.places.push_back(place);
    }
    used[block.store] += block.bytes;
    place += block.count;
  }
  epoch_.begins.push_back(epoch_.blocks.size());
  epoch_.places.push_back(place);
}

void SampleOrder::begin_group(std::size_t number) const {
  group_ = {};
  Group group{.number = number, .firsts = {0}, .shuffled = {}, .classes = {}};
  for (std::size_t i = epoch_.begins[number]; i < epoch_.begins[number + 1]; ++i) {
    group.firsts.push_back(group.firsts.back() + epoch_.blocks[i].count);
  }
  if (balanced_) {
    group.classes = classes_of(number);
  } else {
    group.shuffled.resize(static_cast<std::size_t>(group.firsts.back()));
    std::iota(group.shuffled.begin(), group.shuffled.end(), 0U);
    // Earlier random numbers are used for the epoch's blocks and the groups before this one.
    const auto used = blocks_.size() + static_cast<std::size_t>(epoch_.places[number]);
    shuffle(random_of(epoch_.seed, epoch_.number), used, group.shuffled);
  }
  group_ = std::move(group);  // assigned last: reading may throw
}

std::vector<std::vector<std::uint32_t>> SampleOrder::classes_of(std::size_t group) const {
  std::map<std::int32_t, std::vector<std::uint32_t>> classes;
  formats::Sequence sequence;
  std::uint32_t number = 0;
  for (std::size_t i = epoch_.begins[group]; i < epoch_.begins[group + 1]; ++i) {
    const Block& block = epoch_.blocks[i];
    for (std::int64_t k = 0; k < block.count; ++k) {
      stores_[block.store]->read(block.first + k, sequence);
      classes[sequence.labels.at(0)].push_back(number++);
    }
  }
  std::vector<std::vector<std::uint32_t>> members;
  for (auto& [label, numbers] : classes) members.push_back(std::move(numbers));
  return members;
}

void SampleOrder::look_at(std::uint64_t seed, std::int64_t place) const {
  const std::int64_t number = place / size_;
  if (epoch_.number != number || epoch_.seed != seed) begin_epoch(seed, number);
  const auto after = std::ranges::upper_bound(epoch_.places, place % size_);
  const auto group = static_cast<std::size_t>(after - epoch_.places.begin()) - 1;
  if (group_.number != group) begin_group(group);
}

std::int64_t SampleOrder::sample(std::int64_t place) const {
  std::uint32_t local = 0;
  if (balanced_) {
    const Random random(epoch_.seed, Purpose::kTrainDraws);
    const auto index = 2 * static_cast<std::uint64_t>(place);
    const auto& members = group_.classes[random.below(index, group_.classes.size())];
    local = members[random.below(index + 1, members.size())];
  } else {
    local = group_.shuffled[static_cast<std::size_t>(place % size_ - epoch_.places[group_.number])];
  }
  const auto after = std::ranges::upper_bound(group_.firsts, local);
  const auto number = static_cast<std::size_t>(after - group_.firsts.begin()) - 1;
  const Block& block = epoch_.blocks[epoch_.begins[group_.number] + number];
  return offsets_[block.store] + block.first + local - group_.firsts[number];
}

void SampleOrder::draw(std::uint64_t seed, std::int64_t first,
                       std::span<std::int64_t> samples) const {
  const std::lock_guard lock(mutex_);
  for (std::int64_t& drawn : samples) {
    look_at(seed, first);
    drawn = sample(first++);
  }
}

}  // namespace rwa::datasets
