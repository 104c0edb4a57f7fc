// src/datasets/windows.h: the windows of series, and how they are split by time: what is held out
// comes after what is trained on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/files_task.h"
#include "datasets/forecast.h"
#include "formats/sequence.h"

namespace rwa::datasets {

// A list of windows, numbered from 0.
class Windows {
 public:
  struct Place {
    std::size_t series = 0;
    int origin = 0;  // the first step that is forecast
    int known = 0;   // see window_of()
  };

  // Adds the windows of a series with origins from `first` to `last`, one every `stride` steps.
  void add(std::size_t series, int first, int last, int stride, int known);

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] Place at(std::int64_t number) const;

 private:
  struct Run {
    std::int64_t before;  // windows of the runs before it
    std::size_t series;
    int first, stride;
    int known;  // 0: the origin
  };

  std::vector<Run> runs_;
  std::int64_t size_ = 0;
};

// The windows of one split of the training files. With folds, fold 0 tests on the last `horizon`
// steps of each series, fold 1 on those before, and each trains on what comes before. Of the rest,
// the last `split`, and at least `horizon` steps, are held out for validation; not if all folds
// train.
Windows windows_of(const FilesTask& task, const Forecast& forecast,
                   std::span<const formats::Sequence> series, Split split);

// The windows of validation or test files: steps are forecast once, up to the last one, as far as
// there is enough before them. Of a series with a `first` step of its own (continued.h), none
// before it.
Windows all_windows(const Forecast& forecast, std::span<const formats::Sequence> series,
                    std::span<const int> first = {});

// How many folds the median series is long enough for, at most `most`.
int possible_folds(const Forecast& forecast, std::span<const formats::Sequence> series, int most);

}  // namespace rwa::datasets
