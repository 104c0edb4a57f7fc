#include "datasets/files.h"

#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "datasets/loaded_files.h"
#include "formats/data_files.h"
#include "formats/labels.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;

int length_at(const Statistics& statistics, std::int64_t sequence) {
  for (const auto& [length, count] : statistics.lengths) {
    if (sequence < count) return length;
    sequence -= count;
  }
  return 0;
}
}  // namespace

void check_files(const FilesTask& task) {
  std::vector<fs::path> all;
  for (const auto* part : {&task.train, &task.valid, &task.test}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  (void)formats::find_files(all);
  formats::check_label_source(task.label_from);
}

Scale choose_scale(const formats::Schema& schema, const Statistics& statistics) {
  constexpr double kFarApart = 30;
  if (!why_no_own_scale(schema).empty() || is_per_step(schema.target)) return Scale::kData;
  return statistics.own.spread().value_or(1) > kFarApart ? Scale::kSequence : Scale::kData;
}

int shortest(const Statistics& statistics) { return length_at(statistics, 0); }
int median_length(const Statistics& statistics) {
  return length_at(statistics, (statistics.sequences - 1) / 2);
}
int longest(const Statistics& statistics) {
  return length_at(statistics, statistics.sequences - 1);
}

std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed, const fs::path& folder,
                                  const Reading& reading, const Open& open, const Keeper& keeper) {
  auto data =
      std::make_shared<const LoadedData>(load_files(task, seed, folder, reading, open, keeper));
  if (!task.sha256.empty() && task.sha256 != data->sha256) {
    throw ConfigError(
        fmt::format("{}: the data has changed since the run was set up: its SHA-256 is {}, "
                    "expected {}",
                    task.train.front(), data->sha256, task.sha256));
  }
  return data->forecasts ? make_series_files(task, std::move(data))
                         : make_sequence_files(task, std::move(data));
}

std::unique_ptr<Files> open_files(const FilesTask& task, std::uint64_t seed, const fs::path& folder,
                                  const Reading& reading, Link* link) {
  const Open open = open_together(link);
  const Keeper keeper(link);
  if (link == nullptr || link->rank() == 0) {
    return open_files(task, seed, folder, reading, open, keeper);
  }
  std::error_code error;  // on error the path is empty: the data stays in memory
  return open_files(task, seed, fs::temp_directory_path(error), {}, open, keeper);
}

std::unique_ptr<Files> prepared(const Files& files, const FilesTask& task) {
  return dynamic_cast<const LoadedFiles&>(files).prepared(task);
}

bool has_folds(const Files& files, int folds) {
  return dynamic_cast<const LoadedFiles&>(files).has_folds(folds);
}

}  // namespace rwa::datasets
