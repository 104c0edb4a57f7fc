// tests/io/gzip_testing.h: compresses text as the program gzip does.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#define ZLIB_CONST
#include <zlib.h>

namespace rwa::io {

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipFormat = 15 + 16;
  if (deflateInit2(&stream, 9, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib failed to start");
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("zlib failed to compress");
  return packed;
}

}  // namespace rwa::io
