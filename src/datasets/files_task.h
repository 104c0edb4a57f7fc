// src/datasets/files_task.h: the settings of a data set of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rwa::datasets {

// See formats/schema.h and datasets/encoding.h for the fields. Empty fields are guessed from the
// files.
struct FilesTask {
  std::vector<std::string> train = {}, valid = {}, test = {};  // paths
  std::string format = {}, layout = {}, task = {};
  std::vector<std::string> target = {}, features = {};
  std::string id = {}, time = {}, label_from = {};
  std::string decimal = {};
  int kmer = 1;
  std::string tokens = "characters";
  bool lower = false;
  int context = 1;    // as in Widening
  int positions = 0;  // as in Widening
  std::string missing = "refuse";
  std::string scale = {};  // empty: see choose_scale()
  int window = 0;
  int stride = 0;  // 0: same as window
  // Without validation files: validate on one in round(1 / split) sequences of each class; 0: none.
  // With folds, fold `fold` is the test set and the next fold the validation set, unless the split
  // is 0 or there are only two. If `fold` equals `folds`, all sequences are for training.
  double split = 0.2;
  int folds = 0;
  int fold = 0;
  std::uint64_t split_seed = 0;  // of the split; 0: the seed of the run
  bool balance = false;          // oversample: every class equally often in training
  std::string sha256 = {};       // expected hash of the data; empty: not checked

  friend bool operator==(const FilesTask&, const FilesTask&) = default;
};

}  // namespace rwa::datasets
