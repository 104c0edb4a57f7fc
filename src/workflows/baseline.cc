#include "workflows/baseline.h"

#include <algorithm>
#include <vector>

#include "workflows/predict.h"

namespace rwa::workflows {
namespace {

bool predicts_last_value(const datasets::Encoding& encoding) {
  return encoding.schema.target == formats::Target::kNone && !encoding.schema.symbols;
}

std::string name_for(const datasets::Encoding& encoding) {
  if (predicts_last_value(encoding)) return "last value";
  return encoding.shape().loss == Loss::kSquaredError ? "mean" : "majority class";
}

}  // namespace

Baseline score_baseline(const datasets::Files& files, datasets::Split split) {
  const datasets::Encoding& encoding = files.encoding();
  const bool last_value = predicts_last_value(encoding);
  const std::vector<float> constant = files.constant_outputs();
  ScoreAccumulator scores(encoding);
  std::vector<float> outputs;  // one row per sequence or step, as a network has them
  const SampleSource next = samples_of(files, split);
  for (Sample sample; next(sample);) {
    outputs.clear();
    const int rows = encoding.answers_every_step() ? sample.sequence.steps : 1;
    for (int row = 0; row < rows && !last_value; ++row) {
      outputs.insert(outputs.end(), constant.begin(), constant.end());
    }
    scores.add(sample, last_value ? sample.sequence.x : outputs);
  }
  return {name_for(encoding), scores.finish()};
}

}  // namespace rwa::workflows
