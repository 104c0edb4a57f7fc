// src/datasets/files_read.h: reads the files of a task, once, into the subsets of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/encoding.h"
#include "datasets/files.h"
#include "datasets/files_sums.h"
#include "datasets/files_task.h"
#include "datasets/season.h"
#include "datasets/store.h"
#include "datasets/store_file.h"
#include "formats/reader.h"
#include "formats/sequence.h"
#include "formats/time_step.h"
#include "rwa/link.h"

namespace rwa::datasets {

// Returns how to read the files of a task. Throws ConfigError for an unknown name.
formats::Options options_of(const FilesTask& task);
// By default windows do not overlap.
inline int stride_of(const FilesTask& task) { return task.stride == 0 ? task.window : task.stride; }

// Empty statistics; add() updates them with a sequence whose labels are numbered as in the
// vocabulary.
Statistics no_statistics(std::size_t features);
void add(const formats::Sequence& sequence, Statistics& statistics);

// The sequences of one fold or split.
struct Subset {
  Subset(const std::filesystem::path& folder, std::size_t memory, const Keeper& keeper)
      : store(folder, memory, keeper) {}

  Store store;                                 // of samples: sequences or windows of them
  std::vector<formats::Sequence> series = {};  // instead, of forecasts
  std::vector<int> first = {};                 // of validation and test series, see continued.h
  Sums sums;
};

struct LoadedData {
  formats::Schema schema;
  formats::Findings findings;
  std::shared_ptr<formats::Vocabulary> vocabulary;
  bool forecasts = false;  // see is_forecast()
  // Of forecasts: the distance of times, and the season that was found.
  std::optional<formats::TimeStep> step = {};
  Season season = {};
  std::size_t labels = 0;  // those of the training files, the first in the vocabulary
  // Of the training files, by StratifiedSplit; a single one of forecasts, which are split by time.
  std::vector<std::unique_ptr<Subset>> subsets;
  std::unique_ptr<Subset> valid, test;  // null without files for it
  Statistics statistics;                // labels are numbered as in the vocabulary
  std::string sha256;
};

// formats::open() or a replacement.
using Open = std::function<std::unique_ptr<formats::Reader>(
    const std::vector<std::filesystem::path>& paths, const formats::Options& options,
    std::shared_ptr<formats::Vocabulary> vocabulary)>;

// Returns formats::open() for all ranks of the link, which must outlive it and its readers; null:
// this process is alone. All ranks must open the same data sets in the same order and read each to
// the end; paths are those of rank 0. Rank 0 sends a sequence when it asks for a later one, and so
// after it has accepted it.
Open open_together(Link* link);

// Reads all files. Throws like open_files() for errors in the task or in a single sequence.
LoadedData load_files(const FilesTask& task, std::uint64_t seed,
                      const std::filesystem::path& folder, const Reading& reading, const Open& open,
                      const Keeper& keeper);

// open_files() with a given Open and Keeper.
std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed,
                                  const std::filesystem::path& folder, const Reading& reading,
                                  const Open& open, const Keeper& keeper = {});

}  // namespace rwa::datasets
