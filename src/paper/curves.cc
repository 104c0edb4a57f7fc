#include "paper/curves.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/quote.h"
#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/metrics.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

Point parse_point(training::CsvLine line, const std::vector<Point>& before) {
  line.require_fields(3);
  Point point;
  point.step = line.take_count("a step number");
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
  const std::string text = io::read_whole(file);
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

namespace {

constexpr std::array kLogs{
    AuthorsLog{"grammar.rwa", "reber_grammar/rwa_model/train.out", "bits",
               "0dcacd9078abdea223f645f6f28ff6e611e2c68b4b926afc723be753ef56ac8b"},
    AuthorsLog{"grammar.lstm", "reber_grammar/lstm_model/train.out", "bits",
               "a08fc9b6fa891169056df20fb44613e2a1bb8d769a3e4ee62d37fe2a3c5796d3"},
    AuthorsLog{"length-1000.rwa", "length_problem_1000/rwa_model/train.out", "bits",
               "b7e7cebb367acf06662796b0225ae3185fd2afd1e84635d96b61605fddedcb59"},
    AuthorsLog{"length-1000.lstm", "length_problem_1000/lstm_model/train.out", "bits",
               "200ccaee5c3bf838259023b0c4bc94be1bd1c1767b80809580d782828347a0a4"},
    AuthorsLog{"copy-100.rwa", "copy_problem_100/rwa_model/train.out", "bits",
               "c55f4f6d6c1ebeebedc04dc4196a4d4cc2f8a0e6ae695be8d351ef108cf9238c"},
    AuthorsLog{"copy-100.lstm", "copy_problem_100/lstm_model/train.out", "bits",
               "27c7fe8d7334e996d3ffb5048baa0f24d9f7c9adf4e42962b3348d6862720ed0"},
    AuthorsLog{"copy-1000.rwa", "copy_problem_1000/rwa_model/train.out", "bits",
               "44e9c667e906688c95d999032494226184e22bed5df4f2c173ca68c6b628ac12"},
    AuthorsLog{"copy-1000.lstm", "copy_problem_1000/lstm_model/train.out", "bits",
               "7227d415d9d50202526145f6b22df1a687786b50d8cf5f69c594ccf997e107f7"},
    AuthorsLog{"adding-100.rwa", "adding_problem_100/rwa_model/train.out", "mse",
               "e649d75e577def86ac543c837c5e2b5eb987e7095ac2fadad14ba3e8f5405d86"},
    AuthorsLog{"adding-100.lstm", "adding_problem_100/lstm_model/train.out", "mse",
               "3837d4c5f4416c7ffa46636e31cf2d3d1a63913afcabf9a9d825379998bc16f9"},
    AuthorsLog{"adding-1000.rwa", "adding_problem_1000/rwa_model/train.out", "mse",
               "abd91c5a9e24b182eaa92609977a52e5ee09e61e2f3e7c9859cdfc59bc5fa023"},
    AuthorsLog{"adding-1000.lstm", "adding_problem_1000/lstm_model/train.out", "mse",
               "4f831b0600730e38145b83821fa2733e0b47bd4d827980f4feaf205ea015fb03"},
};

struct Line {
  std::int64_t step = 0;
  std::string_view dataset;
  double cost = 0;
  std::string_view accuracy;  // as in the log; empty if there is none
};

// Removes "NAME VALUE " from the front of `line` and returns VALUE; empty if NAME is not there.
std::string_view take_field(std::string_view& line, std::string_view name) {
  if (!line.starts_with(name)) return {};
  line.remove_prefix(name.size());
  const std::string_view value = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), value.size() + 1));
  return value;
}

template <typename Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<Line> parse_line(std::string_view text) {
  Line line;
  if (!read_number(take_field(text, "Iteration: "), line.step)) return std::nullopt;
  line.dataset = take_field(text, "Dataset: ");
  if (line.dataset != "train" && line.dataset != "test") return std::nullopt;
  if (!read_number(take_field(text, "Cost: "), line.cost)) return std::nullopt;
  if (text.empty()) return line;
  line.accuracy = take_field(text, "Accuracy: ");
  double accuracy = 0;
  if (!read_number(line.accuracy, accuracy) || !text.empty()) return std::nullopt;
  return line;
}

}  // namespace

std::span<const AuthorsLog> authors_logs() { return kLogs; }

std::string to_curve(std::string_view log, std::string_view unit, std::string_view origin) {
  std::string curve = fmt::format("step,{},accuracy\n", unit);
  for (std::size_t number = 1; !log.empty(); ++number) {
    const std::string_view text = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), text.size() + 1));
    const auto line = parse_line(text);
    if (!line) {
      throw InputError(
          fmt::format("{}:{}: found {}, expected \"Iteration: 100 Dataset: test Cost: 0.5\", "
                      "optionally with \" Accuracy: 60.0\"",
                      origin, number, io::quote(text)));
    }
    if (line->dataset != "test") continue;
    fmt::format_to(std::back_inserter(curve), "{},{:.6g},{}\n", line->step, line->cost,
                   line->accuracy);
  }
  return curve;
}

}  // namespace rwa::paper
