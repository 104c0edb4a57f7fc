// tests/io/read_file_test.cc: reads the bytes of a regular file in order, and refuses anything
// else.
#include "io/read_file.h"

#include <vector>

#include <sys/stat.h>

#include "io_testing.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

std::string next(InputFile& file, std::size_t count) {
  std::vector<std::byte> bytes(count);
  file.read(bytes);
  return as_text(bytes);
}

TEST(InputFile, GivesTheBytesPieceByPiece) {
  const TempFolder folder;
  const fs::path path = folder.path() / "model";
  const std::string content("a\0b\n\xff", 5);
  put(path, content);
  InputFile file(path);
  EXPECT_EQ(file.size(), 5);
  EXPECT_EQ(next(file, 0), "");
  EXPECT_EQ(next(file, 2), content.substr(0, 2));
  EXPECT_EQ(next(file, 3), content.substr(2));
}

TEST(InputFile, AnEmptyOneHasNoBytes) {
  const TempFolder folder;
  put(folder.path() / "model", "");
  EXPECT_EQ(InputFile(folder.path() / "model").size(), 0);
}

TEST(InputFile, RefusesWhatIsNotARegularFile) {
  const TempFolder folder;
  const fs::path missing = folder.path() / "missing";
  expect_error<ResourceError>([&] { InputFile file(missing); },
                              {missing.string(), "open", "No such file or directory"});
  expect_error<ResourceError>([&] { InputFile file(folder.path()); },
                              {folder.path().string(), "read", "Is a directory"});
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error<ResourceError>([&] { InputFile file(pipe); },
                              {pipe.string(), "found a pipe", "expected a regular file"});
}

TEST(InputFile, SaysWhenItWasCutShortMeanwhile) {
  const TempFolder folder;
  const fs::path path = folder.path() / "model";
  put(path, "0123456789");
  InputFile file(path);
  EXPECT_EQ(next(file, 2), "01");
  fs::resize_file(path, 5);
  expect_error<ResourceError>([&] { next(file, 8); }, {path.string(), "the end after 5 bytes",
                                                       "expected 10", "changed while it was read"});
}

TEST(ReadText, RefusesWhatTakesManyTimesItsSizeWhenParsed) {
  const TempFolder folder;
  const fs::path path = folder.path() / "config.toml";
  put(path, "name = 1");
  EXPECT_EQ(read_text(path), "name = 1");
  fs::resize_file(path, kMostText + 1);
  expect_error<InputError>([&] { read_text(path); },
                           {path.string(), "found 4194305 bytes, expected at most 4194304"});
  EXPECT_EQ(read_whole(path).size(), kMostText + 1);
}

}  // namespace
}  // namespace rwa::io
