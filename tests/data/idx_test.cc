// tests/data/idx_test.cc: arrays as files hold them, and files that lie about what they hold.
#include "data/idx.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "idx_testing.h"
#include "io/gzip_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace {
std::atomic<std::size_t> largest = 0;  // request for memory, in bytes
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  largest = std::max(largest.load(), bytes);
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace rwa::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMost = 1'000'000'000;
constexpr std::array<std::uint32_t, 2> kSmallImage = {2, 3};

class IdxFile : public ::testing::Test {
 protected:
  std::vector<std::uint8_t> read(std::string_view content, std::span<const std::uint32_t> item,
                                 std::uint32_t most = kMost) {
    io::put(file_, content);
    return read_idx(file_, item, most);
  }

  void expect_refusal(std::string_view content, std::span<const std::uint32_t> item,
                      std::string_view message) {
    const std::string whole = file_.string() + ": " + std::string(message);
    io::expect_error<InputError>([&] { read(content, item); }, {whole});
    io::expect_error<InputError>([&] { read(io::gzip(content), item); }, {whole});
  }

  io::TempFolder folder_;
  fs::path file_ = folder_.path() / "array";
};

TEST_F(IdxFile, IsReadPlainAndPacked) {
  const std::string images = idx({kImages, 2, 2, 3}, "abcdef\xff\x80ijkl");
  const std::vector<std::uint8_t> expected = {'a',  'b',  'c', 'd', 'e', 'f',
                                              0xFF, 0x80, 'i', 'j', 'k', 'l'};
  EXPECT_EQ(read(images, kSmallImage), expected);
  EXPECT_EQ(read(io::gzip(images), kSmallImage), expected);
  const std::string labels = idx({kLabels, 3}, std::string_view("\0\1\2", 3));
  EXPECT_EQ(read(labels, {}), (std::vector<std::uint8_t>{0, 1, 2}));
}

TEST_F(IdxFile, MayBeLong) {
  std::string content(5'000'000, 'x');
  content.back() = 'y';
  for (const std::string& text :
       {idx({kLabels, 5'000'000}, content), io::gzip(idx({kLabels, 5'000'000}, content))}) {
    const auto bytes = read(text, {});
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), content.begin(), content.end()));
  }
}

TEST_F(IdxFile, AHeaderThatIsCutShort) {
  const std::string whole = idx({kImages, 2, 2, 3}, "");
  const std::string_view header = whole;
  const std::string_view message = "ends inside the header, expected ";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    expect_refusal(header.substr(0, length), kSmallImage, message);
  }
}

TEST_F(IdxFile, AnotherMagicNumber) {
  expect_refusal(idx({kLabels, 2}, "ab"), kSmallImage,
                 "begins with 0x00000801, expected 0x00000803, an IDX array of bytes with 3 "
                 "dimensions");
  expect_refusal(idx({kImages, 1, 2, 3}, "abcdef"), {},
                 "begins with 0x00000803, expected 0x00000801, an IDX array of bytes with 1 "
                 "dimension");
  expect_refusal(idx({0xD03, 1, 2, 3}, ""), kSmallImage, "begins with 0x00000d03, expected");
  expect_refusal("<!DOCTYPE html>", {}, "begins with 0x3c21444f, expected");
}

TEST_F(IdxFile, AnotherShape) {
  expect_refusal(idx({kImages, 1, 3, 3}, "abcdefghi"), kSmallImage,
                 "has 3 as dimension 2 of 3, expected 2");
  expect_refusal(idx({kImages, 1, 2, 4}, "abcdefgh"), kSmallImage,
                 "has 4 as dimension 3 of 3, expected 3");
}

TEST_F(IdxFile, NoItemsOrTooMany) {
  expect_refusal(idx({kLabels, 0}, ""), {}, "has 0 items, expected 1 to 1000000000");
  expect_refusal(idx({kLabels, 0xFFFFFFFF}, "ab"), {}, "has 4294967295 items, expected 1 to");
  io::expect_error<InputError>(
      [&] {
        read(idx({kLabels, 3}, "abc"), {}, 2);
      },
      {"has 3 items, expected 1 to 2"});
}

TEST_F(IdxFile, ASizeThatDisagrees) {
  expect_refusal(idx({kImages, 2, 2, 3}, "abcdefghijk"), kSmallImage,
                 "has 11 bytes after the header, expected 12");
  expect_refusal(idx({kImages, 2, 2, 3}, ""), kSmallImage,
                 "has 0 bytes after the header, expected 12");
  expect_refusal(idx({kImages, 2, 2, 3}, "abcdefghijklm"), kSmallImage,
                 "has more bytes after the header than the 12 expected");
}

// 6 GB by its header; then 1 GB by its bytes, packed to 1 MB, of which the header wants six.
TEST_F(IdxFile, MemoryIsTakenForBytesThatAreThere) {
  io::put(file_, idx({kImages, kMost, 2, 3}, "abcdef"));
  largest = 0;
  EXPECT_THROW(read_idx(file_, kSmallImage, kMost), InputError);
  EXPECT_LT(largest, 2'000'000U);

  std::string bomb = io::gzip(idx({kImages, 1, 2, 3}, "abcdef"));
  const std::string part = io::gzip(std::string(10'000'000, '\0'));
  for (int i = 0; i < 100; ++i) bomb += part;
  io::put(file_, bomb);
  largest = 0;
  EXPECT_THROW(read_idx(file_, kSmallImage, kMost), InputError);
  EXPECT_LT(largest, 2'000'000U);
}

TEST_F(IdxFile, DamagedPackingIsNamed) {
  const std::string packed = io::gzip(idx({kLabels, 3}, "abc"));
  io::expect_error<InputError>([&] { read(packed.substr(0, packed.size() - 1), {}); },
                               {file_.string(), "cut short"});
  io::expect_error<InputError>([&] { read(packed + "x", {}); }, {file_.string(), "found 0x78"});
}

}  // namespace
}  // namespace rwa::data
