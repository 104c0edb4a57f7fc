// src/report/shade.h: many coloured boxes of an SVG in few elements: those of like strength are one.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace rwa::report {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

class Shade {
 public:
  // The opacity of what has a weight of 1.
  explicit Shade(double strongest) : strongest_(strongest) {}

  // The weight is -1…1.
  void add(const Box& box, double weight);
  // Paths of the classes "more" and "less".
  [[nodiscard]] std::string svg() const;

 private:
  static constexpr int kLevels = 12;
  using Paths = std::array<std::string, kLevels + 1>;

  double strongest_;
  Paths more_, less_;
};

}  // namespace rwa::report
