// src/datasets/files_read.h: the one pass over somebody's files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "datasets/files_collect.h"
#include "datasets/store_keeper.h"
#include "formats/reader.h"

namespace rwa::datasets {

// How the files of a task are to be read. Throws ConfigError for a name that is unknown.
formats::Options options_of(const FilesTask& task);

// Of nothing yet; and of one sequence more, whose labels are numbered as in the vocabulary.
Statistics no_statistics(std::size_t features);
void add(const formats::Sequence& sequence, Statistics& statistics);

struct Collected {
  formats::Schema schema;
  std::shared_ptr<formats::Vocabulary> vocabulary;
  std::vector<std::unique_ptr<Part>> parts;  // of the training files, as Division says
  std::unique_ptr<Part> valid, test;         // null where there are no files for it
  Statistics statistics;                     // its labels are numbered as in the vocabulary
  std::string sha256;
};

// formats::open(), or another in its place.
using Open = std::function<std::unique_ptr<formats::Reader>(
    const std::vector<std::filesystem::path>& paths, const formats::Options& options,
    std::shared_ptr<formats::Vocabulary> vocabulary)>;

// Throws as open_files() does, for what can be seen of the task or of a single sequence.
Collected collect(const FilesTask& task, std::uint64_t seed, const std::filesystem::path& folder,
                  const Reading& reading, const Open& open, const Keeper& keeper);

// open_files() with it.
std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed,
                                  const std::filesystem::path& folder, const Reading& reading,
                                  const Open& open, const Keeper& keeper = {});

}  // namespace rwa::datasets
