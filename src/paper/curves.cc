#include "paper/curves.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/metrics.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

Point parse_point(training::CsvLine line, const std::vector<Point>& before) {
  line.require_fields(3);
  Point point;
  point.step = line.take_count("the number of a step");
  if (!before.empty() && point.step <= before.back().step) {
    line.fail(fmt::format("a step after {}", before.back().step));
  }
  point.loss = line.take_number("a loss");
  if (point.loss < 0) line.fail("a loss of 0 or more");
  if (line.at_end()) return point;
  const double percent = line.take_number("an accuracy in percent, or nothing");
  if (percent < 0 || percent > 100) line.fail("0 to 100 percent");
  point.accuracy = percent / 100;
  return point;
}

}  // namespace

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

TestCurve curve_of(const training::Record& run) {
  TestCurve curve;
  for (const training::Metric& metric : run.metrics) {
    if (metric.split != "test") continue;
    curve.unit = metric.unit;
    curve.points.push_back({metric.step, metric.loss, metric.accuracy});
  }
  return curve;
}

TestCurve read_curve(const fs::path& file) {
  const std::string text = io::read_text(file);
  std::string_view rest = text;
  TestCurve curve;
  const std::string_view header = take_line(rest);
  if (header == "step,bits,accuracy") {
    curve.unit = "bits";
  } else if (header == "step,mse,accuracy") {
    curve.unit = "mse";
  } else {
    training::CsvLine(file, 1, header).fail("step,bits,accuracy or step,mse,accuracy");
  }
  for (std::size_t number = 2; !rest.empty(); ++number) {
    curve.points.push_back(parse_point({file, number, take_line(rest)}, curve.points));
  }
  return curve;
}

std::optional<TestCurve> find_curve(const fs::path& folder, const std::string& experiment,
                                    std::string_view model, std::string_view unit) {
  const fs::path file = folder / fmt::format("{}.{}.csv", experiment, model);
  std::error_code error;
  if (folder.empty() || !fs::exists(file, error)) return std::nullopt;
  TestCurve curve = read_curve(file);
  if (curve.unit != unit) {
    throw InputError(
        fmt::format("{}:1:6: found the loss in {}, expected {}", file.string(), curve.unit, unit));
  }
  return curve;
}

}  // namespace rwa::paper
