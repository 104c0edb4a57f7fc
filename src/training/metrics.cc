#include "training/metrics.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <system_error>

#include "io/fields.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "io/write.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

constexpr std::string_view kCsvHeader = "step,split,loss,unit,accuracy\n";
constexpr std::array<std::string_view, 3> kUnits = {"bits", "mse", "pinball"};
constexpr std::array<std::string_view, 4> kSplits = {"train", "valid", "test", "final"};

// Returns whether the whole text is a number that fits.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

Metric parse_csv_metric(CsvLine line, std::int64_t least_step) {
  line.require_fields(5);
  Metric metric;
  metric.step = line.take_count("a step number");
  if (metric.step < least_step) line.fail(fmt::format("a step of at least {}", least_step));
  metric.split = line.take();
  if (std::ranges::find(kSplits, metric.split) == kSplits.end()) {
    line.fail("train, valid, test or final");
  }
  metric.loss = line.take_number("a loss");
  metric.unit = line.take();
  if (std::ranges::find(kUnits, metric.unit) == kUnits.end()) line.fail("bits, mse or pinball");
  if (line.at_end()) return metric;
  metric.accuracy = line.take_number("an accuracy or nothing");
  if (*metric.accuracy < 0 || *metric.accuracy > 1) line.fail("0 to 1");
  return metric;
}

}  // namespace

// Numbers have the shortest form that round-trips.
std::string format_metric(const Metric& metric) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::string line = fmt::format(R"({{"step":{},"split":{},"loss":{},"unit":{})", metric.step,
                                 quoted(metric.split), metric.loss, quoted(metric.unit));
  if (metric.accuracy) line += fmt::format(R"(,"accuracy":{})", *metric.accuracy);
  return line + "}";
}

Metric parse_metric(std::string_view line, std::string_view origin) {
  // Fields of later versions are ignored.
  io::Fields json(io::parse_json(line, origin, io::refuse_input),
                  {.where = std::string(origin), .refuse = io::refuse_input});
  Metric metric;
  metric.step = json.need<std::int64_t>("step", 0);
  metric.split = json.need<std::string>("split");
  metric.loss = json.need<double>("loss");
  metric.unit = json.need<std::string>("unit");
  metric.accuracy = json.get<double>("accuracy");
  if (metric.accuracy && (*metric.accuracy < 0 || *metric.accuracy > 1)) {
    json.fail(fmt::format("accuracy is {}, expected 0 to 1", *metric.accuracy));
  }
  return metric;
}

std::string_view unit_of(Loss loss) {
  switch (loss) {
    case Loss::kSoftmax:
    case Loss::kSigmoid:
      return "bits";
    case Loss::kSquaredError:
      return "mse";
    case Loss::kPinball:
      break;
  }
  return "pinball";
}

double in_unit(Loss loss, double value) {
  return unit_of(loss) == "bits" ? value / std::numbers::ln2 : value;
}

MetricsFile::MetricsFile(const std::filesystem::path& file, std::int64_t size)
    : file_(file), descriptor_(io::open_to_append(file)), size_(size) {
  if (io::repeat_if_interrupted([&] { return ::ftruncate(descriptor_.get(), size); }) != 0) {
    io::throw_refusal("truncate", file_, errno);
  }
  const std::string kept = io::read_whole(file_);
  sum_.add(std::as_bytes(std::span(kept)));
}

void MetricsFile::append(const Metric& metric) {
  const std::string line = format_metric(metric) + "\n";
  io::write_all(descriptor_, std::as_bytes(std::span(line)), file_);
  sum_.add(std::as_bytes(std::span(line)));
  size_ += static_cast<std::int64_t>(line.size());
}

MetricsExtent MetricsFile::sync() {
  if (io::repeat_if_interrupted([&] { return ::fdatasync(descriptor_.get()); }) != 0) {
    io::throw_refusal("flush to disk (fdatasync)", file_, errno);
  }
  return {size_, sum_.hex()};
}

std::vector<Metric> read_metrics(const std::filesystem::path& file, std::size_t size) {
  const std::string text = io::read_whole(file);
  std::vector<Metric> metrics;
  std::string_view rest = std::string_view(text).substr(0, size);
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string origin = fmt::format("{}:{}", file.string(), metrics.size() + 1);
    metrics.push_back(parse_metric(rest.substr(0, end), origin));
    rest.remove_prefix(end + 1);
  }
  return metrics;
}

void CsvLine::require_fields(std::ptrdiff_t count) const {
  if (std::ranges::count(whole_, ',') + 1 != count) {
    fail(fmt::format("{} comma-separated fields", count));
  }
}

std::string_view CsvLine::take() {
  const std::size_t end = std::min(rest_.find(','), rest_.size());
  field_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return field_;
}

std::int64_t CsvLine::take_count(std::string_view expected) {
  std::int64_t count = 0;
  if (!parse_number(take(), count) || count < 0) fail(expected);
  return count;
}

double CsvLine::take_number(std::string_view expected) {
  double number = 0;
  if (!parse_number(take(), number) || !std::isfinite(number)) fail(expected);
  return number;
}

void CsvLine::fail(std::string_view expected) const {
  throw InputError(fmt::format("{}:{}:{}: found {}, expected {}", file_.string(), number_,
                               field_.data() - whole_.data() + 1, io::quote(field_), expected));
}

std::string format_metrics_csv(std::span<const Metric> metrics) {
  std::string text(kCsvHeader);
  for (const Metric& metric : metrics) {
    text += fmt::format("{},{},{},{},", metric.step, metric.split, metric.loss, metric.unit);
    if (metric.accuracy) text += fmt::format("{}", *metric.accuracy);
    text += '\n';
  }
  return text;
}

std::vector<Metric> parse_metrics_csv(std::string_view text, const std::filesystem::path& file) {
  if (!text.starts_with(kCsvHeader)) {
    CsvLine(file, 1, text.substr(0, text.find('\n'))).fail(io::quote(kCsvHeader));
  }
  text.remove_prefix(kCsvHeader.size());
  std::vector<Metric> metrics;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const CsvLine line(file, number, text.substr(0, end));
    if (end == std::string_view::npos) line.fail("a line that ends with a newline");
    metrics.push_back(parse_csv_metric(line, metrics.empty() ? 0 : metrics.back().step));
    text.remove_prefix(end + 1);
  }
  return metrics;
}

}  // namespace rwa::training
