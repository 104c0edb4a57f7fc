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
#include "datasets/own_scale_sums.h"
#include "datasets/season.h"
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
  OwnScaleSums own;
};
[[nodiscard]] int shortest(const Statistics&);
[[nodiscard]] int median_length(const Statistics&);
[[nodiscard]] int longest(const Statistics&);

// Chooses how to scale numbers if it is not given: each sequence by itself if their deviations
// differ by orders of magnitude, so that over the data most would look constant. Not for targets at
// every step, which would see later steps.
[[nodiscard]] Scale choose_scale(const formats::Schema& schema, const Statistics& statistics);

// What only data sets of series have.
class SeriesData {
 public:
  virtual ~SeriesData() = default;
  // The whole series of a window, and the first step that the window forecasts.
  [[nodiscard]] virtual const formats::Sequence& of_window(Split split, std::int64_t number,
                                                           int& origin) const = 0;
  // The season that was found in the data, used or not.
  [[nodiscard]] virtual const Season& season() const = 0;
  // How many folds the series are long enough for, at most `most`.
  [[nodiscard]] virtual int possible_folds(int most) const = 0;
};

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
  // Null unless series are forecast.
  [[nodiscard]] virtual const SeriesData* series() const { return nullptr; }
};

// Throws as formats::find_files() and check_label_source() do: also for a file that is both
// training and test data.
void check_files(const FilesTask& task);

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

// Returns the same data, without reading it again, split and prepared as `task` says. It may differ
// from the task that the data was opened with in `context`, `positions`, `scale`, `balance` and
// `fold`, and in `split` and `folds` if it needs as many subsets: data opened with a split of 0.2
// can have five folds. Throws ConfigError for other folds, InputError if a fold is empty.
std::unique_ptr<Files> prepared(const Files& files, const FilesTask& task);
inline std::unique_ptr<Files> with_fold(const Files& files, FilesTask task, int fold) {
  task.fold = fold;
  return prepared(files, task);
}
// Whether the data was read in this many subsets and none is empty.
bool has_folds(const Files& files, int folds);

}  // namespace rwa::datasets
