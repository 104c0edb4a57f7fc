// src/workflows/predict_samples.h: where the sequences for a model come from.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "datasets/files.h"
#include "formats/reader.h"
#include "workflows/predict.h"

namespace rwa::workflows {

// Those of files, or of the standard input ("-"), cut as those of the training were. The encoding
// must outlive them. With `answered`, a sequence whose answer the files do not say is refused with
// InputError; else answers are not looked at. Throws as formats::open(), Reader and Encoder do.
Samples open_samples(const datasets::Encoding& encoding,
                     std::span<const std::filesystem::path> paths, bool answered);

// Those of a reader that was opened with the encoding's options and these words, likewise.
Samples samples_of(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
                   std::shared_ptr<formats::Vocabulary> words, bool answered);

// Those of a data set that was read for training, which must outlive them.
Samples samples_of(const datasets::Files& files, datasets::Split split);

}  // namespace rwa::workflows
