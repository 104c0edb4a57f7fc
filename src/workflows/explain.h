// src/workflows/explain.h: explains which time steps the prediction for a sequence depends on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workflows/attribution.h"
#include "workflows/predict.h"
#include "workflows/trained.h"

namespace rwa::workflows {

struct ExplainOptions {
  std::optional<Method> method = {};  // default_method()
  // The name of the output to explain; by default the predicted class, the likeliest label, or the
  // first number.
  std::optional<std::string> output = {};
  std::vector<std::string> ids = {};  // of the sequences to explain; empty: the first ones
  std::optional<int> limit = {};      // of explanations; default: 10, or none if ids are given
  int threads = 1;
};

struct Explanation {
  formats::Sequence sequence = {};  // encoded
  int from = 0;                     // the first step of a window, as in Sample
  std::vector<float> logits = {};   // [O], of the only prediction or the last one
  std::optional<std::string> truth = {};
  Method method = Method::kShares;
  std::size_t output = 0;
  Attribution attribution = {};
};

// Explains the sequences of files in order, cut into windows as in training. Skips sequences
// without steps. Throws as formats::open(), Reader, Encoder and make_attributor() do; ConfigError
// for an unknown output or id.
void explain(const Trained& trained, std::span<const std::filesystem::path> paths,
             const ExplainOptions& options, const std::function<void(const Explanation&)>& consume);
// Explains encoded samples with the default method.
std::vector<Explanation> explain(const Trained& trained, const std::vector<Sample>& samples,
                                 int threads);

}  // namespace rwa::workflows
