// src/training/metrics.h: the scores of a network on its way through training, and the files
// they stand in: metrics.jsonl, to which a run adds lines and never changes one, and
// metrics.csv, what is kept of it for a repository.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/descriptor.h"
#include "rwa/types.h"

namespace rwa::training {

// One line of metrics.jsonl:
//   {"step":100,"split":"test","loss":0.1618,"unit":"mse"}
//   {"step":100,"split":"train","loss":0.8771,"unit":"bits"}          mean since the last such line
//   {"step":100,"split":"valid","loss":0.7,"unit":"bits","accuracy":0.8}    all for validation
//   {"step":9000,"split":"final","loss":0.01,"unit":"bits","accuracy":0.998}    the whole test set
struct Metric {
  std::int64_t step = 0;
  std::string split;
  double loss = 0;
  std::string unit;                     // "bits" or "mse"
  std::optional<double> accuracy = {};  // 0…1, where the task is to classify

  friend bool operator==(const Metric&, const Metric&) = default;
};

std::string format_metric(const Metric& metric);
// `origin` names file and line. Throws InputError.
Metric parse_metric(std::string_view line, std::string_view origin);

// The cross-entropies of a network are in nats; people read bits.
std::string_view unit_of(Loss loss);
double in_unit(Loss loss, double value);

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

// One line of comma-separated fields, taken one after the other. Whatever is wrong is an InputError
// with file, line and column.
class CsvLine {
 public:
  CsvLine(const std::filesystem::path& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), rest_(text), field_(text), whole_(text) {}

  void require_fields(std::ptrdiff_t count) const;
  std::string_view take();
  std::int64_t take_count(std::string_view expected);  // 0 or more
  double take_number(std::string_view expected);       // a finite one
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  // What was found is the field taken last, or the line where none was.
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const std::filesystem::path& file_;
  std::size_t number_;
  std::string_view rest_, field_, whole_;
};

// "step,split,loss,unit,accuracy" and a line for each. Numbers are the shortest that read back as
// the same bits.
std::string format_metrics_csv(std::span<const Metric> metrics);
// `file` is named in messages. Throws InputError for anything that the above does not write.
std::vector<Metric> parse_metrics_csv(std::string_view text, const std::filesystem::path& file);

}  // namespace rwa::training
