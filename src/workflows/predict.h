// src/workflows/predict.h: many sequences through a model, in constant memory: those of similar
// length form a batch, and results come in the order of the input. The prediction for a sequence
// does not depend on its neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "datasets/files.h"
#include "formats/reader.h"
#include "rwa/model.h"
#include "workflows/output.h"
#include "workflows/predictions.h"
#include "workflows/trained.h"

namespace rwa::workflows {

// A sequence that is ready for the model, or a window of one.
struct Sample {
  formats::Sequence sequence;  // encoded
  int from = 0;                // the first step of a window, from 1; 0: it is whole
};

// The number of a step of such a window, from 1 for the first of the whole sequence.
inline int step_of(int from, std::size_t row) { return std::max(from, 1) + static_cast<int>(row); }

// Fills in the next sample; returns false at the end, and is not called again then. Called by one
// thread at a time, but not always the same.
using SampleSource = std::function<bool(Sample&)>;

// The sequences of files, or of the standard input ("-"), cut into windows as in training. The
// encoding must outlive the source. With `answered`, a sequence without an answer in the files
// throws InputError; without, answers are ignored. Throws as formats::open(), Reader and Encoder
// do.
SampleSource open_samples(const datasets::Encoding& encoding,
                          std::span<const std::filesystem::path> paths, bool answered);
// Likewise of a reader that was opened with the encoding's options and these words.
SampleSource samples_of(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
                        std::shared_ptr<formats::Vocabulary> words, bool answered);
// Those of a data set that was read for training, which must outlive the source.
SampleSource samples_of(const datasets::Files& files, datasets::Split split);

struct PredictOptions {
  int batch = 100;  // the largest number of sequences in a batch
  SessionOptions session = {};
};

// Receives the outputs of a sample, [O] or for every step [T,O]; of a forecast also those of the
// last step, whose answer is not known yet.
using LogitsConsumer = std::function<void(const Sample&, std::span<const float> logits)>;

// Throws what `next` and `consume` do, and ConfigError and ResourceError as Session does.
void predict(const Model& model, const datasets::Encoding& encoding, const SampleSource& next,
             const PredictOptions& options, const LogitsConsumer& consume);
inline void predict(const Trained& trained, const SampleSource& next, const PredictOptions& options,
                    const LogitsConsumer& consume) {
  predict(trained.model, trained.encoding, next, options, consume);
}

// One row for each sample, or for each of its steps.
void write_predictions(const Trained& trained, const SampleSource& next,
                       const PredictOptions& options, RowFormat format, Output& output);

}  // namespace rwa::workflows
