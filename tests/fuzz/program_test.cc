// tests/fuzz/program_test.cc: tests what programs write as the inputs of fuzz targets.
#include "program.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "input_file.h"
#include "io/unpacked.h"

namespace rwa::fuzz {
namespace {

using Content = std::vector<std::uint8_t>;

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string unpacked(Bytes content) {
  const InputFile file(content);
  io::Unpacked input(file.path());
  std::string text(2 * kMostWritten, '\0');
  text.resize(input.read(std::as_writable_bytes(std::span(text))));
  return text;
}

// Repeats "ab" eight times, after "x".
std::string program(char packing) { return packing + std::string("\0\1\0x\3\2\0ab", 9); }

TEST(Program, WritesItsPiecesPlainOrPacked) {
  for (const char packing : {'\0', '\1', '\2', '\4'}) {
    EXPECT_EQ(unpacked(written_by(as_bytes(program(packing)))), "xabababababababab")
        << static_cast<int>(packing);
  }
  const Content twice = written_by(as_bytes(program(3)));
  const std::string once = unpacked(twice);
  EXPECT_EQ(unpacked(as_bytes(once)), "xabababababababab");
}

TEST(Program, WritesNoMoreThanItMay) {
  const Content written = written_by(as_bytes(std::string("\0\x14\3\0abc", 7)));
  EXPECT_EQ(written.size(), kMostWritten / 3 * 3);
}

TEST(Program, OfAnInputRepeatsOneOfItsPieces) {
  std::minstd_rand random(1);
  const std::string input = "0,1,2,3,4,5,6,7,8,9";
  bool was_longer = false;
  for (int i = 0; i < 100; ++i) {
    const Content made = with_a_repeated_piece(as_bytes(input), random);
    ASSERT_EQ(made.front(), '0' | kIsProgram);
    const std::string text = unpacked(written_by(Bytes(made).subspan(1)));
    // Gzip twice is unpacked once.
    if (text.starts_with("\x1F\x8B")) continue;
    EXPECT_EQ(text.front(), ',');
    EXPECT_GE(text.size(), input.size() - 1);
    was_longer = was_longer || text.size() > 1000;
  }
  EXPECT_TRUE(was_longer);
}

}  // namespace
}  // namespace rwa::fuzz
