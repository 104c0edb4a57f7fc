// src/workflows/evaluate.h: scores a model beside the baselines of its training data, for `rwa
// evaluate`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "workflows/baseline.h"
#include "workflows/predict.h"
#include "workflows/score.h"
#include "workflows/trained.h"

namespace rwa::workflows {

struct Evaluated {
  Scores scores;
  // Fitted to the training files that a run folder names. Empty for a model file, and if the files
  // are not as they were.
  std::vector<Baseline> baselines = {};
  std::string remark = {};  // as in verdict.h
  std::string why_no_baselines = {};
};

// `model` is the path of `trained`. `open` begins at the first sample again; it is called once
// without `again`, if the data cannot be read twice. Throws as score() does.
Evaluated evaluate(const std::filesystem::path& model, const Trained& trained,
                   const std::function<SampleSource()>& open, bool again,
                   const PredictOptions& options);

std::string to_text(const Evaluated& evaluated);
// One object: that of the scores, with "baselines" and "remark" unless they are empty.
std::string to_json(const Evaluated& evaluated);

}  // namespace rwa::workflows
