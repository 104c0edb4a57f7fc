// src/workflows/explain.h: which steps of a sequence made a model say what it says, sequence after sequence.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workflows/attribution.h"
#include "workflows/trained.h"

namespace rwa::workflows {

struct ExplainOptions {
  std::optional<Method> method = {};  // usual_method()
  // Which output is explained, by its name: the class that is answered, the likeliest label, or the
  // first number where nothing is said.
  std::optional<std::string> output = {};
  std::vector<std::string> ids = {};  // of the sequences; none: the first ones
  std::optional<int> limit = {};      // explanations; where no ids are given, 10
  int threads = 1;
};

struct Explanation {
  formats::Sequence sequence = {};  // encoded
  int from = 0;                     // the first step of a piece, as Sample has it
  std::vector<float> logits = {};   // [O], of the only answer or that to the last step
  std::optional<std::string> truth = {};
  Method method = Method::kShares;
  std::size_t output = 0;
  Attribution attribution = {};
};

// Explains sequences of files, cut as those of the training were, in the order in which they come. Those
// without steps, which have nothing to explain, are left out.
// Throws as formats::open(), Reader and Encoder do; ConfigError for an output that the model does not have,
// an id that no sequence has, and as make_attributor() does.
void explain(const Trained& trained, std::span<const std::filesystem::path> paths,
             const ExplainOptions& options, const std::function<void(const Explanation&)>& see);

}  // namespace rwa::workflows
