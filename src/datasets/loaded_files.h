// src/datasets/loaded_files.h: data sets of files that were read: what those of sequences and those
// of series have in common.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/files.h"
#include "datasets/files_read.h"

namespace rwa::datasets {

class LoadedFiles : public Files {
 public:
  [[nodiscard]] const Shape& shape() const override { return shape_; }
  [[nodiscard]] Naive naive() const override { return naive_; }
  void fill(Split split, std::span<const std::int64_t> samples, Batch& batch) const override;
  [[nodiscard]] std::map<std::string, std::string> notes() const override {
    return {{std::string(kEncodingNote), to_json(encoding_)}};
  }
  [[nodiscard]] const Encoding& encoding() const override { return encoding_; }
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }
  [[nodiscard]] const formats::Findings& findings() const override { return data_->findings; }
  [[nodiscard]] std::string sha256() const override { return data_->sha256; }
  [[nodiscard]] std::vector<float> constant_outputs() const override { return constant_outputs_; }

  // See files.h.
  [[nodiscard]] virtual std::unique_ptr<Files> prepared(const FilesTask& task) const = 0;
  [[nodiscard]] virtual bool has_folds(int folds) const = 0;

 protected:
  LoadedFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data);

  // Encodes by what was found in the training data.
  void set_encoding(const Sums& trained);
  // The last step: samples can be read from now on.
  void finish() { encoder_.emplace(encoding_, *data_->vocabulary); }

  FilesTask task_;
  std::shared_ptr<const LoadedData> data_;
  Encoding encoding_;
  Statistics statistics_;
  Shape shape_;
  Naive naive_;
  std::vector<float> constant_outputs_;
  std::optional<Encoder> encoder_;
};

// Whether the fold is a test set, and not the training on all folds.
inline bool is_one_fold(const FilesTask& task) { return task.folds > 0 && task.fold < task.folds; }

// Sequences, or series whose windows are forecast. Throw as open_files() does.
std::unique_ptr<LoadedFiles> make_sequence_files(const FilesTask& task,
                                                 std::shared_ptr<const LoadedData> data);
std::unique_ptr<LoadedFiles> make_series_files(const FilesTask& task,
                                               std::shared_ptr<const LoadedData> data);

}  // namespace rwa::datasets
