// tests/formats/zip_testing.h: writes zip archives byte by byte, valid or malformed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#define ZLIB_CONST
#include <zlib.h>

namespace rwa::formats {

struct ZipMember {
  std::string name;
  std::string content;
  bool deflated = false;
  std::uint16_t flags = 0;      // 1: encrypted
  std::uint16_t method = 0xFF;  // overrides the method in the header
  std::uint32_t crc = 0;        // added to the correct checksum
};

inline void put_number(std::string& text, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i, number >>= 8) text += static_cast<char>(number & 0xFF);
}

inline std::string deflated(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib failed to start");
  }
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string zip(const std::vector<ZipMember>& members) {
  std::string text, directory;
  for (const ZipMember& member : members) {
    const std::string stored = member.deflated ? deflated(member.content) : member.content;
    const auto* content = reinterpret_cast<const Bytef*>(member.content.data());
    std::string entry;  // common to both headers
    put_number(entry, 20, 2);
    put_number(entry, member.flags, 2);
    put_number(entry, member.method != 0xFF ? member.method : member.deflated ? 8 : 0, 2);
    put_number(entry, 0x21 << 16, 4);  // 1980-01-01
    put_number(entry, crc32(0, content, static_cast<uInt>(member.content.size())) + member.crc, 4);
    put_number(entry, stored.size(), 4);
    put_number(entry, member.content.size(), 4);
    put_number(entry, member.name.size(), 2);
    put_number(entry, 0, 2);
    directory += std::string("PK\1\2\x14\0", 6) + entry;
    put_number(directory, 0, 2 + 2 + 2 + 4);
    put_number(directory, text.size(), 4);
    directory += member.name;
    text += "PK\3\4" + entry + member.name + stored;
  }
  const std::size_t begin = text.size();
  text += directory + "PK\5\6";
  put_number(text, 0, 4);
  put_number(text, members.size(), 2);
  put_number(text, members.size(), 2);
  put_number(text, directory.size(), 4);
  put_number(text, begin, 4);
  put_number(text, 0, 2);
  return text;
}

}  // namespace rwa::formats
