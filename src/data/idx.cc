#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "io/gzip.h"
#include "rwa/errors.h"

namespace rwa::data {
namespace {
// Two zero bytes, the type (unsigned bytes), the number of dimensions.
constexpr std::uint32_t kUnsignedBytes = 0x0800;

class IdxReader {
 public:
  explicit IdxReader(const std::filesystem::path& file) : name_(file.string()), file_(file) {}

  std::uint32_t header_number(std::string_view what) {
    std::array<std::byte, 4> bytes{};
    if (file_.read(bytes) < bytes.size()) fail("ends inside the header, expected {}", what);
    std::uint32_t number = 0;
    for (const std::byte byte : bytes) number = number << 8 | std::to_integer<std::uint32_t>(byte);
    return number;
  }

  // The rest of the file. Memory is taken as the bytes come, since `count` is only what it says.
  std::vector<std::uint8_t> content(std::uint64_t count) {
    constexpr std::uint64_t kFirstPart = std::uint64_t{1} << 20;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < count) {
      const std::size_t before = bytes.size();
      const auto next = std::min(count, std::max(kFirstPart, std::uint64_t{2} * before));
      bytes.reserve(next);  // no more than that, as resize() alone might
      bytes.resize(next);
      const std::size_t found =
          file_.read(std::as_writable_bytes(std::span(bytes).subspan(before)));
      if (before + found < bytes.size()) {
        fail("has {} bytes after the header, expected {}", before + found, count);
      }
    }
    if (std::byte more{}; file_.read(std::span(&more, 1)) > 0) {
      fail("has more bytes after the header than the {} expected", count);
    }
    return bytes;
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw InputError(name_ + ": " + fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  std::string name_;
  io::UnpackedFile file_;
};
}  // namespace

std::vector<std::uint8_t> read_idx(const std::filesystem::path& file,
                                   std::span<const std::uint32_t> item, std::uint32_t most) {
  IdxReader reader(file);
  const std::uint32_t magic = kUnsignedBytes + 1 + static_cast<std::uint32_t>(item.size());
  if (const auto found = reader.header_number("a magic number"); found != magic) {
    reader.fail(
        "begins with {:#010x}, expected {:#010x}, an IDX array of bytes with {} dimension{}", found,
        magic, item.size() + 1, item.empty() ? "" : "s");
  }
  const std::uint32_t count = reader.header_number("the number of items");
  if (count < 1 || count > most) reader.fail("has {} items, expected 1 to {}", count, most);
  std::uint64_t bytes = count;
  for (std::size_t i = 0; i < item.size(); ++i) {
    if (const auto found = reader.header_number("the shape of an item"); found != item[i]) {
      reader.fail("has {} as dimension {} of {}, expected {}", found, i + 2, item.size() + 1,
                  item[i]);
    }
    bytes *= item[i];
  }
  return reader.content(bytes);
}

}  // namespace rwa::data
