#include "run/metrics_file.h"

#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "io/text_file.h"
#include "io/write.h"

namespace rwa::run {

MetricsFile::MetricsFile(const std::filesystem::path& file, std::int64_t size)
    : file_(file), descriptor_(io::open_to_append(file)), size_(size) {
  if (io::repeat_if_interrupted([&] { return ::ftruncate(descriptor_.get(), size); }) != 0) {
    io::throw_refusal("shorten", file_, errno);
  }
}

void MetricsFile::append(const Metric& metric) {
  const std::string line = format_metric(metric) + "\n";
  io::write_all(descriptor_, std::as_bytes(std::span(line)), file_);
  size_ += static_cast<std::int64_t>(line.size());
}

void MetricsFile::sync() {
  if (io::repeat_if_interrupted([&] { return ::fdatasync(descriptor_.get()); }) != 0) {
    io::throw_refusal("force to the disk (fdatasync)", file_, errno);
  }
}

std::vector<Metric> read_metrics(const std::filesystem::path& file, std::size_t size) {
  const std::string text = io::read_text(file);
  std::vector<Metric> metrics;
  std::string_view rest = std::string_view(text).substr(0, size);
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string origin = fmt::format("{}:{}", file.string(), metrics.size() + 1);
    metrics.push_back(parse_metric(rest.substr(0, end), origin));
    rest.remove_prefix(end + 1);
  }
  return metrics;
}

}  // namespace rwa::run
