// tests/io/unpacked_test.cc: compressed content is restored; damage is reported.
#include "io/unpacked.h"

#include <array>
#include <random>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gzip_testing.h"
#include "io_testing.h"
#include "rwa/errors.h"
#include "zstd_testing.h"

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

// Reads to the end in pieces of this size.
std::string read_all(Unpacked& content, std::size_t piece = 1000) {
  std::string text;
  std::vector<std::byte> bytes(piece);
  while (true) {
    const std::size_t count = content.read(bytes);
    text += as_text(std::span(bytes).first(count));
    if (count < piece) return text;
  }
}

class UnpackedFile : public ::testing::Test {
 protected:
  fs::path write(std::string_view content) {
    put(file_, content);
    return file_;
  }

  std::string read(std::size_t piece = 1000) {
    Unpacked content(file_);
    return read_all(content, piece);
  }

  void expect_refusal(std::string_view content, std::initializer_list<std::string_view> parts) {
    write(content);
    expect_error<InputError>([&] { read(); }, parts);
    expect_error<InputError>([&] { read(); }, {file_.string()});
  }

  TempFolder folder_;
  fs::path file_ = folder_.path() / "data";
};

struct Packer {
  std::string name;
  std::string (*pack)(std::string_view);
  std::size_t magic, header;  // in bytes
};

// Properties of every compression format.
class Packed : public UnpackedFile, public ::testing::WithParamInterface<Packer> {
 protected:
  static std::string pack(std::string_view text) { return GetParam().pack(text); }
  static std::string data() { return "the " + GetParam().name + " data"; }
};
INSTANTIATE_TEST_SUITE_P(
    Packing, Packed,
    ::testing::Values(Packer{"gzip", gzip, 2, 10},
                      Packer{"zstd", [](std::string_view text) { return zstd(text); }, 4, 6}),
    [](const auto& packer) { return packer.param.name; });

// Longer than any buffer, and hard to compress.
std::string long_text() {
  std::mt19937 random(1);
  std::string text(300'000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST_F(UnpackedFile, APlainFileIsItself) {
  for (const std::string& text :
       {std::string(), std::string("\x1f"), std::string("plain"), std::string("\x1f\x8a", 2),
        std::string("\x28\xb5\x2f"), std::string("P*M"), std::string("(\n"), long_text()}) {
    write(text);
    EXPECT_EQ(read(), text);
  }
}

TEST_P(Packed, IsUnpackedWhateverThePieces) {
  for (const std::string& text : {std::string(), std::string("x"), long_text()}) {
    write(pack(text));
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 7, 65'536, 1'000'000}) {
      EXPECT_EQ(read(piece), text) << piece;
    }
  }
}

TEST_P(Packed, PartsInARowAreOneContent) {
  write(pack("one ") + pack("") + pack("two ") + pack(long_text()));
  EXPECT_EQ(read(), "one two " + long_text());
}

TEST_P(Packed, AfterTheEndThereIsNothing) {
  Unpacked content(write(pack("x")));
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(content.read(std::span<std::byte>()), 0);
  EXPECT_EQ(content.read_some(std::span<std::byte>()), 0);
  EXPECT_EQ(content.read(bytes), 1);
  EXPECT_EQ(content.read(bytes), 0);
  EXPECT_EQ(content.read_some(bytes), 0);
}

TEST_P(Packed, EveryTruncationIsNoticed) {
  const std::string packed = pack("some text that is not very long");
  for (std::size_t length = GetParam().magic; length < packed.size(); ++length) {
    expect_refusal(packed.substr(0, length),
                   {data(), "truncated", std::to_string(length) + " bytes", "expected more"});
  }
}

TEST_P(Packed, ALongTruncatedFileIsNoticed) {
  expect_refusal(pack(long_text()).substr(0, 200'000), {data(), "truncated", "200000 bytes"});
}

// Not every byte of the header matters; everything after it is checked.
TEST_P(Packed, EveryAlteredByteIsNoticed) {
  const std::string packed = pack("some text that is not very long");
  for (std::size_t i = GetParam().header; i < packed.size(); ++i) {
    std::string altered = packed;
    altered[i] = static_cast<char>(altered[i] ^ 0x55);
    expect_refusal(altered, {data() + " is"});
  }
}

TEST_P(Packed, TrailingGarbageIsNamed) {
  const std::string packed = pack("text");
  const std::string place = "byte " + std::to_string(packed.size());
  expect_refusal(packed + "garbage",
                 {"found 0x67", place, "after the end of " + data(), "expected nothing more"});
  expect_refusal(packed + std::string(512, '\0'), {"found 0x00", place});
  expect_refusal(packed + packed[0] + " garbage", {"damaged"});
  expect_refusal(packed + packed[0], {"truncated"});
}

// Only as much as requested is decompressed.
TEST_P(Packed, ABombIsHarmless) {
  std::string bomb;
  const std::string part = pack(std::string(20'000'000, '\0'));
  for (int i = 0; i < 100; ++i) bomb += part;
  Unpacked content(write(bomb));
  std::array<std::byte, 1000> bytes{};
  EXPECT_EQ(content.read(bytes), bytes.size());
}

TEST_F(UnpackedFile, AWrongChecksumIsNamed) {
  std::string packed = gzip("text");
  packed[packed.size() - 8] ^= 1;
  expect_refusal(packed, {"damaged", "incorrect data check"});
  packed = zstd("text");
  packed[packed.size() - 1] ^= 1;
  expect_refusal(packed, {"damaged", "checksum"});
}

TEST_F(UnpackedFile, AHugeWindowIsRefused) {
  write(zstd("text", 27));
  EXPECT_EQ(read(), "text");
  expect_refusal(zstd("text", 28), {"window of more than 128 MiB", "--long"});
  expect_refusal(zstd("text", 31), {"window of more than 128 MiB", "--long"});
}

// As pzstd writes them.
TEST_F(UnpackedFile, FramesOfZstdThatAreNotContentAreSkipped) {
  const std::string skipped("\x5A\x2A\x4D\x18\x03\x00\x00\x00...", 11);
  write(skipped + zstd("one ") + skipped + zstd("two"));
  EXPECT_EQ(read(), "one two");
  expect_refusal(skipped.substr(0, 10), {"truncated"});
}

TEST_F(UnpackedFile, RefusesWhatIsNoRegularFile) {
  expect_error<ResourceError>([&] { Unpacked content(file_); },
                              {file_.string(), "No such file or directory"});
  expect_error<ResourceError>([&] { Unpacked content(folder_.path()); }, {"Is a directory"});
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  expect_error<ResourceError>([&] { Unpacked content(file_); }, {"pipe"});
}

// Replaces standard input during its lifetime.
class AsStandardInput {
 public:
  explicit AsStandardInput(int descriptor) : before_(::dup(STDIN_FILENO)) {
    ::dup2(descriptor, STDIN_FILENO);
    ::close(descriptor);
  }
  AsStandardInput(const AsStandardInput&) = delete;
  AsStandardInput& operator=(const AsStandardInput&) = delete;
  ~AsStandardInput() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

struct Pipe {
  Pipe() {
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  int ends[2] = {};
};

TEST_F(UnpackedFile, TheStandardInputIsAPipeOrAFile) {
  for (const std::string& text : {std::string("plain"), gzip("plain"), zstd("plain")}) {
    const Pipe pipe;
    pipe.write(text);
    ::close(pipe.ends[1]);
    const AsStandardInput input(pipe.ends[0]);
    Unpacked content("-");
    EXPECT_EQ(content.name(), "standard input");
    EXPECT_EQ(read_all(content), "plain");
  }
  write(gzip(long_text()));
  const AsStandardInput input(::open(file_.c_str(), O_RDONLY));
  Unpacked content("-");
  EXPECT_EQ(read_all(content), long_text());
}

// `rwa stream` predicts line by line: input must be available before more is written.
TEST_F(UnpackedFile, APipeIsNotWaitedFor) {
  const Pipe pipe;
  const AsStandardInput input(pipe.ends[0]);
  pipe.write("(");  // might become zstd's magic number
  pipe.write("\n");
  Unpacked content("-");
  std::array<std::byte, 100> bytes{};
  EXPECT_EQ(content.read_some(bytes), 2);
  pipe.write("1,2\n");
  EXPECT_EQ(content.read_some(bytes), 4);
  EXPECT_EQ(as_text(std::span(bytes).first(4)), "1,2\n");
  ::close(pipe.ends[1]);
  EXPECT_EQ(content.read_some(bytes), 0);
}

TEST_F(UnpackedFile, ADamagedStandardInputIsNamed) {
  const Pipe pipe;
  pipe.write(gzip("text").substr(0, 12));
  ::close(pipe.ends[1]);
  const AsStandardInput input(pipe.ends[0]);
  Unpacked content("-");
  expect_error<InputError>([&] { read_all(content); },
                           {"standard input: the gzip data is truncated"});
}

}  // namespace
}  // namespace rwa::io
