// src/datasets/files.h: a data set read from user files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/encoding.h"
#include "datasets/files_task.h"
#include "datasets/store.h"
#include "rwa/link.h"

namespace rwa::datasets {

// Statistics gathered while reading the files.
struct Statistics {
  std::int64_t sequences = 0;
  std::int64_t steps = 0;
  std::map<int, std::int64_t> lengths;  // sequences by their number of steps
  std::vector<std::int64_t>
      labels;  // number of targets per label, in the order of Encoding::labels
  std::vector<std::int64_t> missing;  // missing values per feature
  // Range of each feature, ignoring missing values; +infinity and -infinity if all are missing.
  std::vector<double> least, most;
};
[[nodiscard]] int shortest(const Statistics&);
[[nodiscard]] int median_length(const Statistics&);
[[nodiscard]] int longest(const Statistics&);

class Files : public Dataset {
 public:
  [[nodiscard]] virtual const Encoding& encoding() const = 0;
  [[nodiscard]] virtual const Statistics& statistics() const = 0;  // of the training files
  // Of the training files; empty except on rank 0.
  [[nodiscard]] virtual const formats::Findings& findings() const = 0;
  [[nodiscard]] virtual std::string sha256() const = 0;  // of all sequences of all splits
  // Returns the outputs of a network that ignores its input and fits the training samples best,
  // before softmax or sigmoid: frequencies of the classes, or the means of the numbers.
  [[nodiscard]] virtual std::vector<float> constant_outputs() const = 0;
  // Reads one encoded sample, as fill() puts it into a batch.
  virtual void sample(Split split, std::int64_t number, formats::Sequence& encoded) const = 0;
};

// Called at intervals with the number of sequences read so far.
using Reading = std::function<void(std::int64_t sequences)>;

// Reads the files of the task, each once. Data that does not fit into memory goes to a file in
// `folder`. The encoding takes labels from the training files; symbols, means and scales from the
// training samples only, where words that occur once count as unknown. Throws like formats::open()
// and Encoder, and InputError for a label that is not in the training files, and if there is nothing
// to learn: no sequences, no steps, a single class.
//
// With a link, all its ranks call this and get the same data, but only rank 0 reads the files and
// uses `folder` and `reading` (files_ranks.cc). Data that does not fit into memory is written once
// per machine: on machines without rank 0, to the temporary folder of the lowest rank there.
std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed,
                                  const std::filesystem::path& folder, const Reading& reading = {},
                                  Link* link = nullptr);

// Returns the same data, without reading it again, in another split: fold `fold` is the test set,
// the next fold the validation set (none of two folds), the others the training set. All sequences
// are for training if `fold` is the number of folds. The data set must have been opened with
// task.folds.
std::unique_ptr<Files> with_fold(const Files& files, int fold);

}  // namespace rwa::datasets
