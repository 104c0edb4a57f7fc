// src/datasets/files_collect.h: takes the sequences of somebody's files into the parts of a data set, one
// after the other, and sums them up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/encoding.h"
#include "datasets/files_sums.h"
#include "datasets/files_task.h"
#include "datasets/store.h"
#include "formats/sequence.h"
#include "io/sha256.h"

namespace rwa::datasets {

struct Part {
  Part(const std::filesystem::path& folder, std::size_t memory, const Keeper& keeper)
      : store(folder, memory, keeper) {}

  Store store;  // of samples: sequences, or the pieces they were cut into
  Sums sums;
};

// Where the task does not say, pieces do not overlap.
inline int stride_of(const FilesTask& task) { return task.stride == 0 ? task.window : task.stride; }

class Collector {
 public:
  // Throws ConfigError for a window that cannot be.
  Collector(const FilesTask& task, formats::Schema schema);

  // Throws InputError, with the file and the line, for a sequence without all of its numbers and answers.
  void check(const formats::Sequence& sequence, const std::string& file) const;
  // One that has passed. Where numbers are missing they may be filled.
  void add(formats::Sequence& sequence, Part& part);
  // Of everything that was added, in its order, and of the words it is made of. Nothing may be added
  // afterwards.
  std::string sha256(const formats::Vocabulary& vocabulary);

 private:
  void add_sample(const formats::Sequence& sample, Part& part);
  void hash(const formats::Dictionary& words);

  formats::Schema schema_;
  bool forecasts_, every_step_;
  std::size_t features_;  // numbers of a step
  Missing missing_;
  int window_, stride_;
  formats::Sequence piece_;
  std::vector<std::byte> record_;
  io::Sha256 hash_;
};

}  // namespace rwa::datasets
