// src/own/predict_samples.h: where the sequences for a model come from.
#pragma once

#include <filesystem>
#include <span>

#include "data/files.h"
#include "own/predict.h"

namespace rwa::own {

// Those of files, or of the standard input ("-"), cut as those of the training were. The encoding
// must outlive them. With `answered`, a sequence whose answer the files do not say is refused with
// InputError; else answers are not looked at. Throws as read::open(), Reader and Encoder do.
Samples open_samples(const data::Encoding& encoding, std::span<const std::filesystem::path> paths,
                     bool answered);

// Those of a data set that was read for training, which must outlive them.
Samples samples_of(const data::Files& files, data::Split split);

}  // namespace rwa::own
