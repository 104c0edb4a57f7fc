#include "workflows/answers.h"

#include <algorithm>
#include <cmath>

namespace rwa::workflows {
namespace {

void softmax(std::span<const float> logits, std::vector<float>& p) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - most);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    p[i] = static_cast<float>(std::exp(logits[i] - most) / sum);
  }
}

float sigmoid(float logit) {
  return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(logit))));
}

}  // namespace

Answers::Answers(const datasets::Encoding& encoding)
    : loss_(encoding.shape().loss),
      every_step_(encoding.answers_every_step()),
      names_(encoding.outputs()),
      normal_(encoding.schema.target == formats::Target::kNone ? encoding.features
                                                               : encoding.targets) {}

void Answers::read(std::span<const float> logits, Answer& answer) const {
  answer.values.resize(logits.size());
  answer.chosen.clear();
  switch (loss_) {
    case Loss::kSoftmax:
      softmax(logits, answer.values);
      answer.chosen.push_back(
          static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin()));
      break;
    case Loss::kSigmoid:
      for (std::size_t i = 0; i < logits.size(); ++i) {
        answer.values[i] = sigmoid(logits[i]);
        if (logits[i] > 0) answer.chosen.push_back(i);
      }
      break;
    case Loss::kSquaredError:
      for (std::size_t i = 0; i < logits.size(); ++i) answer.values[i] = in_own_unit(i, logits[i]);
      break;
  }
}

float Answers::in_own_unit(std::size_t output, float number) const {
  return static_cast<float>(number * normal_.scale[output] + normal_.mean[output]);
}

}  // namespace rwa::workflows
