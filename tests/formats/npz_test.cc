// tests/formats/npz_test.cc: archives of arrays as sequences, and malicious archives.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/array_testing.h"
#include "formats/memory_testing.h"
#include "formats/zip_testing.h"
#include "io/gzip_testing.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

using Words = std::vector<std::string>;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

std::string integers(const Integers& values) {
  return npy("<i8", fmt::format("({},)", values.size()), bytes_of_values(values));
}

class Npz : public ::testing::Test {
 protected:
  Content read(std::string_view archive, const Options& options = {}) {
    io::put(file_, archive);
    return read_all(open_npz, file_, options);
  }
  Content read(const std::vector<ZipMember>& members, const Options& options = {}) {
    return read(zip(members), options);
  }
  void expect_refusal(std::string_view archive, std::string_view message,
                      const Options& options = {}) {
    io::expect_error<InputError>([&] { read(archive, options); },
                                 {file_.string() + std::string(message)});
  }
  void expect_refusal(const std::vector<ZipMember>& members, std::string_view message,
                      const Options& options = {}) {
    expect_refusal(zip(members), message, options);
  }

  io::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "data.npz";
  const std::string x_ = npy("(2, 3)", {1, 2, 3, 4, 5, 6});
};

TEST_F(Npz, IsReadStoredAndDeflated) {
  for (const bool packed : {false, true}) {
    for (const char* name : {"x.npy", "X.npy"}) {
      const Content content =
          read({{.name = name, .content = x_, .deflated = packed},
                {.name = "other.npy", .content = "not looked at", .deflated = packed},
                {.name = "y.npy", .content = npy("|u1", "(2,)", "\3\4"), .deflated = packed}});
      ASSERT_EQ(content.sequences.size(), 2U);
      EXPECT_EQ(content.sequences[0].x, (Floats{1, 2, 3}));
      EXPECT_EQ(content.sequences[1].x, (Floats{4, 5, 6}));
      EXPECT_EQ(content.words(1), Words{"4"});
      EXPECT_EQ(content.schema, (Schema{.format = Format::kNpz,
                                        .layout = Layout::kNtc,
                                        .features = {"x"},
                                        .target = Target::kClass,
                                        .targets = {"y"}}));
    }
  }
}

// As np.savez_compressed() writes them: 64-bit sizes in an extra field of the local header only.
TEST_F(Npz, TellsWhyTheTask) {
  const auto reason = [&](const std::vector<ZipMember>& members) {
    io::put(file_, zip(members));
    return open_npz(std::make_unique<Source>(file_), {}, std::make_shared<Vocabulary>())
        ->findings()
        .task;
  };
  EXPECT_EQ(reason({{.name = "x.npy", .content = x_}}), "no array of targets");
  EXPECT_EQ(reason({{.name = "x.npy", .content = x_},
                    {.name = "y.npy", .content = npy("|u1", "(2,)", "\3\4")}}),
            "the shape and type of " + file_.string() + ":y.npy");
}

TEST_F(Npz, TheBytesThatNumPyWrites) {
  const std::string array = npy("|u1", "(1, 2)", "\1\2");
  const std::string stored = deflated(array);
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(array.data()), static_cast<uInt>(array.size()));
  std::string text("PK\3\4\x2d\0\0\0\x08\0\0\0\x21\0", 14);
  put_number(text, crc, 4);
  put_number(text, 0xFFFFFFFFFFFFFFFF, 8);
  text += std::string("\x05\0\x14\0x.npy\x01\0\x10\0", 13);
  put_number(text, array.size(), 8);
  put_number(text, stored.size(), 8);
  text += stored;
  const std::size_t directory = text.size();
  text += std::string("PK\1\2\x2d\3\x2d\0\0\0\x08\0\0\0\x21\0", 16);
  put_number(text, crc, 4);
  put_number(text, stored.size(), 4);
  put_number(text, array.size(), 4);
  text += std::string("\x05\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\0\0x.npy", 23);
  const std::size_t end = text.size();
  text += std::string("PK\5\6\0\0\0\0\1\0\1\0", 12);
  put_number(text, end - directory, 4);
  put_number(text, directory, 4);
  put_number(text, 0, 2);
  EXPECT_EQ(read(text).sequences[0].x, (Floats{1, 2}));
}

TEST_F(Npz, LengthsCutSequencesAndTheirAnswers) {
  const Content content =
      read({{.name = "x.npy", .content = npy("(3, 2, 2)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})},
            {.name = "y.npy", .content = npy("|u1", "(3, 2)", "\1\2\3\4\5\6")},
            {.name = "lengths.npy", .content = integers({1, 2, 0})}},
           {.layout = Layout::kNtc});
  EXPECT_EQ(content.sequences[0].x, (Floats{1, 2}));
  EXPECT_EQ(content.sequences[1].x, (Floats{5, 6, 7, 8}));
  EXPECT_EQ(content.sequences[2].x, Floats{});
  EXPECT_EQ(content.sequences[2].steps, 0);
  EXPECT_EQ(content.words(0), Words{"1"});
  EXPECT_EQ(content.words(1), (Words{"3", "4"}));
  EXPECT_EQ(content.labels, (Words{"1", "3", "4"})) << "what is cut off is no label";
}

TEST_F(Npz, LengthsInEveryLayout) {
  const std::string lengths = npy("|u1", "(2,)", "\2\1");
  const std::string x = npy("(2, 2, 2)", {1, 2, 3, 4, 5, 6, 7, 8});
  const auto second = [&](Layout layout) {
    return read({{.name = "x.npy", .content = x}, {.name = "lengths.npy", .content = lengths}},
                {.layout = layout})
        .sequences[1]
        .x;
  };
  EXPECT_EQ(second(Layout::kNtc), (Floats{5, 6}));
  EXPECT_EQ(second(Layout::kNct), (Floats{5, 7}));
  EXPECT_EQ(second(Layout::kTnc), (Floats{3, 4}));
}

TEST_F(Npz, LengthsThatAreWrong) {
  const auto with = [&](const std::string& lengths) {
    return std::vector<ZipMember>{{.name = "x.npy", .content = x_},
                                  {.name = "lengths.npy", .content = lengths}};
  };
  expect_refusal(with(integers({1, 4})), ":lengths.npy: found 4 at [1], expected 0 to 3 steps");
  expect_refusal(with(integers({-1, 1})), ":lengths.npy: found -1 at [0], expected 0 to 3 steps");
  expect_refusal(with(npy("<u8", "(2,)", std::string(16, '\xff'))),
                 ":lengths.npy: found 18446744073709551615 at [0], expected an integer below 2^63");
  expect_refusal(with(integers({1})), ":lengths.npy: has shape (1,), expected (2,)");
  expect_refusal(with(npy("(2,)", {1, 2})), ":lengths.npy: has a dtype that is not an integer");
}

TEST_F(Npz, ValuesAndOffsets) {
  const std::string offsets = integers({0, 2, 2, 3});
  Content content = read({{.name = "values.npy", .content = npy("(3, 2)", {1, 2, 3, 4, 5, 6})},
                          {.name = "offsets.npy", .content = offsets},
                          {.name = "y.npy", .content = npy("|u1", "(3,)", "\7\x08\x09")}});
  ASSERT_EQ(content.sequences.size(), 3U);
  EXPECT_EQ(content.sequences[0].x, (Floats{1, 2, 3, 4}));
  EXPECT_EQ(content.sequences[1].x, Floats{});
  EXPECT_EQ(content.sequences[2].x, (Floats{5, 6}));
  EXPECT_EQ(content.schema.features, (Words{"x0", "x1"}));
  EXPECT_EQ(content.schema.target, Target::kClass);
  content = read({{.name = "x.npy", .content = npy("(4,)", {1, 2, 3, 4})},
                  {.name = "offsets.npy", .content = integers({0, 1, 4})},
                  {.name = "y.npy", .content = npy("(4,)", {5, 6, 7, 8})}});
  EXPECT_EQ(content.schema.target, Target::kNumbersPerStep);
  EXPECT_EQ(content.sequences[1].x, (Floats{2, 3, 4}));
  EXPECT_EQ(content.sequences[1].values, (Floats{6, 7, 8}));
}

TEST_F(Npz, OffsetsThatAreWrong) {
  const auto with = [&](const std::string& offsets) {
    return std::vector<ZipMember>{{.name = "values.npy", .content = npy("(3,)", {1, 2, 3})},
                                  {.name = "offsets.npy", .content = offsets}};
  };
  expect_refusal(with(integers({1, 3})), ":offsets.npy: found 1 at [0], expected 0");
  expect_refusal(with(integers({0, 2, 1, 3})), ":offsets.npy: found 1 at [2], expected 2 to 3");
  expect_refusal(with(integers({0, 4, 3})), ":offsets.npy: found 4 at [1], expected 0 to 3");
  expect_refusal(with(integers({0, 2})), ":offsets.npy: found 2 at [1], expected 3");
  expect_refusal(with(integers({0, 4})), ":offsets.npy: found 4 at [1], expected 3");
  expect_refusal(with(integers({0})), ":values.npy: has shape (3,) and offsets of shape (1,)");
  expect_refusal(with(npy("<i8", "()", std::string(8, '\0'))),
                 ":values.npy: has shape (3,) and offsets of shape ()");
  expect_refusal({{.name = "x.npy", .content = npy("(3, 1, 1)", {1, 2, 3})},
                  {.name = "offsets.npy", .content = integers({0, 3})}},
                 ":x.npy: has shape (3, 1, 1) and offsets of shape (2,), expected (S,) or (S, C)");
}

TEST_F(Npz, MembersThatAreMissing) {
  expect_refusal(
      {{.name = "a.npy", .content = x_}, {.name = "x", .content = x_}},
      ": has a.npy, x, expected x.npy (optionally y.npy, lengths.npy), or values.npy and "
      "offsets.npy (optionally y.npy), as np.savez(file, x=x, y=y) writes them");
  expect_refusal({{.name = "x.npy", .content = x_},
                  {.name = "lengths.npy", .content = integers({1, 1})},
                  {.name = "offsets.npy", .content = integers({0, 6})}},
                 ": has lengths.npy, offsets.npy, x.npy, expected x.npy (optionally");
  expect_refusal({{.name = "values.npy", .content = x_}},
                 ": has values.npy, expected x.npy (optionally");
}

TEST_F(Npz, NamesThatAreTraps) {
  for (const std::string name : {"../x.npy", "a/../../x.npy", "/x.npy", ".."}) {
    SCOPED_TRACE(name);
    expect_refusal(
        {{.name = "x.npy", .content = x_}, {.name = name, .content = "a"}},
        fmt::format(": has a member called \"{}\", expected a relative name without ..", name));
  }
  expect_refusal({{.name = "x.npy", .content = x_}, {.name = "x.npy", .content = x_}},
                 ": has \"x.npy\" twice, expected it once");
  expect_refusal({{.name = "\x1b[2J", .content = x_}, {.name = "\x1b[2J", .content = x_}},
                 ": has \"\\x1b[2J\" twice");
}

TEST_F(Npz, MembersThatCannotBeUnpacked) {
  expect_refusal({{.name = "x.npy", .content = x_, .flags = 1}},
                 ": has an encrypted x.npy, expected it as np.savez writes it");
  expect_refusal({{.name = "x.npy", .content = x_, .method = 12}},
                 ": has x.npy compressed with zip method 12, expected 0 (stored) or 8 (deflated)");
  expect_refusal({{.name = "x.npy", .content = x_, .crc = 1}},
                 ":x.npy: is damaged, libzip says: CRC error");
  expect_refusal({{.name = "x.npy", .content = "\xff\xff\xff\xff", .method = 8}},
                 ":x.npy: is damaged, libzip says: Zlib error");
}

// A member has 100 MB of zeros, compressed to 100 KB, beyond the size in its header. Other members
// are not decompressed at all.
TEST_F(Npz, Bombs) {
  std::string bomb = x_;
  bomb.resize(100'000'000);
  const std::string archive = zip({{.name = "other.npy", .content = bomb, .deflated = true},
                                   {.name = "x.npy", .content = bomb, .deflated = true}});
  io::put(file_, archive);
  largest = 0;
  io::expect_error<InputError>([&] { read_all(open_npz, file_); },
                               {":x.npy: has more bytes after the header than the 24 expected"});
  EXPECT_LT(largest, 2'000'000U);
}

TEST_F(Npz, ArchivesThatAreDamaged) {
  const std::string whole = zip({{.name = "x.npy", .content = x_, .deflated = true},
                                 {.name = "y.npy", .content = integers({1, 2})}});
  for (std::size_t length = 2; length < whole.size(); ++length) {
    expect_refusal(whole.substr(0, length), ": is a damaged .npz, libzip says: ");
  }
  // 77 bytes; the last 22 claim a directory of 64 KB.
  std::string short_one(77, '\0');
  short_one.replace(0, 4, "PK\3\4");
  short_one.replace(55, 4, "PK\5\6");
  short_one.replace(63, 4, std::string("\1\0\1\0", 4));
  short_one.replace(67, 4, std::string("\0\0\1\0", 4));
  expect_refusal(short_one, ": is a damaged .npz, libzip says: ");
  expect_refusal(npy("(1, 1)", {1}), ": does not begin with \"PK\", expected an .npz file");
  expect_refusal("", ": does not begin with \"PK\"");
}

TEST_F(Npz, NeedsAFileOfItsOwn) {
  expect_refusal(
      io::gzip(zip({{.name = "x.npy", .content = x_}})),
      ": does not begin with \"PK\", expected an .npz file that is not compressed again");
}

TEST_F(Npz, LabelsFromElsewhere) {
  const std::filesystem::path labels = folder_.path() / "labels.npy";
  io::put(labels, npy("|u1", "(2,)", "\1\2"));
  const std::vector<ZipMember> members = {{.name = "x.npy", .content = x_},
                                          {.name = "y.npy", .content = "not looked at"}};
  EXPECT_EQ(read(members, {.label_from = labels}).words(1), Words{"2"});
  EXPECT_EQ(read(members, {.task = Target::kNone}).schema.target, Target::kNone);
  expect_refusal(members, ":y.npy: begins with \"not lo\", expected");
}

RC_GTEST_FIXTURE_PROP(Npz, RaggedSequencesComeBack, ()) {
  const auto lengths = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(0, 5)));
  const auto width = *rc::gen::inRange(1, 4);
  Integers offsets = {0};
  for (const int length : lengths) offsets.push_back(offsets.back() + length);
  RC_PRE(offsets.back() > 0);
  Floats values(static_cast<std::size_t>(offsets.back() * width));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const bool packed = *rc::gen::arbitrary<bool>();
  const Content content =
      read({{.name = "offsets.npy", .content = integers(offsets), .deflated = packed},
            {.name = "values.npy",
             .content = npy(fmt::format("({}, {})", offsets.back(), width), values),
             .deflated = packed}});
  RC_ASSERT(content.sequences.size() == lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    RC_ASSERT(content.sequences[i].steps == static_cast<int>(lengths[i]));
    const auto* begin = values.data() + offsets[i] * width;
    RC_ASSERT((content.sequences[i].x == Floats(begin, begin + lengths[i] * width)));
  }
}

}  // namespace
}  // namespace rwa::formats
