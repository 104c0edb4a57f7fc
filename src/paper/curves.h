// src/paper/curves.h: test scores against training steps: of our runs, and of the authors, whose
// programs printed them while they trained: their logs stand in github.com/jostmey/rwa.
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

// One evaluation after the other.
struct TestCurve {
  std::string unit;  // of the loss: "bits" or "mse"
  std::vector<Point> points;
};

TestCurve curve_of(const training::Record& run);

// The first line of a text, which is taken away with its end.
std::string_view take_line(std::string_view& text);

// Reads "step,bits,accuracy" or "step,mse,accuracy" with accuracies in percent, or none. Throws
// InputError with line and column, ResourceError where the file cannot be read.
TestCurve read_curve(const std::filesystem::path& file);
// FOLDER/NAME.MODEL.csv; nothing where there is no such file. Throws InputError also for a loss in
// another unit.
std::optional<TestCurve> find_curve(const std::filesystem::path& folder,
                                    const std::string& experiment, std::string_view model,
                                    std::string_view unit);

// A log in the authors' repository, and the curve that it holds.
struct AuthorsLog {
  std::string_view curve;   // EXPERIMENT.MODEL: the file of the curve is CURVE.csv
  std::string_view path;    // in their repository
  std::string_view unit;    // of the loss: "bits" or "mse"
  std::string_view sha256;  // of the curve
};

std::span<const AuthorsLog> authors_logs();

// The lines about test samples as CSV: the step, the loss to six digits, and the accuracy in per
// cent where there is one. `origin` names the log in messages. Throws InputError with the line that
// is not understood.
std::string to_curve(std::string_view log, std::string_view unit, std::string_view origin);

}  // namespace rwa::paper
