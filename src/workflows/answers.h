// src/workflows/answers.h: from the outputs of a network to what people read: probabilities and the label
// they are for, or numbers in their own unit. Every command that answers does it here.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "datasets/encoding.h"

namespace rwa::workflows {

// One answer: to a sequence, or to one of its steps.
struct Answer {
  std::vector<float> values;  // probabilities, or numbers
  std::vector<std::size_t>
      chosen;  // outputs: the most likely class, or the labels more likely than not
};

class Answers {
 public:
  explicit Answers(const datasets::Encoding& encoding);

  [[nodiscard]] Loss loss() const {
    return loss_;
  }  // says whether it is a class, labels or numbers
  [[nodiscard]] bool every_step() const { return every_step_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // of the outputs

  // From the outputs before softmax or sigmoid, [O].
  void read(std::span<const float> logits, Answer& answer) const;
  // A normal number of that output, in its own unit.
  [[nodiscard]] float in_own_unit(std::size_t output, float number) const;
  [[nodiscard]] double scale(std::size_t output) const { return normal_.scale[output]; }

 private:
  Loss loss_;
  bool every_step_;
  std::vector<std::string> names_;
  datasets::Normal normal_;  // of numbers
};

}  // namespace rwa::workflows
