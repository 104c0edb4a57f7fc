// src/own/predict_samples.h: where the sequences for a model come from.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "data/files.h"
#include "own/predict.h"
#include "read/reader.h"

namespace rwa::own {

// Those of files, or of the standard input ("-"), cut as those of the training were. The encoding
// must outlive them. With `answered`, a sequence whose answer the files do not say is refused with
// InputError; else answers are not looked at. Throws as read::open(), Reader and Encoder do.
Samples open_samples(const data::Encoding& encoding, std::span<const std::filesystem::path> paths,
                     bool answered);

// Those of a reader that was opened with the encoding's options and these words, likewise.
Samples samples_of(const data::Encoding& encoding, std::unique_ptr<read::Reader> reader,
                   std::shared_ptr<read::Vocabulary> words, bool answered);

// Those of a data set that was read for training, which must outlive them.
Samples samples_of(const data::Files& files, data::Split split);

}  // namespace rwa::own
