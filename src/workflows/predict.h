// src/workflows/predict.h: predicts for many sequences in constant memory. Sequences of similar
// length are batched, and results keep the order of the input. The prediction for a sequence does
// not depend on its batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "datasets/files.h"
#include "formats/reader.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "workflows/output.h"
#include "workflows/predictions.h"
#include "workflows/trained.h"

namespace rwa::workflows {

// A sequence, or a window of one, ready for the model.
struct Sample {
  formats::Sequence sequence;  // encoded
  // The first step of a window, from 1; 0: a whole sequence. Of a forecast: the first step of it.
  int from = 0;
};

// The number of a window's row as a step of the whole sequence, from 1.
inline int step_of(int from, std::size_t row) { return std::max(from, 1) + static_cast<int>(row); }

// Fills in the next sample; returns false at the end and is not called again. Called by one thread
// at a time, but not always the same one.
using SampleSource = std::function<bool(Sample&)>;

// Counts the sequences of a source, and those that could not be read and were skipped.
struct SkipReport {
  std::function<void(const InputError& reason)> tell;  // called for each; other threads may call it
  std::int64_t sequences = 0;                          // all of them
  std::int64_t skipped = 0;
  std::int64_t symbols = 0, unknown = 0;  // of sequences that were not skipped
  std::int64_t short_series = 0;          // forecast from too few steps for a season
};

// The sequences of files, or of standard input ("-"), cut into windows as in training. Series that
// are forecast: with `answered` windows that forecast each step once, else what follows. The
// encoding must outlive the source. With `answered`, throws InputError for a sequence without a
// target; else targets are ignored. Throws as formats::open(), Reader and Encoder do. With
// `report`, which must outlive the source too, skips a sequence for which they throw InputError, if
// the reader can, and a sequence of unknown symbols only.
SampleSource open_samples(const datasets::Encoding& encoding,
                          std::span<const std::filesystem::path> paths, bool answered,
                          SkipReport* report = nullptr);
// The same for a reader that was opened with the encoding's options and this vocabulary.
SampleSource samples_of(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
                        std::shared_ptr<formats::Vocabulary> words, bool answered,
                        SkipReport* report = nullptr);
// A sample of a data set that was read for training, by its number in the split.
void read_sample(const datasets::Files& files, datasets::Split split, std::int64_t number,
                 Sample& sample);
// All of them; the data set must outlive the source.
SampleSource samples_of(const datasets::Files& files, datasets::Split split);

struct PredictOptions {
  int batch = 100;  // maximum batch size
  SessionOptions session = {};
};

// Receives the outputs of a sample, [O] or for every step [T,O]. A forecast includes the last step,
// whose target is not known yet.
using LogitsConsumer = std::function<void(const Sample&, std::span<const float> logits)>;

// Throws what `next` and `consume` do, and ConfigError and ResourceError as Session does.
void predict(const Model& model, const datasets::Encoding& encoding, const SampleSource& next,
             const PredictOptions& options, const LogitsConsumer& consume);
inline void predict(const Trained& trained, const SampleSource& next, const PredictOptions& options,
                    const LogitsConsumer& consume) {
  predict(trained.model, trained.encoding, next, options, consume);
}

// Writes a row for each sample, for each of its steps, or for each step of a forecast.
void write_predictions(const Trained& trained, const SampleSource& next,
                       const PredictOptions& options, RowFormat format, Output& output);

}  // namespace rwa::workflows
