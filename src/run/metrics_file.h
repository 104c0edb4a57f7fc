// src/run/metrics_file.h: metrics.jsonl: a run adds lines and never changes one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/descriptor.h"
#include "run/metric.h"

namespace rwa::run {

// Throws ResourceError, which names the file, where the system refuses.
class MetricsFile {
 public:
  // Keeps the first `size` bytes of the file, which has no fewer, and makes one where there is
  // none.
  MetricsFile(const std::filesystem::path& file, std::int64_t size);

  // The line is with the system when this returns: another process sees it, and it survives us.
  void append(const Metric& metric);
  // All lines are on the disk when this returns.
  void sync();
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  std::filesystem::path file_;
  io::Descriptor descriptor_;
  std::int64_t size_;
};

// The lines of the file, or of its first `size` bytes; one that is not finished is left out. Throws
// InputError, which names file and line, for one that is damaged.
std::vector<Metric> read_metrics(const std::filesystem::path& file,
                                 std::size_t size = std::string::npos);

}  // namespace rwa::run
