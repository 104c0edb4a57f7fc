// src/workflows/ridge.h: ridge regression of several targets. The penalty is the one with the least
// error on rows that are left out of the fit, each in turn, in closed form.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace rwa::workflows {

// A row of features without its zeros. Columns ascend.
struct RidgeEntry {
  std::size_t column = 0;
  double value = 0;
};
using RidgeRow = std::vector<RidgeEntry>;

// The penalties that are tried, in units of the columns' squared deviations.
inline constexpr std::array kRidgePenalties = {1e-3, 1e-2, 1e-1, 1.0, 10.0};

// What a penalty is in units of: the squared deviations of its own column, as if columns were
// standardised, or those of all columns on average.
enum class RidgeScale { kEach, kAll };

struct RidgeFit {
  double penalty = 0;  // one of kRidgePenalties
  std::size_t targets = 0;
  std::vector<double> weights;   // [targets][columns + 1]; the intercept is last, not penalised
  std::vector<double> left_out;  // [rows left out][targets]: predictions by a fit to all other rows

  void predict(const RidgeRow& row, std::span<double> outputs) const;
};

// Sums over the rows, which need not be kept.
class RidgeSums {
 public:
  RidgeSums(std::size_t columns, std::size_t targets);

  // With `leave_out`, the row takes part in the choice of the penalty.
  void add(const RidgeRow& row, std::span<const double> targets, bool leave_out);
  // Needs a row or more, one of them left out.
  [[nodiscard]] RidgeFit fit(RidgeScale scale) const;

  // The multiplications of a fit, apart from those of add(), to bound its time.
  static double work(std::size_t columns, std::size_t targets, std::size_t left_out);

 private:
  [[nodiscard]] std::vector<double> penalties(RidgeScale scale) const;

  std::size_t size_, targets_;         // size_: columns and intercept
  std::vector<double> products_;       // [size][size], lower triangle: of columns with columns
  std::vector<double> moments_;        // [targets][size]: of targets with columns
  std::vector<double> rows_, truths_;  // of those left out: [rows][size], [rows][targets]
};

}  // namespace rwa::workflows
