// src/datasets/files_read.h: the files of a task, read once into the subsets of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "datasets/encoding.h"
#include "datasets/files.h"
#include "datasets/files_sums.h"
#include "datasets/files_task.h"
#include "datasets/store.h"
#include "datasets/store_file.h"
#include "formats/reader.h"
#include "formats/sequence.h"
#include "rwa/link.h"

namespace rwa::datasets {

// How the files of a task are to be read. Throws ConfigError for a name that is unknown.
formats::Options options_of(const FilesTask& task);
// Where the task does not say, pieces do not overlap.
inline int stride_of(const FilesTask& task) { return task.stride == 0 ? task.window : task.stride; }

// Of nothing yet; and of one sequence more, whose labels are numbered as in the vocabulary.
Statistics no_statistics(std::size_t features);
void add(const formats::Sequence& sequence, Statistics& statistics);

// The sequences of a fold, of a split or of other files.
struct Subset {
  Subset(const std::filesystem::path& folder, std::size_t memory, const Keeper& keeper)
      : store(folder, memory, keeper) {}

  Store store;  // of samples: sequences, or the pieces they were cut into
  Sums sums;
};

struct LoadedData {
  formats::Schema schema;
  std::shared_ptr<formats::Vocabulary> vocabulary;
  std::vector<std::unique_ptr<Subset>> subsets;  // of the training files, as StratifiedSplit says
  std::unique_ptr<Subset> valid, test;           // null where there are no files for it
  Statistics statistics;                         // its labels are numbered as in the vocabulary
  std::string sha256;
};

// formats::open(), or another in its place.
using Open = std::function<std::unique_ptr<formats::Reader>(
    const std::vector<std::filesystem::path>& paths, const formats::Options& options,
    std::shared_ptr<formats::Vocabulary> vocabulary)>;

// formats::open() on all ranks of the link, which must outlive it and its readers; null: this
// process is alone. All open the same data sets in the same order, and go to the end of each; the
// paths are those of rank 0. A sequence is sent when rank 0 comes back for a later one, and so has
// found it right.
Open open_together(Link* link);

// Throws as open_files() does, for what can be seen of the task or of a single sequence.
LoadedData load_files(const FilesTask& task, std::uint64_t seed,
                      const std::filesystem::path& folder, const Reading& reading, const Open& open,
                      const Keeper& keeper);

// open_files() with it.
std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed,
                                  const std::filesystem::path& folder, const Reading& reading,
                                  const Open& open, const Keeper& keeper = {});

}  // namespace rwa::datasets
