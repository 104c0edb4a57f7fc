// tests/io/replace_file_test.cc: the new content or the old, never a mixture and never a leftover.
#include "io/replace_file.h"

#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/lock.h"
#include "io_testing.h"
#include "rwa/errors.h"

namespace {
int refusal_of_locks = 0;  // an error number; 0: they work
}  // namespace

// In place of the system's: some file systems have no locks, others not all.
extern "C" int flock(int file, int operation) noexcept {
  if (refusal_of_locks == 0) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = refusal_of_locks;
  return -1;
}

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public ::testing::Test {
 protected:
  void expect_refusal(const fs::path& file, std::initializer_list<std::string_view> parts) {
    expect_error<ResourceError>([&] { replace_file(file, as_bytes("new")); }, parts);
  }

  TempFolder folder_;
};

TEST_F(ReplaceFile, CreatesAFileThatWasAbsent) {
  const fs::path file = folder_.path() / "model";
  const std::string content("a\0b\n", 4);
  replace_file(file, as_bytes(content));
  EXPECT_EQ(get(file), content);
  EXPECT_EQ(folder_.count(), 1);
}

TEST_F(ReplaceFile, ReplacesAnExistingFileByAShorterOne) {
  const fs::path file = folder_.path() / "model";
  put(file, "the old content");
  replace_file(file, as_bytes("new"));
  EXPECT_EQ(get(file), "new");
  EXPECT_EQ(folder_.count(), 1);
}

TEST_F(ReplaceFile, WritesAnEmptyFile) {
  const fs::path file = folder_.path() / "model";
  put(file, "old");
  replace_file(file, {});
  EXPECT_EQ(get(file), "");
}

TEST_F(ReplaceFile, AReaderKeepsTheOldContent) {
  const fs::path file = folder_.path() / "model";
  put(file, "old");
  std::ifstream reader(file, std::ios::binary);
  replace_file(file, as_bytes("new"));
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(ReplaceFile, ANameWithoutFolderMeansTheCurrentOne) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_NO_THROW(replace_file("model", as_bytes("new")));
  fs::current_path(before);
  EXPECT_EQ(get(folder_.path() / "model"), "new");
}

TEST_F(ReplaceFile, TakesANameOfTheGreatestLength) {
  const fs::path file = folder_.path() / std::string(255, 'm');
  replace_file(file, as_bytes("new"));
  EXPECT_EQ(get(file), "new");
}

TEST_F(ReplaceFile, TheModeFollowsTheUmask) {
  const fs::path file = folder_.path() / "model";
  const mode_t before = ::umask(027);
  EXPECT_NO_THROW(replace_file(file, as_bytes("new")));
  ::umask(before);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms{0640});
}

TEST_F(ReplaceFile, ASymbolicLinkIsItselfReplaced) {
  put(folder_.path() / "target", "old");
  const fs::path link = folder_.path() / "model";
  fs::create_symlink("target", link);
  replace_file(link, as_bytes("new"));
  EXPECT_FALSE(fs::is_symlink(link));
  EXPECT_EQ(get(link), "new");
  EXPECT_EQ(get(folder_.path() / "target"), "old");
}

TEST_F(ReplaceFile, StepsOverTheRemnantsOfACrashAndRemovesThem) {
  // Far more names than this process has used so far, all of them taken.
  for (int i = 0; i < 100; ++i) {
    put(folder_.path() / (".rwa-" + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp"),
        "remnant");
  }
  replace_file(folder_.path() / "model", as_bytes("new"));
  EXPECT_EQ(get(folder_.path() / "model"), "new");
  EXPECT_EQ(folder_.count(), 1);
}

TEST_F(ReplaceFile, RefusesAMissingFolder) {
  const fs::path file = folder_.path() / "missing" / "model";
  expect_refusal(file, {file.string(), "open its folder", "No such file or directory"});
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(ReplaceFile, RefusesAFileAsFolder) {
  put(folder_.path() / "plain", "old");
  const fs::path file = folder_.path() / "plain" / "model";
  expect_refusal(file, {file.string(), "Not a directory"});
  EXPECT_EQ(get(folder_.path() / "plain"), "old");
}

TEST_F(ReplaceFile, RefusesAFolderAsFile) {
  const fs::path file = folder_.path() / "folder";
  fs::create_directory(file);
  expect_refusal(file, {file.string(), "replace", "Is a directory"});
  expect_refusal(file / "", {file.string(), "replace", "Is a directory"});
  EXPECT_TRUE(fs::is_empty(file));
  EXPECT_EQ(folder_.count(), 1);
}

TEST_F(ReplaceFile, RefusesAPipeAndADevice) {
  const fs::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refusal(pipe, {pipe.string(), "found a pipe", "expected a regular file"});
  EXPECT_TRUE(fs::is_fifo(pipe));
  expect_refusal("/dev/full", {"/dev/full", "device", "expected a regular file"});
}

TEST_F(ReplaceFile, RefusesAnEmptyName) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  expect_refusal("", {"rename", "No such file or directory"});
  fs::current_path(before);
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(ReplaceFile, ANameTooLongLeavesNoTemporary) {
  const fs::path file = folder_.path() / std::string(256, 'm');
  expect_refusal(file, {file.string(), "File name too long"});
  EXPECT_EQ(folder_.count(), 0);
}

// Simulates a full disk with a limit on file sizes: the first write() is short, the next fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(ReplaceFile, AFailedWriteKeepsTheOldFileAndLeavesNoTemporary) {
  const fs::path file = folder_.path() / "model";
  put(file, "old");
  const std::string large(10'000, 'x');
  std::string message;
  {
    const FileSizeLimit limit(4096);
    try {
      replace_file(file, as_bytes(large));
    } catch (const ResourceError& error) {
      message = error.what();
    }
  }
  EXPECT_EQ(message, file.string() + ": cannot write: File too large");
  EXPECT_EQ(get(file), "old");
  EXPECT_EQ(folder_.count(), 1);
}

// What a killed process leaves is not locked.
TEST_F(ReplaceFile, RemnantsAreRemovedUnlessTheirProcessLives) {
  put(folder_.path() / "model", "old");
  put(folder_.path() / ".rwa-1-0.tmp", "ne");
  const std::vector<std::string> others = {".rwa-notes",  ".rwa-.tmp",    ".rwa-notes.tmp",
                                           ".rwa-1.tmp",  ".rwa-1-.tmp",  ".rwa-1-2-3.tmp",
                                           "rwa-1-2.tmp", ".rwa-1-2.tmp2"};
  for (const std::string& name : others) put(folder_.path() / name, "mine");
  fs::create_directory(folder_.path() / ".rwa-2-0.tmp");
  const auto count = std::ssize(others) + 1;
  Replacement live(folder_.path() / "model");
  live.write(as_bytes("new"));
  replace_file(folder_.path() / "other", as_bytes("x"));
  EXPECT_FALSE(fs::exists(folder_.path() / ".rwa-1-0.tmp"));
  EXPECT_EQ(folder_.count(), count + 3);
  live.finish();
  EXPECT_EQ(get(folder_.path() / "model"), "new");
  EXPECT_EQ(folder_.count(), count + 2);
}

TEST_F(ReplaceFile, NeedsNoLocks) {
  put(folder_.path() / ".rwa-1-0.tmp", "of another machine, perhaps");
  for (const int error : {ENOLCK, ENOSYS, EBADF}) {
    refusal_of_locks = error;
    EXPECT_NO_THROW(replace_file(folder_.path() / "model", as_bytes("new"))) << error;
    refusal_of_locks = 0;
    EXPECT_EQ(folder_.count(), 2);
  }
}

TEST_F(ReplaceFile, TheNewFileIsLockedWhileItIsKept) {
  const fs::path file = folder_.path() / "model";
  const auto lock = [&] {
    return take_lock(Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC)));
  };
  {
    const Descriptor ours = replace_file(file, as_bytes("new"));
    EXPECT_TRUE(is_at(file, ours));
    EXPECT_EQ(lock(), Lock::kByAnother);
    replace_file(file, as_bytes("newer"));
    EXPECT_FALSE(is_at(file, ours));
  }
  EXPECT_EQ(lock(), Lock::kTaken);
}

}  // namespace
}  // namespace rwa::io
