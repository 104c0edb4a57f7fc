#include "io/write.h"
#include "io/io_testing.h"
#include "io/read_file.h"
#include "io/replace_file.h"

namespace rwa::io {
namespace {

TEST(Write, AppendsToWhatIsThere) {
  const TempFolder folder;
  const auto file = folder.path() / "file";
  write_all(open_to_append(file), as_bytes("one "), file);
  write_all(open_to_append(file), as_bytes("two"), file);
  EXPECT_EQ(get(file), "one two");
}

TEST(Write, ARefusalNamesTheFile) {
  const TempFolder folder;
  const auto file = folder.path() / "none" / "file";
  expect_error<ResourceError>([&] { open_to_append(file); }, {file.string(), "cannot open"});
  const Descriptor full = open_to_append("/dev/full");
  expect_error<ResourceError>([&] { write_all(full, as_bytes("text"), file); },
                              {file.string(), "cannot write", "No space left"});
}

TEST(TextFile, AnyBytesComeBack) {
  const TempFolder folder;
  const std::string text("a\0b\xff\n", 5);
  replace_text(folder.path() / "file", text);
  EXPECT_EQ(read_text(folder.path() / "file"), text);
}

}  // namespace
}  // namespace rwa::io
