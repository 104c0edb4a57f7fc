// src/workflows/output.h: writes results to standard output, or to a file that is replaced as a
// whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "io/descriptor.h"
#include "io/replace_file.h"
#include "io/write.h"

namespace rwa::workflows {

using OutputClosed = io::ClosedPipe;

// Throws ResourceError if writing fails, OutputClosed for a closed pipe if SIGPIPE is ignored.
class Output {
 public:
  // No path: standard output. Anything except a regular file, such as /dev/null, is written to
  // directly.
  explicit Output(const std::filesystem::path& file = {});

  void write(std::string_view text);
  // Must be called after the last write: only then is the file replaced.
  void finish();

 private:
  std::filesystem::path file_;                // for messages
  std::optional<io::Descriptor> descriptor_;  // for direct writing; else replacement_
  std::optional<io::Replacement> replacement_;
};

}  // namespace rwa::workflows
