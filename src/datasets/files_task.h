// src/datasets/files_task.h: the settings of a data set of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rwa::datasets {

// Names mean what formats/schema.h and datasets/encoding.h say. What is empty is guessed from the
// files.
struct FilesTask {
  std::vector<std::string> train = {}, valid = {}, test = {};  // paths
  std::string format = {}, layout = {}, task = {};
  std::vector<std::string> target = {}, features = {};
  std::string id = {}, time = {}, label_from = {};
  int kmer = 1;
  int context = 1;    // as Widening
  int positions = 0;  // likewise
  std::string missing = "refuse";
  int window = 0;
  int stride = 0;  // 0: as the window
  // Where no files are for validation: one in round(1 / split) sequences of each class, 0:
  // none. With folds one in `folds` of them is for test, that of the number `fold`, and the next
  // fold is for validation.
  double split = 0.2;
  int folds = 0;
  int fold = 0;
  std::uint64_t split_seed = 0;  // which go where; 0: as the seed of the run says
  bool balance = false;          // every class as often as any other, in training
  std::string sha256 = {};       // of what was read; empty: anything

  friend bool operator==(const FilesTask&, const FilesTask&) = default;
};

}  // namespace rwa::datasets
