#include "paper/curves.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/quote.h"
#include "io/text_file.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

// Up to the next `separator`, which is taken away too, or the end.
std::string_view take_until(char separator, std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// Reads one line, field by field.
class Line {
 public:
  Line(const fs::path& file, int number, std::string_view text)
      : file_(file), number_(number), whole_(text), rest_(text) {}

  void require_fields(std::ptrdiff_t count) const {
    if (std::ranges::count(whole_, ',') + 1 != count) {
      fail(whole_, fmt::format("{} fields with commas between", count));
    }
  }

  template <class Number>
  Number take(std::string_view expected) {
    const std::string_view field = take_field();
    Number number{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc{} || end != field.data() + field.size()) fail(field, expected);
    if (!(number >= Number{}) || !std::isfinite(static_cast<double>(number))) fail(field, expected);
    return number;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw InputError(fmt::format("{}:{}:{}: found {}, expected {}", file_.string(), number_,
                                 begin_ + 1, io::quote(found), expected));
  }

 private:
  std::string_view take_field() {
    begin_ = whole_.size() - rest_.size();
    return take_until(',', rest_);
  }

  const fs::path& file_;
  int number_;
  std::string_view whole_;
  std::string_view rest_;
  std::size_t begin_ = 0;  // of the field taken last
};

Point parse_point(Line line, const std::vector<Point>& before) {
  line.require_fields(3);
  Point point;
  point.step = line.take<std::int64_t>("the number of a step");
  if (!before.empty() && point.step <= before.back().step) {
    line.fail(std::to_string(point.step), fmt::format("a step after {}", before.back().step));
  }
  point.loss = line.take<double>("a loss");
  if (line.at_end()) return point;
  const double percent = line.take<double>("an accuracy in percent, or nothing");
  if (percent > 100) line.fail(fmt::format("{}", percent), "at most 100 percent");
  point.accuracy = percent / 100;
  return point;
}

}  // namespace

TestCurve curve_of(const run::Record& run) {
  TestCurve curve;
  for (const run::Metric& metric : run.metrics) {
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
  const std::string_view header = take_until('\n', rest);
  if (header == "step,bits,accuracy") {
    curve.unit = "bits";
  } else if (header == "step,mse,accuracy") {
    curve.unit = "mse";
  } else {
    Line(file, 1, header).fail(header, "step,bits,accuracy or step,mse,accuracy");
  }
  for (int number = 2; !rest.empty(); ++number) {
    curve.points.push_back(parse_point({file, number, take_until('\n', rest)}, curve.points));
  }
  return curve;
}

std::optional<TestCurve> find_curve(const fs::path& folder, const std::string& experiment,
                                    Cell cell, std::string_view unit) {
  const fs::path file = folder / fmt::format("{}.{}.csv", experiment, to_string(cell));
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
