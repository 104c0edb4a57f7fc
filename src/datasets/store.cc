#include "datasets/store.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rwa::datasets {
namespace {
// Variable-length integers: seven bits per byte, lowest first; the eighth bit means that more
// follow.
constexpr unsigned kBits = 7;
constexpr std::uint64_t kMore = 1U << kBits;

class RecordWriter {
 public:
  explicit RecordWriter(std::vector<std::byte>& record) : record_(record) { record.clear(); }

  void number(std::uint64_t value) {
    for (; value >= kMore; value >>= kBits) record_.push_back(std::byte(value | kMore));
    record_.push_back(std::byte(value));
  }
  template <class Items>
  void items(const Items& items) {
    const auto bytes = std::as_bytes(std::span(items));
    record_.insert(record_.end(), bytes.begin(), bytes.end());
  }
  void words(const std::vector<std::int32_t>& words) {
    for (const std::int32_t word : words) number(static_cast<std::uint32_t>(word));
  }

 private:
  std::vector<std::byte>& record_;
};

class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> record)
      : at_(record.data()), end_(record.data() + record.size()) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += kBits) {
      const auto byte = std::to_integer<std::uint64_t>(*at_++);
      value |= (byte & (kMore - 1)) << shift;
      if (byte < kMore) return value;
    }
  }
  [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  template <class Items>
  void items(Items& items, std::size_t count) {
    items.resize(count);
    const std::size_t bytes = count * sizeof(typename Items::value_type);
    if (bytes > 0) std::memcpy(items.data(), at_, bytes);
    at_ += bytes;
  }
  void words(std::vector<std::int32_t>& words, std::size_t count) {
    words.resize(count);
    for (std::int32_t& word : words) word = static_cast<std::int32_t>(number());
  }

 private:
  const std::byte *at_, *end_;
};

struct Block {
  std::vector<std::byte> records;
  std::vector<std::uint32_t> starts;  // all below kBlock, where a block ends

  [[nodiscard]] std::size_t bytes() const {
    return records.size() + starts.size() * sizeof(std::uint32_t);
  }
  [[nodiscard]] std::span<const std::byte> record(std::size_t number) const {
    const std::size_t end = number + 1 < starts.size() ? starts[number + 1] : records.size();
    return std::span(records).subspan(starts[number], end - starts[number]);
  }
};
using SharedBlock = std::shared_ptr<const Block>;

// A cache of the most recently used blocks.
class BlockCache {
 public:
  explicit BlockCache(std::size_t most) : most_(most) {}

  // Returns null if the block is not cached.
  SharedBlock find(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(number);
    if (found == places_.end()) return nullptr;
    blocks_.splice(blocks_.begin(), blocks_, found->second);
    return found->second->second;
  }

  void add(std::int64_t number, SharedBlock block) {
    const std::lock_guard lock(mutex_);
    if (places_.contains(number)) return;  // another thread has added it meanwhile
    bytes_ += block->bytes();
    blocks_.emplace_front(number, std::move(block));
    places_.emplace(number, blocks_.begin());
    while (bytes_ > most_ && blocks_.size() > 1) {
      bytes_ -= blocks_.back().second->bytes();
      places_.erase(blocks_.back().first);
      blocks_.pop_back();
    }
  }

 private:
  using Blocks = std::list<std::pair<std::int64_t, SharedBlock>>;

  std::mutex mutex_;
  std::size_t most_, bytes_ = 0;
  Blocks blocks_;  // most recently used first
  std::unordered_map<std::int64_t, Blocks::iterator> places_;
};

}  // namespace

void pack(const formats::Sequence& sequence, std::vector<std::byte>& record) {
  RecordWriter writer(record);
  writer.number(static_cast<std::uint64_t>(sequence.line));
  writer.number(static_cast<std::uint64_t>(sequence.steps));
  writer.number(sequence.id.size());
  writer.number(sequence.x.size());
  writer.number(sequence.symbols.size());
  writer.number(sequence.labels.size());
  writer.number(sequence.values.size());
  writer.items(sequence.id);
  writer.items(sequence.x);
  writer.words(sequence.symbols);
  writer.words(sequence.labels);
  writer.items(sequence.values);
  writer.items(sequence.times);
}

void unpack(std::span<const std::byte> record, formats::Sequence& sequence) {
  RecordReader reader(record);
  sequence.line = static_cast<std::int64_t>(reader.number());
  sequence.steps = static_cast<int>(reader.number());
  const std::size_t id = reader.number();
  const std::size_t x = reader.number();
  const std::size_t symbols = reader.number();
  const std::size_t labels = reader.number();
  const std::size_t values = reader.number();
  reader.items(sequence.id, id);
  reader.items(sequence.x, x);
  reader.words(sequence.symbols, symbols);
  reader.words(sequence.labels, labels);
  reader.items(sequence.values, values);
  reader.items(sequence.times, reader.bytes_left() / sizeof(double));
}

struct Store::Impl {
  struct Entry {
    std::int64_t first;
    std::uint64_t place;  // in the file: records, then starts
    std::size_t records;  // bytes
  };

  Impl(std::filesystem::path where, std::size_t most, Keeper by)
      : folder(std::move(where)), memory(most), keeper(std::move(by)), cache(most) {}

  [[nodiscard]] std::int64_t first(std::int64_t block) const {
    const auto number = static_cast<std::size_t>(block);
    return number < index.size() ? index[number].first : size;
  }

  void end_block();
  void write(const Block& block, Entry& entry);
  [[nodiscard]] SharedBlock load(std::int64_t block) const;
  [[nodiscard]] SharedBlock get(std::int64_t block) const;

  std::filesystem::path folder;
  std::size_t memory;
  Keeper keeper;
  std::vector<Entry> index;
  std::int64_t size = 0;
  Block growing;
  std::vector<std::byte> record;
  std::vector<SharedBlock> kept;  // until there is a file
  std::size_t kept_bytes = 0;
  std::optional<NamelessFile> file;
  mutable BlockCache cache;
};

void Store::Impl::write(const Block& block, Entry& entry) {
  entry.place = file->size();
  file->append(block.records);
  file->append(std::as_bytes(std::span(block.starts)));
}

void Store::Impl::end_block() {
  if (growing.starts.empty()) return;
  index.push_back({.first = size - static_cast<std::int64_t>(growing.starts.size()),
                   .place = 0,
                   .records = growing.records.size()});
  if (file) {
    write(growing, index.back());
    growing.records.clear();
    growing.starts.clear();
    return;
  }
  growing.records.shrink_to_fit();
  growing.starts.shrink_to_fit();
  kept_bytes += growing.bytes();
  kept.push_back(std::make_shared<const Block>(std::exchange(growing, {})));
  if (kept_bytes <= memory) return;
  file.emplace(folder, keeper);
  for (std::size_t i = 0; i < kept.size(); ++i) write(*kept[i], index[i]);
  kept = {};
}

SharedBlock Store::Impl::load(std::int64_t block) const {
  const Entry& entry = index[static_cast<std::size_t>(block)];
  auto loaded = std::make_shared<Block>();
  loaded->records.resize(entry.records);
  loaded->starts.resize(static_cast<std::size_t>(first(block + 1) - entry.first));
  file->read(entry.place, loaded->records);
  file->read(entry.place + entry.records, std::as_writable_bytes(std::span(loaded->starts)));
  return loaded;
}

SharedBlock Store::Impl::get(std::int64_t block) const {
  if (!file) return kept[static_cast<std::size_t>(block)];
  SharedBlock found = cache.find(block);
  if (found) return found;
  found = load(block);  // without the lock: other threads keep reading
  cache.add(block, found);
  return found;
}

Store::Store(std::filesystem::path folder, std::size_t memory, Keeper keeper)
    : impl_(std::make_unique<Impl>(std::move(folder), memory, std::move(keeper))) {}
Store::~Store() = default;

void Store::append(const formats::Sequence& sequence) {
  pack(sequence, impl_->record);
  append(impl_->record);
}

void Store::append(std::span<const std::byte> record) {
  Block& block = impl_->growing;
  block.starts.push_back(static_cast<std::uint32_t>(block.records.size()));
  block.records.insert(block.records.end(), record.begin(), record.end());
  ++impl_->size;
  if (block.records.size() >= kBlock) impl_->end_block();
}

void Store::close() {
  impl_->end_block();
  if (impl_->file) impl_->file->share(impl_->keeper);
  impl_->growing = {};
  impl_->record = {};
}

std::int64_t Store::size() const { return impl_->size; }
bool Store::in_memory() const { return !impl_->file; }
std::size_t Store::memory() const { return impl_->memory; }
std::int64_t Store::blocks() const { return static_cast<std::int64_t>(impl_->index.size()); }
std::int64_t Store::first(std::int64_t block) const { return impl_->first(block); }

std::int64_t Store::block_of(std::int64_t sequence) const {
  const auto after = std::ranges::upper_bound(impl_->index, sequence, {}, &Impl::Entry::first);
  return after - impl_->index.begin() - 1;
}

std::size_t Store::bytes(std::int64_t block) const {
  const auto count = static_cast<std::size_t>(first(block + 1) - first(block));
  return impl_->index[static_cast<std::size_t>(block)].records + count * sizeof(std::uint32_t);
}

void Store::read(std::int64_t number, formats::Sequence& sequence) const {
  const std::int64_t block = block_of(number);
  const SharedBlock shared = impl_->get(block);
  unpack(shared->record(static_cast<std::size_t>(number - first(block))), sequence);
}

}  // namespace rwa::datasets
