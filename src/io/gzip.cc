#include "io/gzip.h"

#include <fmt/format.h>
#define ZLIB_CONST  // zlib does not write to what it reads
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <string>

#include "io/read_file.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {
constexpr std::array kGzipMagic{std::byte{0x1F}, std::byte{0x8B}};
constexpr int kOnlyGzip = MAX_WBITS + 16;  // how zlib is told so
constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts with 32 bits

// The bytes as they stand in the file; the next ones can be looked at before they are taken.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& file) : file_(file), left_(file_.size()) {}

  // Empty only at the end of the file.
  std::span<const std::byte> peek() {
    if (next_.empty() && left_ > 0) {
      const auto part = std::span(buffer_).first(std::min<std::uint64_t>(left_, kBufferSize));
      file_.read(part);
      left_ -= part.size();
      next_ = part;
    }
    return next_;
  }
  void take(std::size_t count) {
    next_ = next_.subspan(count);
    taken_ += count;
  }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  InputFile file_;
  std::uint64_t left_;
  std::uint64_t taken_ = 0;
  std::array<std::byte, kBufferSize> buffer_{};
  std::span<const std::byte> next_;
};

bool starts_as_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= kGzipMagic.size() &&
         std::ranges::equal(bytes.first(kGzipMagic.size()), kGzipMagic);
}
}  // namespace

struct UnpackedFile::Impl {
  explicit Impl(const std::filesystem::path& file) : name(file.string()), raw(file) {
    packed = starts_as_gzip(raw.peek());
    if (packed && ::inflateInit2(&stream, kOnlyGzip) != Z_OK) throw std::bad_alloc();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (packed) ::inflateEnd(&stream);
  }

  // Both give some bytes, perhaps none yet; `ended` says that no more will come.
  std::size_t copy(std::span<std::byte> to);
  std::size_t unpack(std::span<std::byte> to);
  void finish_stream();

  std::string name;
  RawFile raw;
  bool packed = false;
  bool ended = false;
  z_stream stream{};
};

std::size_t UnpackedFile::Impl::copy(std::span<std::byte> to) {
  const auto from = raw.peek().first(std::min(raw.peek().size(), to.size()));
  std::ranges::copy(from, to.begin());
  ended = from.empty();
  raw.take(from.size());
  return from.size();
}

std::size_t UnpackedFile::Impl::unpack(std::span<std::byte> to) {
  const auto from = raw.peek();
  const auto room = static_cast<uInt>(std::min(to.size(), kMostAtOnce));
  stream.next_in = reinterpret_cast<const Bytef*>(from.data());
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = room;
  const int result = ::inflate(&stream, Z_NO_FLUSH);
  raw.take(from.size() - stream.avail_in);
  if (result == Z_STREAM_END) {
    finish_stream();
  } else if (result == Z_MEM_ERROR) {
    throw std::bad_alloc();
  } else if (from.empty() && stream.avail_out == room) {
    throw InputError(
        fmt::format("{}: the gzip data are cut short: found the end of the file after {} bytes, "
                    "expected more",
                    name, raw.taken()));
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    throw InputError(fmt::format("{}: the gzip data are damaged: near byte {}, zlib says: {}", name,
                                 raw.taken(), stream.msg != nullptr ? stream.msg : "no reason"));
  }
  return room - stream.avail_out;
}

// Only another gzip stream may follow; its content goes on where this one's ended.
void UnpackedFile::Impl::finish_stream() {
  const auto next = raw.peek();
  ended = next.empty();
  if (!ended && next[0] != kGzipMagic[0]) {
    throw InputError(
        fmt::format("{}: found 0x{:02x} at byte {}, where the gzip data end, expected nothing more",
                    name, static_cast<unsigned>(next[0]), raw.taken()));
  }
  if (::inflateReset(&stream) != Z_OK) throw std::bad_alloc();
}

UnpackedFile::UnpackedFile(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>(file)) {}
UnpackedFile::~UnpackedFile() = default;

std::size_t UnpackedFile::read(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && !impl_->ended) {
    const auto rest = bytes.subspan(done);
    done += impl_->packed ? impl_->unpack(rest) : impl_->copy(rest);
  }
  return done;
}

}  // namespace rwa::io
