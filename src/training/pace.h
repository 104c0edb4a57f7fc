// src/training/pace.h: how fast a run is.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace rwa::training {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// How long a step takes, with its share of evaluations and checkpoints.
class Pace {
 public:
  void see_step() {
    const double seconds = seconds_since(std::exchange(last_, Clock::now()));
    ++count_;
    mean_ += (seconds - mean_) * std::max(1.0 / count_, kNewest);
  }
  [[nodiscard]] double seconds_per_step() const { return mean_; }

 private:
  static constexpr double kNewest = 0.01;  // the weight of the last step in the mean

  Clock::time_point last_ = Clock::now();
  double count_ = 0;
  double mean_ = 0;
};

}  // namespace rwa::training
