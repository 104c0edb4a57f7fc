#include "datasets/store_record.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rwa::datasets {
namespace {
// Seven bits a byte, the lowest first; the eighth says that more come. Most are a single byte.
constexpr unsigned kBits = 7;
constexpr std::uint64_t kMore = 1U << kBits;

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& record) : record_(record) { record.clear(); }

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

class Reader {
 public:
  explicit Reader(std::span<const std::byte> record) : at_(record.data()) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += kBits) {
      const auto byte = std::to_integer<std::uint64_t>(*at_++);
      value |= (byte & (kMore - 1)) << shift;
      if (byte < kMore) return value;
    }
  }
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
  const std::byte* at_;
};
}  // namespace

void pack(const formats::Sequence& sequence, std::vector<std::byte>& record) {
  Writer writer(record);
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
}

void unpack(std::span<const std::byte> record, formats::Sequence& sequence) {
  Reader reader(record);
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
}

}  // namespace rwa::datasets
