// src/run/metrics_file.h: metrics.jsonl as a run writes it: lines are added, never changed.
#pragma once

#include <cstdint>
#include <filesystem>

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

}  // namespace rwa::run
