// src/training/intervals.h: calibrates the intervals of the loss pinball. A network fits the
// numbers it was trained on closer than others, so its intervals are too narrow for these: after
// training they are scaled until they hold their share of the validation data.
#pragma once

#include <span>
#include <vector>

#include "rwa/model.h"

namespace rwa::training {

// How much wider intervals must be to hold given targets.
class IntervalFit {
 public:
  // [samples][outputs] both; a target stands in all three places of its number.
  void add(std::span<const float> outputs, std::span<const float> targets);
  // The factor for intervals that hold this share; 1 without numbers. Of few samples it is on the
  // safe side.
  [[nodiscard]] double factor(double share, double samples) const;

 private:
  // Of each number: how far from the median it is, as a fraction of the distance of the interval's
  // end on its side.
  std::vector<double> distances_;
};

// Moves the ends of all intervals away from the median, by changing the output layer.
void scale_intervals(double factor, Model& model);

}  // namespace rwa::training
