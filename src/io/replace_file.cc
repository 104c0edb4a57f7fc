// src/io/replace_file.cc: all steps are relative to the folder's descriptor, so that the file ends
// up in the same folder even if that is renamed, and the right folder is flushed.
#include "io/replace_file.h"

#include <atomic>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/write.h"

namespace rwa::io {
namespace {
// Names of temporary files.
constexpr std::string_view kPrefix = ".rwa-";
constexpr std::string_view kSuffix = ".tmp";

namespace fs = std::filesystem;

// As root, rename() would replace even /dev/null by a regular file.
const fs::path& regular_or_absent(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return file;
    throw_refusal("inspect", file, errno);
  }
  if (S_ISDIR(status.st_mode)) throw_refusal("replace", file, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw ResourceError(
        fmt::format("{}: cannot replace: found a pipe, socket or device, expected a regular file",
                    file.string()));
  }
  return file;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

Descriptor open_folder(const fs::path& file) {
  const fs::path folder = folder_of(file);
  Descriptor descriptor(repeat_if_interrupted(
      [&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) throw_refusal("open its folder", file, errno);
  return descriptor;
}

// Whether no other process has locked the file. Some file systems have no locks.
bool lock(const Descriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool is_linked(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

// Removes the temporary files of killed processes.
void remove_unfinished(const fs::path& folder) {
  std::error_code refused;  // a folder that cannot be read is no reason to fail
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, refused), end; at != end; at.increment(refused)) {
    if (is_unfinished(at->path())) found.push_back(at->path());
  }
  for (const fs::path& file : found) {
    const Descriptor descriptor(repeat_if_interrupted(
        [&] { return ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC); }));
    if (descriptor.is_open() && lock(descriptor)) fs::remove(file, refused);
  }
}

// A temporary file with the new content; removed unless renamed.
class Temporary {
 public:
  Temporary(const Descriptor& folder, const fs::path& file)
      : folder_(folder), file_(file), descriptor_(create()), lock_(::dup(descriptor_.get())) {
    if (!lock_.is_open()) throw_refusal("lock the temporary file beside it", file_, errno);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    // An exception is in flight; its cause matters more than a failure to remove.
    if (!renamed_) ::unlinkat(folder_.get(), name_.c_str(), 0);
  }

  void write(std::span<const std::byte> content) { write_all(descriptor_, content, file_); }

  void close() {
    if (repeat_if_interrupted([&] { return ::fsync(descriptor_.get()); }) != 0) {
      throw_refusal("flush to disk (fsync)", file_, errno);
    }
    if (const int error = descriptor_.close(); error != 0) throw_refusal("close", file_, error);
  }

  void rename() {
    const fs::path target = file_.filename();
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), target.c_str()) != 0) {
      throw_refusal("rename the temporary file to it", file_, errno);
    }
    renamed_ = true;
  }

 private:
  // The name does not include the file's, which may already have the maximum length. A taken name
  // is left over from a crash, or belongs to a process with the same id on another machine. The lock
  // tells remove_unfinished() that the file is in use; without it, it may have been removed.
  Descriptor create() {
    static std::atomic<unsigned> serial{0};
    while (true) {
      name_ = fmt::format("{}{}-{}{}", kPrefix, ::getpid(), serial++, kSuffix);
      Descriptor descriptor(repeat_if_interrupted([&] {
        return ::openat(folder_.get(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        0666);
      }));
      if (descriptor.is_open() && lock(descriptor) && is_linked(descriptor)) return descriptor;
      if (!descriptor.is_open() && errno != EEXIST)
        throw_refusal("create a temporary file beside it", file_, errno);
    }
  }

  const Descriptor& folder_;
  const fs::path& file_;
  std::string name_;
  Descriptor descriptor_;
  Descriptor lock_;  // keeps the lock after close(), until the file is renamed
  bool renamed_ = false;
};

}  // namespace

bool is_unfinished(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

struct Replacement::Impl {
  explicit Impl(const fs::path& target)
      : file(regular_or_absent(target)), folder(open_folder(file)), temporary(folder, file) {
    remove_unfinished(folder_of(file));
  }

  const fs::path file;
  const Descriptor folder;
  Temporary temporary;
};

Replacement::Replacement(const fs::path& file) : impl_(std::make_unique<Impl>(file)) {}
Replacement::~Replacement() = default;

void Replacement::write(std::span<const std::byte> bytes) { impl_->temporary.write(bytes); }

void Replacement::finish() {
  impl_->temporary.close();
  impl_->temporary.rename();
  // EINVAL: this file system does not support fsync for folders.
  if (repeat_if_interrupted([&] { return ::fsync(impl_->folder.get()); }) != 0 && errno != EINVAL) {
    throw_refusal("flush its folder to disk (fsync) after replacing it", impl_->file, errno);
  }
}

void replace_file(const fs::path& file, std::span<const std::byte> content) {
  Replacement replacement(file);
  replacement.write(content);
  replacement.finish();
}

void replace_text(const std::filesystem::path& file, std::string_view text) {
  replace_file(file, std::as_bytes(std::span(text)));
}

}  // namespace rwa::io
