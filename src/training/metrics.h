// src/training/metrics.h: the scores of a network during training, and their files: metrics.jsonl,
// which a run appends to, and metrics.csv, the condensed form for a repository.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/descriptor.h"
#include "io/sha256.h"
#include "rwa/types.h"

namespace rwa::training {

// One line of metrics.jsonl:
//   {"step":100,"split":"test","loss":0.1618,"unit":"mse"}
//   {"step":100,"split":"train","loss":0.8771,"unit":"bits"}          mean since the last such line
//   {"step":100,"split":"valid","loss":0.7,"unit":"bits","accuracy":0.8}   the whole validation set
//   {"step":9000,"split":"final","loss":0.01,"unit":"bits","accuracy":0.998}    the whole test set
struct Metric {
  std::int64_t step = 0;
  std::string split;
  double loss = 0;
  std::string unit;                     // "bits", "mse" or "pinball"
  std::optional<double> accuracy = {};  // 0…1; absent unless the task is classification

  friend bool operator==(const Metric&, const Metric&) = default;
};

std::string format_metric(const Metric& metric);
// Throws InputError. `origin` names file and line.
Metric parse_metric(std::string_view line, std::string_view origin);

// Metrics are in bits, the cross-entropies of a network in nats.
std::string_view unit_of(Loss loss);
double in_unit(Loss loss, double value);

// Metrics that were made durable.
struct MetricsExtent {
  std::int64_t size = 0;
  std::string sha256 = {};  // of these bytes; empty: not known

  friend bool operator==(const MetricsExtent&, const MetricsExtent&) = default;
};

// All members throw ResourceError, naming the file, if a system call fails.
class MetricsFile {
 public:
  // Creates the file, or truncates it to `size` bytes. It must not be shorter.
  MetricsFile(const std::filesystem::path& file, std::int64_t size);

  // Passes the line to the system: other processes see it, and it survives a crash of this one.
  void append(const Metric& metric);
  // Returns when all lines are on disk.
  MetricsExtent sync();

 private:
  std::filesystem::path file_;
  io::Descriptor descriptor_;
  std::int64_t size_;
  io::Sha256 sum_;
};

// Reads the lines of the file, or of its first `size` bytes, ignoring an incomplete last line.
// Throws InputError, naming file and line, if a line is malformed.
std::vector<Metric> read_metrics(const std::filesystem::path& file,
                                 std::size_t size = std::string::npos);

// Parses one line of comma-separated fields. Errors are InputErrors with file, line and column.
class CsvLine {
 public:
  CsvLine(const std::filesystem::path& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), rest_(text), field_(text), whole_(text) {}

  void require_fields(std::ptrdiff_t count) const;
  std::string_view take();
  std::int64_t take_count(std::string_view expected);  // 0 or more
  double take_number(std::string_view expected);       // finite
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  // Throws; the text found is the field taken last, or the line if none was taken.
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const std::filesystem::path& file_;
  std::size_t number_;
  std::string_view rest_, field_, whole_;
};

// Writes the header "step,split,loss,unit,accuracy" and one line per metric. Numbers have the
// shortest form that round-trips.
std::string format_metrics_csv(std::span<const Metric> metrics);
// Throws InputError for anything that format_metrics_csv() does not write. `file` is for messages.
std::vector<Metric> parse_metrics_csv(std::string_view text, const std::filesystem::path& file);

}  // namespace rwa::training
