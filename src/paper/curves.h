// src/paper/curves.h: test scores against training steps: of our runs, and of the authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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

}  // namespace rwa::paper
