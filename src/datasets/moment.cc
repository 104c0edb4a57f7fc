#include "datasets/moment.h"

#include <algorithm>
#include <cmath>

namespace rwa::datasets {

void Moment::add(const Moment& others) {
  if (others.count == 0) return;
  const double total = count + others.count;
  const double apart = others.mean - mean;
  mean += apart * (others.count / total);
  squares += others.squares + apart * apart * count * (others.count / total);
  count = total;
}

double Moment::deviation() const { return squares > 0 ? std::sqrt(squares / count) : 1; }

// Two passes: squares are deviations from the mean of these rows.
std::vector<Moment> moments_of(std::span<const float> rows, std::size_t columns) {
  std::vector<Moment> moments(columns);
  const auto each = [&](auto call) {
    for (std::size_t row = 0; row < rows.size(); row += columns) {
      for (std::size_t i = 0; i < columns; ++i) {
        if (!std::isnan(rows[row + i])) call(moments[i], double{rows[row + i]});
      }
    }
  };
  each([](Moment& column, double value) {
    column.count += 1;
    column.mean += value;
  });
  for (Moment& column : moments) column.mean /= std::max(column.count, 1.0);
  each([](Moment& column, double value) {
    column.squares += (value - column.mean) * (value - column.mean);
  });
  return moments;
}

}  // namespace rwa::datasets
