// src/data/files_read.h: the one pass over somebody's files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/files.h"
#include "data/files_collect.h"
#include "data/store_keeper.h"
#include "read/reader.h"

namespace rwa::data {

// How the files of a task are to be read. Throws ConfigError for a name that is unknown.
read::Options options_of(const FilesTask& task);

// Of nothing yet; and of one sequence more, whose labels are numbered as in the vocabulary.
Statistics no_statistics(std::size_t features);
void add(const read::Sequence& sequence, Statistics& statistics);

struct Collected {
  read::Schema schema;
  std::shared_ptr<read::Vocabulary> vocabulary;
  std::vector<std::unique_ptr<Part>> parts;  // of the training files, as Division says
  std::unique_ptr<Part> valid, test;         // null where there are no files for it
  Statistics statistics;                     // its labels are numbered as in the vocabulary
  std::string sha256;
};

// read::open(), or another in its place.
using Open = std::function<std::unique_ptr<read::Reader>(
    const std::vector<std::filesystem::path>& paths, const read::Options& options,
    std::shared_ptr<read::Vocabulary> vocabulary)>;

// Throws as open_files() does, for what can be seen of the task or of a single sequence.
Collected collect(const FilesTask& task, std::uint64_t seed, const std::filesystem::path& folder,
                  const Reading& reading, const Open& open, const Keeper& keeper);

// open_files() with it.
std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed,
                                  const std::filesystem::path& folder, const Reading& reading,
                                  const Open& open, const Keeper& keeper = {});

}  // namespace rwa::data
