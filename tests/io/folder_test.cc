#include "io/folder.h"

#include <unistd.h>

#include "io_testing.h"

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

TEST(Folder, ThePartThatExistsIsTheFolderItselfOrOneAbove) {
  const TempFolder folder;
  EXPECT_EQ(existing_part(folder.path()), folder.path());
  EXPECT_EQ(existing_part(folder.path() / "a/b/c"), folder.path());
  EXPECT_EQ(existing_part("no/such/folder"), ".");
  EXPECT_EQ(existing_part("/no/such/folder"), "/");
}

TEST(Folder, IsCheckedWithoutBeingCreated) {
  const TempFolder folder;
  EXPECT_NO_THROW(check_can_write(folder.path() / "a/b"));
  EXPECT_EQ(folder.count(), 0);
  put(folder.path() / "file", "");
  for (const char* name : {"file", "file/a"}) {
    const fs::path path = folder.path() / name;
    const std::string message = path.string() + ": cannot create the folder: Not a directory";
    expect_error<ResourceError>([&] { check_can_write(path); }, {message});
  }
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_error<ResourceError>([&] { check_can_write(folder.path() / "a"); },
                              {"/a: cannot create the folder: Permission denied"});
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(Folder, IsCreatedWithThoseAboveIt) {
  const TempFolder folder;
  create_folders(folder.path() / "a/b");
  EXPECT_TRUE(fs::is_directory(folder.path() / "a/b"));
  EXPECT_NO_THROW(create_folders(folder.path() / "a/b"));
  put(folder.path() / "file", "");
  expect_error<ResourceError>([&] { create_folders(folder.path() / "file/a"); },
                              {"/file/a: cannot create the folder: Not a directory"});
}

TEST(Folder, EmptyOnesAreRemovedUpToAFolderThatIsKept) {
  const TempFolder folder;
  const fs::path kept = folder.path() / "kept";
  create_folders(kept / "a/b");
  create_folders(kept / "c");
  remove_empty_folders(kept / "a/b", kept);
  EXPECT_FALSE(fs::exists(kept / "a"));
  EXPECT_TRUE(fs::exists(kept));
  put(kept / "file", "");
  remove_empty_folders(kept / "c", folder.path());
  EXPECT_FALSE(fs::exists(kept / "c"));
  EXPECT_TRUE(fs::exists(kept / "file"));
  EXPECT_NO_THROW(remove_empty_folders(kept / "none", folder.path()));
}

TEST(Folder, WhatTheStandardLibrarySaysIsPutIntoOurWords) {
  const TempFolder folder;
  put(folder.path() / "file", "");
  try {
    (void)fs::file_size(folder.path() / "file/a");
    FAIL();
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(refusal(error).what(),
              folder.path().string() + "/file/a: cannot access: Not a directory");
  }
}

}  // namespace
}  // namespace rwa::io
