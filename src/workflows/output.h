// src/workflows/output.h: where results are written: the standard output, or a file that is
// replaced as a whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "io/descriptor.h"
#include "io/replace_file.h"

namespace rwa::workflows {

// Throws ResourceError if the system refuses, also for a closed pipe where SIGPIPE is ignored.
class Output {
 public:
  // No path: the standard output. Anything but a regular file, such as /dev/null, is written to
  // directly.
  explicit Output(const std::filesystem::path& file = {});

  void write(std::string_view text);
  // Call it after the last write: only then does the file take its place.
  void finish();

 private:
  std::filesystem::path file_;                // for messages
  std::optional<io::Descriptor> descriptor_;  // written to directly, or
  std::optional<io::Replacement> replacement_;
};

}  // namespace rwa::workflows
