#include "io/unpacked.h"

#include <fmt/format.h>
#define ZLIB_CONST  // const input buffers
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

#include "io/read_file.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {
constexpr std::size_t kBufferSize = std::size_t{1} << 17;
constexpr std::string_view kGzip = "\x1F\x8B";
constexpr std::string_view kZstd = "\x28\xB5\x2F\xFD";
constexpr std::string_view kSkipped =
    "\x2A\x4D\x18";  // zstd's skippable frames, after a byte 0x50 to 0x5F

// The stored bytes of a file, with lookahead.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& file)
      : name_(file == "-" ? "standard input" : file.string()) {
    if (file == "-") return;
    file_.emplace(file);
    left_ = file_->size();
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

  // Empty only at the end of the file.
  std::string_view peek() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = fetch(buffer_);
    }
    return {reinterpret_cast<const char*>(buffer_.data()) + begin_, end_ - begin_};
  }
  // Like peek(), after reading more. Empty if there is no more.
  std::string_view peek_further() {
    const std::size_t more = fetch(std::span(buffer_).subspan(end_));
    end_ += more;
    return more == 0 ? std::string_view() : peek();
  }
  void take(std::size_t count) {
    begin_ += count;
    taken_ += count;
  }
  // Returns buffered bytes first; later bytes bypass the buffer.
  std::size_t read(std::span<std::byte> to) {
    if (begin_ == end_) {
      const std::size_t count = fetch(to);
      taken_ += count;
      return count;
    }
    const std::size_t count = std::min(to.size(), end_ - begin_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), count, to.begin());
    take(count);
    return count;
  }

 private:
  std::size_t fetch(std::span<std::byte> to) {
    if (!file_) {
      const ssize_t count =
          repeat_if_interrupted([&] { return ::read(STDIN_FILENO, to.data(), to.size()); });
      if (count < 0) throw_refusal("read", name_, errno);
      return static_cast<std::size_t>(count);
    }
    const auto part = to.first(std::min<std::uint64_t>(left_, to.size()));
    file_->read(part);
    left_ -= part.size();
    return part.size();
  }

  std::string name_;
  std::optional<InputFile> file_;  // empty: standard input
  std::uint64_t left_ = 0;
  std::uint64_t taken_ = 0;
  std::array<std::byte, kBufferSize> buffer_{};
  std::size_t begin_ = 0, end_ = 0;  // range of buffer_ read but not taken
};

// some() returns some bytes, possibly none yet; after ended() there are no more.
class Content {
 public:
  explicit Content(RawFile& raw) : raw_(raw) {}
  virtual ~Content() = default;
  virtual std::size_t some(std::span<std::byte> to) = 0;
  [[nodiscard]] bool ended() const { return ended_; }

 protected:
  [[noreturn]] void refuse_cut(std::string_view format) const {
    throw InputError(
        fmt::format("{}: the {} data is truncated: found the end of the file after {} bytes, "
                    "expected more",
                    raw_.name(), format, raw_.taken()));
  }
  [[noreturn]] void refuse_damaged(std::string_view format, std::string_view library,
                                   std::string_view reason) const {
    throw InputError(fmt::format("{}: the {} data is damaged near byte {}, {} says: {}",
                                 raw_.name(), format, raw_.taken(), library, reason));
  }
  // Another part may follow if it starts with the right byte; contents are concatenated.
  void finish_part(std::string_view format, bool (*may_follow)(char)) {
    const std::string_view next = raw_.peek();
    ended_ = next.empty();
    if (ended_ || may_follow(next[0])) return;
    throw InputError(fmt::format(
        "{}: found 0x{:02x} at byte {} after the end of the {} data, expected nothing more",
        raw_.name(), static_cast<unsigned char>(next[0]), raw_.taken(), format));
  }

  RawFile& raw_;
  bool ended_ = false;
};

class Plain : public Content {
 public:
  using Content::Content;
  std::size_t some(std::span<std::byte> to) override {
    const std::size_t count = raw_.read(to);
    ended_ = count == 0;
    return count;
  }
};

class Gzip : public Content {
 public:
  explicit Gzip(RawFile& raw) : Content(raw) {
    constexpr int kOnlyGzip = MAX_WBITS + 16;  // zlib's convention
    if (::inflateInit2(&stream_, kOnlyGzip) != Z_OK) throw std::bad_alloc();
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override { ::inflateEnd(&stream_); }

  std::size_t some(std::span<std::byte> to) override {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts with 32 bits
    const std::string_view from = raw_.peek();
    const auto room = static_cast<uInt>(std::min(to.size(), kMostAtOnce));
    stream_.next_in = reinterpret_cast<const Bytef*>(from.data());
    stream_.avail_in = static_cast<uInt>(from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = room;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    raw_.take(from.size() - stream_.avail_in);
    if (result == Z_STREAM_END) {
      finish_part("gzip", [](char next) { return next == kGzip[0]; });
      if (::inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (from.empty() && stream_.avail_out == room) {
      refuse_cut("gzip");
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      refuse_damaged("gzip", "zlib", stream_.msg != nullptr ? stream_.msg : "no reason");
    }
    return room - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

class Zstd : public Content {
 public:
  explicit Zstd(RawFile& raw) : Content(raw), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMostWindowLog);
  }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ~Zstd() override { ::ZSTD_freeDStream(stream_); }

  std::size_t some(std::span<std::byte> to) override {
    const std::string_view next = raw_.peek();
    ZSTD_inBuffer from{next.data(), next.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t result = ::ZSTD_decompressStream(stream_, &out, &from);
    raw_.take(from.pos);
    if (::ZSTD_isError(result)) refuse(result);
    if (result == 0) {
      finish_part("zstd", [](char c) { return c == kZstd[0] || (c & 0xF0) == 0x50; });
    } else if (next.empty() && out.pos == 0) {
      refuse_cut("zstd");
    }
    return out.pos;
  }

 private:
  static constexpr int kMostWindowLog = 27;  // zstd's own default limit

  [[noreturn]] void refuse(std::size_t result) const {
    const ZSTD_ErrorCode code = ::ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      throw InputError(fmt::format(
          "{}: found zstd data with a window of more than {} MiB, expected at most that: "
          "compress it without --long",
          raw_.name(), 1 << (kMostWindowLog - 20)));
    }
    refuse_damaged("zstd", "libzstd", ::ZSTD_getErrorName(result));
  }

  ZSTD_DStream* stream_;
};

// Both are false as soon as the bytes cannot begin with the magic number, so that interactive input
// is not held up waiting for a second line.
bool could_be(std::string_view bytes, std::string_view magic) {
  return bytes.substr(0, magic.size()) == magic.substr(0, bytes.size());
}
bool could_be_skipped(std::string_view bytes) {
  return (bytes[0] & 0xF0) == 0x50 && could_be(bytes.substr(1), kSkipped);
}

std::unique_ptr<Content> recognise(RawFile& raw) {
  for (std::string_view bytes = raw.peek(); !bytes.empty(); bytes = raw.peek_further()) {
    if (could_be(bytes, kGzip)) {
      if (bytes.size() >= kGzip.size()) return std::make_unique<Gzip>(raw);
    } else if (could_be(bytes, kZstd) || could_be_skipped(bytes)) {
      if (bytes.size() >= kZstd.size()) return std::make_unique<Zstd>(raw);
    } else {
      break;
    }
  }
  return std::make_unique<Plain>(raw);
}
}  // namespace

struct Unpacked::Impl {
  explicit Impl(const std::filesystem::path& file) : raw(file) {}

  bool ended() {
    if (content == nullptr) content = recognise(raw);  // lazily: a pipe would block
    return content->ended();
  }

  RawFile raw;
  std::unique_ptr<Content> content;
};

Unpacked::Unpacked(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
Unpacked::~Unpacked() = default;

const std::string& Unpacked::name() const { return impl_->raw.name(); }

std::size_t Unpacked::read_some(std::span<std::byte> bytes) {
  std::size_t count = 0;
  while (count == 0 && !bytes.empty() && !impl_->ended()) count = impl_->content->some(bytes);
  return count;
}

std::size_t Unpacked::read(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && !impl_->ended()) {
    done += impl_->content->some(bytes.subspan(done));
  }
  return done;
}

}  // namespace rwa::io
