// tests/formats/idx_test.cc: IDX files, correct and malformed.
#include "formats/array.h"

#include <algorithm>
#include <array>

#include "formats/array_testing.h"
#include "formats/memory_testing.h"
#include "io/gzip_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMost = 1'000'000'000;
constexpr std::array<std::int64_t, 2> kSmallImage = {2, 3};

class IdxFile : public ::testing::Test {
 protected:
  std::vector<std::uint8_t> read(std::string_view content, std::span<const std::int64_t> item,
                                 std::int64_t most = kMost) {
    io::put(file_, content);
    return read_idx(file_, item, most);
  }

  void expect_refusal(std::string_view content, std::span<const std::int64_t> item,
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
  expect_refusal(idx({0xD03, 1, 2, 3}, ""), kSmallImage,
                 "begins with 0x00000d03, expected 0x00000801 to 0x00000803, an IDX array of bytes "
                 "with 1 to 3 dimensions");
  expect_refusal(idx({0x800}, ""), {}, "begins with 0x00000800, expected 0x00000801 to");
  expect_refusal(idx({0x804, 1, 1, 1, 1}, "x"), {}, "begins with 0x00000804, expected");
  expect_refusal("<!DOCTYPE html>", {}, "begins with 0x3c21444f, expected");
}

TEST_F(IdxFile, AnotherShape) {
  expect_refusal(idx({kLabels, 2}, "ab"), kSmallImage, "has shape (2,), expected (N, 2, 3)");
  expect_refusal(idx({kImages, 1, 2, 3}, "abcdef"), {}, "has shape (1, 2, 3), expected (N,)");
  expect_refusal(idx({kImages, 1, 3, 3}, "abcdefghi"), kSmallImage,
                 "has shape (1, 3, 3), expected (N, 2, 3)");
}

TEST_F(IdxFile, NoItemsOrTooMany) {
  expect_refusal(idx({kLabels, 0}, ""), {}, "has shape (0,), expected dimensions of at least 1");
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

// First a header that claims 6 GB; then 1 GB of data compressed to 1 MB, with a header for six
// bytes.
TEST_F(IdxFile, MemoryIsTakenForBytesThatAreThere) {
  io::put(file_, idx({kImages, kMost, 2, 3}, "abcdef"));
  largest = 0;
  EXPECT_THROW(read_idx(file_, kSmallImage, kMost), InputError);
  EXPECT_LT(largest, 70'000'000U);  // a block

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
                               {file_.string(), "truncated"});
  io::expect_error<InputError>([&] { read(packed + "x", {}); }, {file_.string(), "found 0x78"});
}

class IdxSequences : public ::testing::Test {
 protected:
  void put(std::string_view name, std::string_view content) {
    io::put(folder_.path() / name, content);
  }
  Content read(const Options& options = {}, std::string_view name = "a-images-idx3-ubyte") {
    return read_all(open_idx, folder_.path() / name, options);
  }

  io::TempFolder folder_;
};

TEST_F(IdxSequences, RowsOfPixelsAreSteps) {
  put("a-images-idx3-ubyte", idx({kImages, 2, 2, 3}, std::string("\0\xff\x33\1\2\3abcdef", 12)));
  const Content content = read();
  ASSERT_EQ(content.sequences.size(), 2U);
  EXPECT_EQ(content.sequences[0].steps, 2);
  EXPECT_EQ(content.sequences[0].x,
            (std::vector<float>{0, 1, 0.2F, 1 / 255.0F, 2 / 255.0F, 3 / 255.0F}));
  EXPECT_EQ(
      content.schema,
      (Schema{.format = Format::kIdx, .layout = Layout::kNtc, .features = {"x0", "x1", "x2"}}));
  EXPECT_EQ(read({.layout = Layout::kNct}).sequences[0].steps, 3);
}

TEST_F(IdxSequences, LabelsLieBeside) {
  const std::string images = idx({kImages, 2, 1, 1}, "ab");
  const std::string labels = idx({kLabels, 2}, std::string("\0\7", 2));
  put("a-images-idx3-ubyte", images);
  put("a-labels-idx1-ubyte", labels);
  put("b-images.idx3-ubyte.gz", io::gzip(images));
  put("b-labels.idx1-ubyte.gz", io::gzip(labels));
  for (const std::string_view name : {"a-images-idx3-ubyte", "b-images.idx3-ubyte.gz"}) {
    const Content content = read({}, name);
    EXPECT_EQ(content.schema.target, Target::kClass);
    EXPECT_EQ(content.words(0), std::vector<std::string>{"0"});
    EXPECT_EQ(content.words(1), std::vector<std::string>{"7"});
  }
  put("a-labels-idx1-ubyte", idx({kLabels, 3}, "abc"));
  io::expect_error<InputError>([&] { read(); }, {"a-labels-idx1-ubyte: has shape (3,), expected"});
}

TEST_F(IdxSequences, ASizeThatDisagrees) {
  put("a-images-idx3-ubyte", idx({kImages, 2, 2, 3}, "abcdefghijk"));
  io::expect_error<InputError>([&] { read(); }, {"has 11 bytes after the header, expected 12"});
  put("a-images-idx3-ubyte", idx({kImages, 2, 2, 3}, "abcdefghijklm"));
  io::expect_error<InputError>([&] { read(); }, {"has more bytes after the header than the 12"});
  put("a-images-idx3-ubyte", idx({kImages, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "abc"));
  io::expect_error<InputError>([&] { read(); }, {"less than 2^63 bytes in total"});
  put("a-images-idx3-ubyte", idx({kLabels, 3}, "abc"));
  io::expect_error<InputError>([&] { read(); }, {"has shape (3,), expected 2 or 3 dimensions"});
}

}  // namespace
}  // namespace rwa::formats
