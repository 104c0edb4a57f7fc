#include "run/metrics_file.h"

#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace rwa::run {
namespace {

int open_to_append(const std::filesystem::path& file) {
  return io::repeat_if_interrupted(
      [&] { return ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666); });
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& file, std::int64_t size)
    : file_(file), descriptor_(open_to_append(file)), size_(size) {
  if (!descriptor_.is_open()) io::throw_refusal("open", file_, errno);
  if (io::repeat_if_interrupted([&] { return ::ftruncate(descriptor_.get(), size); }) != 0) {
    io::throw_refusal("shorten", file_, errno);
  }
}

void MetricsFile::append(const Metric& metric) {
  const std::string line = format_metric(metric) + "\n";
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = io::repeat_if_interrupted(
        [&] { return ::write(descriptor_.get(), rest.data(), rest.size()); });
    if (count < 0) io::throw_refusal("write", file_, errno);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  size_ += static_cast<std::int64_t>(line.size());
}

void MetricsFile::sync() {
  if (io::repeat_if_interrupted([&] { return ::fdatasync(descriptor_.get()); }) != 0) {
    io::throw_refusal("force to the disk (fdatasync)", file_, errno);
  }
}

}  // namespace rwa::run
