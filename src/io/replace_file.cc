// src/io/replace_file.cc: all steps are relative to the folder's descriptor, so that the file ends
// up in the same folder even if that is renamed, and the right folder is flushed.
#include "io/replace_file.h"

#include <atomic>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/lock.h"
#include "io/write.h"

namespace rwa::io {
namespace {
// Names of temporary files: .rwa-PROCESS-SERIAL.tmp.
constexpr std::string_view kPrefix = ".rwa-";
constexpr std::string_view kSuffix = ".tmp";

namespace fs = std::filesystem;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

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

bool is_linked(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

// Removes the temporary files of killed processes: those whose lock is free. Where locks are not
// known nothing is removed.
void remove_unfinished(const fs::path& folder) {
  std::error_code refused;  // a folder that cannot be read is no reason to fail
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, refused), end; at != end; at.increment(refused)) {
    if (is_unfinished(at->path())) found.push_back(at->path());
  }
  for (const fs::path& file : found) {
    // Over NFS, only what is open for writing can be locked.
    const Descriptor descriptor(repeat_if_interrupted(
        [&] { return ::open(file.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC); }));
    if (!descriptor.is_open() || take_lock(descriptor) != Lock::kTaken) continue;
    if (fs::is_regular_file(file, refused) && is_at(file, descriptor)) fs::remove(file, refused);
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

  Descriptor rename() {
    const fs::path target = file_.filename();
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), target.c_str()) != 0) {
      throw_refusal("rename the temporary file to it", file_, errno);
    }
    renamed_ = true;
    return std::move(lock_);
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
      if (!descriptor.is_open() && errno != EEXIST) {
        throw_refusal("create a temporary file beside it", file_, errno);
      }
      if (!descriptor.is_open() || take_lock(descriptor) == Lock::kByAnother) continue;
      if (is_linked(descriptor)) return descriptor;
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
  const std::string whole = file.filename().string();
  std::string_view name = whole;
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const std::size_t dash = name.find('-');
  if (dash == name.npos || !name.ends_with(kSuffix)) return false;
  name.remove_suffix(kSuffix.size());
  return is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
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

Descriptor Replacement::finish() {
  impl_->temporary.close();
  Descriptor locked = impl_->temporary.rename();
  // EINVAL: this file system does not support fsync for folders.
  if (repeat_if_interrupted([&] { return ::fsync(impl_->folder.get()); }) != 0 && errno != EINVAL) {
    throw_refusal("flush its folder to disk (fsync) after replacing it", impl_->file, errno);
  }
  return locked;
}

Descriptor replace_file(const fs::path& file, std::span<const std::byte> content) {
  Replacement replacement(file);
  replacement.write(content);
  return replacement.finish();
}

void replace_text(const std::filesystem::path& file, std::string_view text) {
  replace_file(file, std::as_bytes(std::span(text)));
}

}  // namespace rwa::io
