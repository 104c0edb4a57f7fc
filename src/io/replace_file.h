// src/io/replace_file.h: replaces a file atomically, so that neither a crash, a full disk nor a
// concurrent reader ever sees half a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "io/descriptor.h"

namespace rwa::io {

// Writes a temporary file next to `file`, flushes it to disk and renames it over `file`. The new
// file has mode 0666 minus the umask; a symbolic link is itself replaced. Also removes temporary
// files that killed processes left in the folder; those of live ones are locked.
//
// Throws ResourceError with the file, the operation and the system's reason. The old file is then
// intact and the temporary file removed, except if flushing the folder after the rename fails; the
// message then says so.
//
// Returns the new file, locked until the descriptor is closed: a process that goes on replacing a
// file of its own can keep others from doing so.
Descriptor replace_file(const std::filesystem::path& file, std::span<const std::byte> content);
void replace_text(const std::filesystem::path& file, std::string_view text);

// The same for content written piece by piece.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& file);
  ~Replacement();  // keeps the old file if finish() was not called

  void write(std::span<const std::byte> bytes);
  Descriptor finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether this is the temporary file of a replacement.
bool is_unfinished(const std::filesystem::path& file);

}  // namespace rwa::io
