// src/datasets/files.h: a data set of the user's files.
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

// What was seen of the files while they were read.
struct Statistics {
  std::int64_t sequences = 0;
  std::int64_t steps = 0;
  std::map<int, std::int64_t> lengths;  // sequences by their number of steps
  std::vector<std::int64_t> labels;     // how often each of Encoding::labels stands as an answer
  std::vector<std::int64_t> missing;    // numbers, of each feature
  // Of each feature, without the missing ones; infinite, and the other way, where all are.
  std::vector<double> least, most;
};
[[nodiscard]] int shortest(const Statistics&);
[[nodiscard]] int median_length(const Statistics&);
[[nodiscard]] int longest(const Statistics&);

class Files : public Dataset {
 public:
  [[nodiscard]] virtual const Encoding& encoding() const = 0;
  [[nodiscard]] virtual const Statistics& statistics() const = 0;  // of the training files
  [[nodiscard]] virtual std::string sha256() const = 0;            // of all sequences of all splits
  // A sample, encoded, as fill() has it in a batch.
  virtual void sample(Split split, std::int64_t number, formats::Sequence& encoded) const = 0;
};

// Told now and then how many sequences have been read.
using Reading = std::function<void(std::int64_t sequences)>;

// Reads the files of the task, each once. `folder` is where what does not fit into memory goes. The
// encoding is made of the training files and those of the other splits: labels and symbols of all,
// means and scales of the training samples alone. Throws as formats::open() and Encoder do;
// InputError where there is nothing to train on: no sequence, no steps, a single class.
//
// With a link all its ranks call this and have the same data afterwards, although rank 0 alone
// looks at the files, the folder and the listener (files_ranks.cc). What does not fit into memory
// is written once on each machine: on others than that of rank 0 to the temporary folder of the
// lowest rank there.
std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed,
                                  const std::filesystem::path& folder, const Reading& reading = {},
                                  Link* link = nullptr);

// The same data, read once, in another division: fold `fold` of `folds` is the test set, the one
// after it is for validation, the others are trained on. Only of a data set that was opened with
// task.folds.
std::unique_ptr<Files> with_fold(const Files& files, int fold);

}  // namespace rwa::datasets
