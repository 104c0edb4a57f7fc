// src/paper/curves.h: test scores against training steps, of runs and of the authors. The authors'
// curves come from the training logs in github.com/jostmey/rwa.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/run_folder.h"

namespace rwa::paper {

struct Point {
  std::int64_t step = 0;
  double loss = 0;
  std::optional<double> accuracy;  // 0…1

  friend bool operator==(const Point&, const Point&) = default;
};

// The evaluations of a run, in order.
struct TestCurve {
  std::string unit;  // of the loss: "bits" or "mse"
  std::vector<Point> points;
};

TestCurve curve_of(const training::Record& run);

// Removes the first line from `text` and returns it without its newline.
std::string_view take_line(std::string_view& text);

// Reads CSV with the header "step,bits,accuracy" or "step,mse,accuracy"; accuracies are in percent
// or empty. Throws InputError with line and column, ResourceError if the file cannot be read.
TestCurve read_curve(const std::filesystem::path& file);
// Reads FOLDER/NAME.MODEL.csv; empty if there is no such file. Also throws InputError if the loss
// has another unit.
std::optional<TestCurve> find_curve(const std::filesystem::path& folder,
                                    const std::string& experiment, std::string_view model,
                                    std::string_view unit);

// A log in the authors' repository, and the curve made from it.
struct AuthorsLog {
  std::string_view curve;   // EXPERIMENT.MODEL: the file of the curve is CURVE.csv
  std::string_view path;    // in the authors' repository
  std::string_view unit;    // of the loss: "bits" or "mse"
  std::string_view sha256;  // of the curve
};

std::span<const AuthorsLog> authors_logs();

// Converts the test lines of a log to CSV: step, loss to six digits, and accuracy in percent if the
// log has it. `origin` names the log in messages. Throws InputError for a malformed line.
std::string to_curve(std::string_view log, std::string_view unit, std::string_view origin);

}  // namespace rwa::paper
