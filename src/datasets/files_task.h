// src/datasets/files_task.h: the settings of a data set of files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/schema.h"
#include "rwa/model.h"

namespace rwa::datasets {

inline constexpr int kMostFolds = 1000;
inline constexpr double kLeastSplit = 0.01;  // or 0
inline constexpr double kMostSplit = 0.5;

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
  // Of forecasts of numbers: the steps before a forecast, and from one to the next. Else see
  // Encoding.
  int window = 0;  // 0: not cut; of forecasts: some seasons
  int stride = 0;  // 0: same as window; of forecasts: 1
  // As in Forecast. 0: chosen, see season.h.
  int horizon = 0;
  int season = 0;
  double interval = ModelConfig{}.interval;
  double interval_scale = 0;  // as in Shape
  // Without validation files: validate on one in round(1 / split) sequences of each class; 0: none.
  // With folds, fold `fold` is the test set and the next fold the validation set, unless the split
  // is 0 or there are only two. If `fold` equals `folds`, all sequences are for training. Series
  // that are forecast are split by time, see windows.h.
  double split = 0.2;
  int folds = 0;
  int fold = 0;
  std::uint64_t split_seed = 0;  // of the split; 0: the seed of the run
  bool balance = false;          // oversample: every class equally often in training
  std::string sha256 = {};       // expected hash of the data; empty: not checked

  friend bool operator==(const FilesTask&, const FilesTask&) = default;
};

// What FilesTask::task may be: the names of formats::Target, and this one, which predicts the next
// step of sequences at every step. For symbols, it is the same as to forecast.
inline constexpr std::string_view kNextStep = "next-step";
std::vector<std::string> task_names();
// Throws ConfigError.
std::optional<formats::Target> parse_task(const FilesTask& task);

// Whether windows of series are forecast, and not the next step of sequences.
bool is_forecast(const FilesTask& task, const formats::Schema& schema);

}  // namespace rwa::datasets
