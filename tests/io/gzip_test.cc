// tests/io/gzip_test.cc: what was packed comes out again; what is damaged is named.
#include "io/gzip.h"

#include <array>
#include <random>

#include <sys/stat.h>

#include "gzip_testing.h"
#include "io_testing.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

class Gzip : public ::testing::Test {
 protected:
  fs::path write(std::string_view content) {
    put(file_, content);
    return file_;
  }

  // In pieces of this size, to the end.
  std::string read(std::size_t piece = 1000) {
    UnpackedFile file(file_);
    std::string text;
    std::vector<std::byte> bytes(piece);
    while (true) {
      const std::size_t count = file.read(bytes);
      text += as_text(std::span(bytes).first(count));
      if (count < piece) return text;
    }
  }

  void expect_refusal(std::string_view content, std::initializer_list<std::string_view> parts) {
    write(content);
    expect_error<InputError>([&] { read(); }, parts);
    expect_error<InputError>([&] { read(); }, {file_.string()});
  }

  TempFolder folder_;
  fs::path file_ = folder_.path() / "data";
};

// Longer than any buffer, and it does not pack well.
std::string long_text() {
  std::mt19937 random(1);
  std::string text(300'000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST_F(Gzip, APlainFileIsItself) {
  for (const std::string& text : {std::string(), std::string("\x1f"), std::string("plain"),
                                  std::string("\x1f\x8a", 2), long_text()}) {
    write(text);
    EXPECT_EQ(read(), text);
  }
}

TEST_F(Gzip, APackedFileIsUnpackedWhateverThePieces) {
  for (const std::string& text : {std::string(), std::string("x"), long_text()}) {
    write(gzip(text));
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 7, 65'536, 1'000'000}) {
      EXPECT_EQ(read(piece), text) << piece;
    }
  }
}

TEST_F(Gzip, PackedFilesInARowAreOneContent) {
  write(gzip("one ") + gzip("") + gzip("two ") + gzip(long_text()));
  EXPECT_EQ(read(), "one two " + long_text());
}

TEST_F(Gzip, AfterTheEndThereIsNothing) {
  UnpackedFile file(write(gzip("x")));
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(file.read(std::span<std::byte>()), 0);
  EXPECT_EQ(file.read(bytes), 1);
  EXPECT_EQ(file.read(bytes), 0);
  EXPECT_EQ(file.read(bytes), 0);
}

TEST_F(Gzip, EveryTruncationIsNoticed) {
  const std::string packed = gzip("some text that is not very long");
  for (std::size_t length = 2; length < packed.size(); ++length) {
    expect_refusal(packed.substr(0, length),
                   {"cut short", std::to_string(length) + " bytes", "expected more"});
  }
}

TEST_F(Gzip, ALongTruncatedFileIsNoticed) {
  const std::string packed = gzip(long_text());
  expect_refusal(packed.substr(0, 200'000), {"cut short", "200000 bytes"});
}

// The flags and the time in the header are not part of the content; whatever follows it is checked.
TEST_F(Gzip, EveryAlteredByteIsNoticed) {
  const std::string packed = gzip("some text that is not very long");
  for (std::size_t i = 10; i < packed.size(); ++i) {
    std::string altered = packed;
    altered[i] = static_cast<char>(altered[i] ^ 0x55);
    expect_refusal(altered, {"the gzip data are"});
  }
}

TEST_F(Gzip, AWrongChecksumIsNamed) {
  std::string packed = gzip("text");
  packed[packed.size() - 8] ^= 1;
  expect_refusal(packed, {"damaged", "incorrect data check"});
}

TEST_F(Gzip, TrailingGarbageIsNamed) {
  const std::string packed = gzip("text");
  const std::string place = "byte " + std::to_string(packed.size());
  expect_refusal(packed + "garbage", {"found 0x67", place, "expected nothing more"});
  expect_refusal(packed + std::string(512, '\0'), {"found 0x00", place});
  expect_refusal(packed + "\x1f garbage", {"damaged", "incorrect header check"});
  expect_refusal(packed + "\x1f", {"cut short"});
}

// Only what is asked for is unpacked.
TEST_F(Gzip, ABombIsHarmless) {
  std::string bomb;
  const std::string part = gzip(std::string(20'000'000, '\0'));
  for (int i = 0; i < 100; ++i) bomb += part;
  UnpackedFile file(write(bomb));
  std::array<std::byte, 1000> bytes{};
  EXPECT_EQ(file.read(bytes), bytes.size());
}

TEST_F(Gzip, RefusesWhatIsNoRegularFile) {
  expect_error<ResourceError>([&] { UnpackedFile file(file_); },
                              {file_.string(), "No such file or directory"});
  expect_error<ResourceError>([&] { UnpackedFile file(folder_.path()); }, {"Is a directory"});
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  expect_error<ResourceError>([&] { UnpackedFile file(file_); }, {"pipe"});
}

}  // namespace
}  // namespace rwa::io
