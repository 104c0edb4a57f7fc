#include "program.h"

#include <algorithm>
#include <cstdlib>

#include <zlib.h>
#include <zstd.h>

namespace rwa::fuzz {
namespace {
using Content = std::vector<std::uint8_t>;

constexpr unsigned kPackings = 4, kPowers = 21;

// Takes the beginning of `bytes`: as many as there are of `count`.
Bytes take(Bytes& bytes, std::size_t count) {
  const Bytes taken = bytes.first(std::min(count, bytes.size()));
  bytes = bytes.subspan(taken.size());
  return taken;
}

std::size_t take_number(Bytes& bytes, std::size_t width) {
  std::size_t number = 0, place = 1;
  for (const std::uint8_t byte : take(bytes, width)) {
    number += byte * place;
    place <<= 8;
  }
  return number;
}

Content gzip(const Content& content) {
  constexpr int kGzip = 16, kMemory = 8;  // as zlib.h says
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
  Content packed(deflateBound(&stream, content.size()));
  stream.next_in = const_cast<std::uint8_t*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

Content zstd(const Content& content) {
  Content packed(ZSTD_compressBound(content.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 1);
  if (ZSTD_isError(size) != 0) std::abort();
  packed.resize(size);
  return packed;
}

void append_piece(Bytes piece, unsigned power, Content& program) {
  program.push_back(static_cast<std::uint8_t>(power));
  program.push_back(static_cast<std::uint8_t>(piece.size() & 0xFF));
  program.push_back(static_cast<std::uint8_t>(piece.size() >> 8));
  program.insert(program.end(), piece.begin(), piece.end());
}
}  // namespace

std::vector<std::uint8_t> written_by(Bytes program) {
  const std::size_t packing = take_number(program, 1) % kPackings;
  Content content;
  while (!program.empty()) {
    const std::size_t times = std::size_t{1} << (take_number(program, 1) % kPowers);
    const std::size_t length = take_number(program, 2);
    const Bytes piece = take(program, length);
    if (piece.empty()) continue;
    const std::size_t room = (kMostWritten - content.size()) / piece.size();
    for (std::size_t i = 0; i < std::min(times, room); ++i) {
      content.insert(content.end(), piece.begin(), piece.end());
    }
  }
  switch (packing) {
    case 1:
      return gzip(content);
    case 2:
      return zstd(content);
    case 3:
      return gzip(gzip(content));
    default:
      return content;
  }
}

std::vector<std::uint8_t> with_a_repeated_piece(Bytes input, std::minstd_rand& random) {
  const Bytes content = input.subspan(1);
  const auto below = [&](std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); };
  const std::size_t first = below(content.size());
  const std::size_t length = std::min(1 + below(16), content.size() - first);
  Content program = {static_cast<std::uint8_t>(input.front() | kIsProgram),
                     static_cast<std::uint8_t>(below(kPackings))};
  append_piece(content.first(first), 0, program);
  append_piece(content.subspan(first, length), static_cast<unsigned>(below(kPowers)), program);
  append_piece(content.subspan(first + length), 0, program);
  return program;
}

}  // namespace rwa::fuzz
