#include "workflows/ridge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rwa::workflows {
namespace {

// In eight partial sums, which compilers turn into vector instructions.
double dot(const double* a, const double* b, std::size_t size) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  double sum = 0;
  for (; i < size; ++i) sum += a[i] * b[i];
  for (const double lane : sums) sum += lane;
  return sum;
}

// Rows that stay in the cache while a row of the factor is used for all of them.
constexpr std::size_t kBlock = 32;

constexpr double kLeastPivot = 1e-12;

// Replaces the lower triangle of a positive definite matrix by its Cholesky factor L, A = L Lᵀ.
void factorise(std::vector<double>& a, std::size_t size) {
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, size);
    for (std::size_t j = 0; j < end; ++j) {
      const double* row = &a[j * size];
      for (std::size_t i = std::max(begin, j); i < end; ++i) {
        const double value = a[i * size + j], rest = value - dot(&a[i * size], row, j);
        // Of columns that nearly depend on each other, rounding may leave less than nothing.
        a[i * size + j] = i == j ? std::sqrt(std::max(rest, kLeastPivot * value)) : rest / row[j];
      }
    }
  }
}

// Replaces every row r of `rows` by L⁻¹ r.
void solve_lower(const std::vector<double>& factor, std::size_t size, std::vector<double>& rows) {
  const std::size_t count = rows.size() / size;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, count);
    for (std::size_t j = 0; j < size; ++j) {
      const double* row = &factor[j * size];
      for (std::size_t i = begin; i < end; ++i) {
        double* solved = &rows[i * size];
        solved[j] = (solved[j] - dot(solved, row, j)) / row[j];
      }
    }
  }
}

// Replaces every row r by (Lᵀ)⁻¹ r.
void solve_upper(const std::vector<double>& factor, std::size_t size, std::vector<double>& rows) {
  for (std::size_t begin = 0; begin < rows.size(); begin += size) {
    double* solved = &rows[begin];
    for (std::size_t j = size; j-- > 0;) {
      const double* row = &factor[j * size];
      solved[j] /= row[j];
      for (std::size_t i = 0; i < j; ++i) solved[i] -= solved[j] * row[i];
    }
  }
}

}  // namespace

void RidgeFit::predict(const RidgeRow& row, std::span<double> outputs) const {
  const std::size_t size = weights.size() / targets;
  for (std::size_t t = 0; t < targets; ++t) {
    const double* weight = &weights[t * size];
    outputs[t] = weight[size - 1];
    for (const auto& [column, value] : row) outputs[t] += weight[column] * value;
  }
}

RidgeSums::RidgeSums(std::size_t columns, std::size_t targets)
    : size_(columns + 1), targets_(targets), products_(size_ * size_), moments_(targets * size_) {}

void RidgeSums::add(const RidgeRow& row, std::span<const double> targets, bool leave_out) {
  const std::size_t last = size_ - 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    double* products = &products_[row[i].column * size_];
    for (std::size_t j = 0; j <= i; ++j) products[row[j].column] += row[i].value * row[j].value;
    products_[last * size_ + row[i].column] += row[i].value;
  }
  products_[last * size_ + last] += 1;
  for (std::size_t t = 0; t < targets_; ++t) {
    if (targets[t] == 0) continue;
    double* moments = &moments_[t * size_];
    for (const auto& [column, value] : row) moments[column] += targets[t] * value;
    moments[last] += targets[t];
  }
  if (!leave_out) return;
  rows_.resize(rows_.size() + size_);
  double* copy = &rows_[rows_.size() - size_];
  for (const auto& [column, value] : row) copy[column] = value;
  copy[last] = 1;
  truths_.insert(truths_.end(), targets.begin(), targets.end());
}

// The squared deviations by which kRidgePenalties are multiplied, per column.
std::vector<double> RidgeSums::penalties(RidgeScale scale) const {
  const std::size_t columns = size_ - 1;
  const double rows = products_.back();
  std::vector<double> squares(columns);
  double sum = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    const double total = products_[columns * size_ + j];
    squares[j] = std::max(0.0, products_[j * size_ + j] - total * total / rows);
    sum += squares[j];
  }
  const double mean = sum > 0 ? sum / static_cast<double>(columns) : 1;
  // A column that is constant but for rounding has no weight, whatever its penalty.
  constexpr double kConstant = 1e-9;
  for (double& square : squares) {
    if (scale == RidgeScale::kAll || square < kConstant * mean) square = mean;
  }
  return squares;
}

RidgeFit RidgeSums::fit(RidgeScale scale) const {
  const std::vector<double> squares = penalties(scale);
  const std::size_t count = rows_.size() / size_;
  RidgeFit best{.targets = targets_, .weights = {}, .left_out = {}};
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> best_factor;
  for (const double penalty : kRidgePenalties) {
    std::vector<double> factor = products_, rows = rows_, moments = moments_;
    for (std::size_t j = 0; j + 1 < size_; ++j) factor[j * size_ + j] += penalty * squares[j];
    factorise(factor, size_);
    solve_lower(factor, size_, rows);
    solve_lower(factor, size_, moments);
    std::vector<double> left_out(count * targets_);
    double error = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = &rows[i * size_];
      // A row that alone decides its prediction says nothing about the penalty.
      constexpr double kAlone = 1e-9;
      const double others = std::max(kAlone, 1 - dot(row, row, size_));
      for (std::size_t t = 0; t < targets_; ++t) {
        const double truth = truths_[i * targets_ + t];
        const double residual = (truth - dot(row, &moments[t * size_], size_)) / others;
        left_out[i * targets_ + t] = truth - residual;
        error += residual * residual;
      }
    }
    if (!best_factor.empty() && !(error < least)) continue;
    least = error;
    best.penalty = penalty;
    best.left_out = std::move(left_out);
    best.weights = std::move(moments);
    best_factor = std::move(factor);
  }
  solve_upper(best_factor, size_, best.weights);
  return best;
}

double RidgeSums::work(std::size_t columns, std::size_t targets, std::size_t left_out) {
  const auto size = static_cast<double>(columns) + 1;
  const double rows = static_cast<double>(targets) + static_cast<double>(left_out);
  const double products = static_cast<double>(targets) * static_cast<double>(left_out) * size;
  return static_cast<double>(kRidgePenalties.size()) *
         (size * size * size / 6 + rows * size * size / 2 + products);
}

}  // namespace rwa::workflows
