// tests/formats/source_test.cc: lines and bytes of a file of any size and compression.
#include "formats/source.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/gzip_testing.h"
#include "io/io_testing.h"
#include "io/zstd_testing.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {

using Lines = std::vector<std::string>;

class Sources : public ::testing::Test {
 protected:
  Source source(std::string_view text) {
    io::put(file_, text);
    return Source(file_);
  }
  static Lines rest(Source& source) {
    Lines lines;
    for (std::string_view line; source.line(line);) lines.emplace_back(line);
    return lines;
  }
  Lines lines(std::string_view text) {
    Source content = source(text);
    return rest(content);
  }

  io::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "text";
};

TEST_F(Sources, GiveLinesWithoutTheirEnds) {
  EXPECT_EQ(lines(""), Lines());
  EXPECT_EQ(lines("\n"), Lines{""});
  EXPECT_EQ(lines("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines("a\r\n\r\nb\r\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines("a\rb\n"), Lines{"a\rb"});
  EXPECT_EQ(lines("\xEF\xBB\xBF"
                  "a\n\xEF\xBB\xBF"
                  "b\n"),
            (Lines{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
  EXPECT_EQ(lines("\xEF\xBB\xBF"), Lines{""});
}

TEST_F(Sources, CountLines) {
  Source content = source("a\n\nb");
  EXPECT_EQ(content.line_number(), 0);
  rest(content);
  EXPECT_EQ(content.line_number(), 3);
}

// Longer than one read, and of all lengths.
TEST_F(Sources, LinesMayBeLongAndPacked) {
  std::mt19937 random(1);
  Lines expected;
  std::string text;
  for (const std::size_t length : {0, 1, 262'143, 262'144, 3'000'000, 5, 700'000}) {
    std::string line(length, '\0');
    for (char& c : line) c = static_cast<char>('a' + random() % 26);
    text += line + "\n";
    expected.push_back(line);
  }
  EXPECT_EQ(lines(text), expected);
  EXPECT_EQ(lines(io::gzip(text)), expected);
  EXPECT_EQ(lines(io::zstd(text)), expected);
}

TEST_F(Sources, CanBeLookedAtBeforeTheyAreTaken) {
  const std::string text = "first\n" + std::string(2'000'000, 'x') + "\nlast";
  Source content = source(text);
  EXPECT_EQ(content.peek(0), "");
  EXPECT_EQ(content.peek(3), "fir");
  EXPECT_EQ(content.peek(1'000'000), text.substr(0, 1'000'000));
  EXPECT_EQ(content.peek(3), "fir");
  std::string_view line;
  ASSERT_TRUE(content.line(line));
  EXPECT_EQ(line, "first");
  EXPECT_EQ(content.peek(10'000'000), text.substr(6));
  std::vector<std::byte> bytes(1'999'999);
  EXPECT_EQ(content.read(bytes), bytes.size());
  EXPECT_EQ(rest(content), (Lines{"x", "last"}));
  EXPECT_EQ(content.peek(1), "");
  EXPECT_EQ(content.read(bytes), 0);
}

TEST_F(Sources, GiveBytes) {
  Source content = source("0123456789");
  std::vector<std::byte> bytes(4);
  EXPECT_EQ(content.read(bytes), 4);
  EXPECT_EQ(content.peek(2), "45");
  EXPECT_EQ(content.read(bytes), 4);
  EXPECT_EQ(io::as_text(bytes), "4567");
  EXPECT_EQ(content.read(bytes), 2);
}

TEST_F(Sources, RefuseWithThePlace) {
  Source content = source("erste\nzweite Zeile: äöü!\n");
  std::string_view line;
  content.line(line);
  content.line(line);
  io::expect_error<InputError>(
      [&] { content.refuse(line, line.data() + line.size() - 1, "!", "a dot"); },
      {file_.string() + ":2:18: found !, expected a dot"});
  io::expect_error<InputError>([&] { content.refuse(1, "this", "that"); },
                               {file_.string() + ":1: found this, expected that"});
  // Several lines together.
  const std::string both = "erste\nzweite";
  io::expect_error<InputError>([&] { content.refuse(both, both.data() + 1, "r", "b"); },
                               {":1:2: found r"});
  io::expect_error<InputError>([&] { content.refuse(both, both.data() + 7, "w", "x"); },
                               {":2:2: found w"});
}

TEST_F(Sources, GivePartsOfLongLines) {
  Source content = source("äbcdef   gh\nabc\n   \n");
  const auto rest_in_parts = [&] {
    Lines parts;
    for (std::string_view part; content.part_of_line(part, 5);) {
      parts.push_back(fmt::format("{}{} {}:{}", content.begins_line() ? "" : "…", part,
                                  content.place_of(part, part.data()).line,
                                  content.place_of(part, part.data()).column) +
                      (content.ends_line() ? "" : "…"));
    }
    return parts;
  };
  EXPECT_EQ(rest_in_parts(), (Lines{"äbcd 1:1…", "…ef 1:5…", "…   gh 1:7", "abc 2:1", "    3:1"}));
}

TEST_F(Sources, RefuseALineThatIsTooLong) {
  Source content = source("äbc\näbcd\n");
  std::string_view line;
  const Source::Longest longest = {4, "do something"};
  EXPECT_TRUE(content.line(line, longest));
  io::expect_error<InputError>([&] { content.line(line, longest); },
                               {file_.string() + ":2:4: found a line of more than 0 MiB, expected "
                                                 "at most that: do something"});
}

TEST_F(Sources, RefuseWhatIsNoText) {
  io::expect_error<InputError>([&] { lines(std::string_view("a\nb\0c\n", 6)); },
                               {":2:2: found a zero byte (NUL), expected text, .npy, .npz or IDX"});
}

// `rwa stream` predicts line by line.
TEST_F(Sources, TheStandardInputIsNotWaitedFor) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  {
    Source content("-");
    EXPECT_EQ(content.name(), "standard input");
    std::string_view line;
    for (const std::string_view text : {"1,2", "3,4"}) {
      const std::string sent = std::string(text) + "\n";
      ASSERT_EQ(::write(ends[1], sent.data(), sent.size()), 4);
      ASSERT_TRUE(content.line(line));
      EXPECT_EQ(line, text);
    }
    ::close(ends[1]);
    EXPECT_FALSE(content.line(line));
  }
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
}

class Beginning : public ::testing::Test {
 protected:
  std::string beginning_of(std::string_view text) {
    io::put(folder_.path() / "x", text);
    Source source(folder_.path() / "x");
    return std::string(beginning(source));
  }

  static constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  io::TempFolder folder_;
};

TEST_F(Beginning, OfASmallFileIsTheWhole) {
  EXPECT_EQ(beginning_of(""), "");
  EXPECT_EQ(beginning_of("a\nb"), "a\nb");
  EXPECT_EQ(beginning_of("\xEF\xBB\xBF"
                         "a\n"),
            "a\n");
}

TEST_F(Beginning, HasWholeLines) {
  const std::string line(1000, 'a');
  std::string text;
  while (text.size() < 2 * kMebibyte) text += line + "\n";
  const std::string found = beginning_of(text);
  EXPECT_EQ(found.size(), kMebibyte / 1001 * 1001);
  EXPECT_TRUE(text.starts_with(found));
}

TEST_F(Beginning, HasALineHoweverLong) {
  const std::string line(3 * kMebibyte, 'a');
  EXPECT_TRUE(beginning_of(line + "\nb\n") == line + "\n");
  EXPECT_TRUE(beginning_of(line) == line);
}

TEST(NextLine, TakesLinesOff) {
  std::string_view lines = "a\r\n\nb", line;
  ASSERT_TRUE(next_line(lines, line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(next_line(lines, line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(next_line(lines, line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(next_line(lines, line));
}

}  // namespace
}  // namespace rwa::formats
