// src/workflows/predict.h: many sequences through a model, in constant memory: a part of them at a time,
// in it those of like length side by side, and all seen in the order in which they came. What is
// said to one does not depend on its neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "formats/sequence.h"
#include "rwa/model.h"
#include "workflows/trained.h"

namespace rwa::workflows {

// A sequence that is ready for the model, or a piece of one.
struct Sample {
  formats::Sequence sequence;  // encoded
  int from = 0;                // the first step of a piece, from 1; 0: it is whole
};

// The number of a step of such a piece, from 1 for the first of the whole sequence.
inline int step_of(int from, std::size_t row) { return std::max(from, 1) + static_cast<int>(row); }

// Gives the next; false where there is none, and is not asked again then. Called by one thread at a
// time, but not always the same.
using Samples = std::function<bool(Sample&)>;
// Gets the outputs, [O] or for every step [T,O]; of a forecast those of the last step too, whose
// answer nobody knows yet.
using See = std::function<void(const Sample&, std::span<const float> logits)>;

struct PredictOptions {
  int batch = 100;  // sequences side by side, at most
  SessionOptions session = {};
};

// Throws what `next` and `see` do, and ConfigError and ResourceError as Session does.
void predict(const Model& model, const datasets::Encoding& encoding, const Samples& next,
             const PredictOptions& options, const See& see);
inline void predict(const Trained& trained, const Samples& next, const PredictOptions& options,
                    const See& see) {
  predict(trained.model, trained.encoding, next, options, see);
}

}  // namespace rwa::workflows
