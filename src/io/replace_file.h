// src/io/replace_file.h: a file's content replaced in one step, so that a crash, a full disk or a
// reader at the wrong moment never meets half a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace rwa::io {

// Writes a temporary file beside `file`, forces it to the disk and renames it over `file`. The new
// file's mode is what the umask leaves of 0666; a symbolic link is itself replaced.
//
// Throws ResourceError with the file, the operation and the system's reason. The old file is then
// intact and the temporary gone; the one exception is a folder that cannot be forced to the disk
// after the rename, and the message says so.
void replace_file(const std::filesystem::path& file, std::span<const std::byte> content);
void replace_text(const std::filesystem::path& file, std::string_view text);

// The same for content that comes piece by piece.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& file);
  ~Replacement();  // leaves the old file where finish() was not called

  void write(std::span<const std::byte> bytes);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether a file is one that these had begun when its process was killed.
bool is_unfinished(const std::filesystem::path& file);

}  // namespace rwa::io
