#include "datasets/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "datasets/files_order.h"
#include "datasets/files_read.h"
#include "datasets/forecast_fit.h"
#include "datasets/windows.h"
#include "io/quote.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;
using formats::Target;

// The rest of a model file's header is for the network and the tensors.
constexpr std::size_t kMostNoteBytes = io::kMaxHeaderBytes - (std::size_t{1} << 17);

std::optional<double> number_in(const std::string& word) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Sorts by value if all words are numbers, else by bytes.
std::vector<std::string> sorted(std::vector<std::string> words) {
  std::ranges::sort(words);
  const auto is_number = [](const std::string& word) { return number_in(word).has_value(); };
  if (!std::ranges::all_of(words, is_number)) return words;
  std::ranges::stable_sort(words, {}, [](const std::string& word) { return *number_in(word); });
  return words;
}

// The symbols of the training samples. Words that occur once count as unknown, so that training
// meets some.
std::vector<std::string> alphabet_of(const FilesTask& task, const formats::Dictionary& symbols,
                                     const Counts& seen) {
  const bool words = formats::parse_tokens(task.tokens) == formats::Tokens::kWords;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < symbols.words().size(); ++i) {
    const std::string& symbol = symbols.words()[i];
    if (seen.of(i) >= (words ? 2 : 1) && symbol != kUnknown) known.push_back(symbol);
  }
  known = sorted(std::move(known));
  known.emplace_back(kUnknown);
  return known;
}

Encoding encoding_of(const FilesTask& task, const LoadedData& data, const Sums& trained) {
  const formats::Schema& schema = data.schema;
  const bool numbers = is_of_numbers(schema.target);
  const bool labelled = schema.target != Target::kNone && !numbers;
  const Scale scale = parse_scale(task.scale);
  const formats::Vocabulary& words = *data.vocabulary;
  const auto first_label = words.labels.words().begin();
  return {.schema = schema,
          .kmer = task.kmer,
          .tokens = formats::parse_tokens(task.tokens),
          .lower = task.lower,
          .missing = parse_missing(task.missing),
          .window = task.window,
          .stride = stride_of(task),
          .widening = {.context = task.context,
                       .positions = task.positions,
                       .span = task.positions > 0 ? trained.longest : 0},
          .scale = scale,
          .features = trained.features.normal(schema.symbols ? 0 : schema.features.size()),
          .own = trained.own.scale(scale == Scale::kSequence ? schema.features.size() : 0),
          .alphabet = schema.symbols ? alphabet_of(task, words.symbols, trained.seen)
                                     : std::vector<std::string>(),
          .unknown = schema.symbols,
          .labels = labelled ? sorted({first_label,
                                       first_label + static_cast<std::ptrdiff_t>(data.labels)})
                             : std::vector<std::string>(),
          .targets = trained.targets.normal(numbers ? schema.targets.size() : 0)};
}

// Reorders counts by label from the vocabulary's order to the encoding's.
std::vector<std::int64_t> in_order(const std::vector<std::int64_t>& counts,
                                   const formats::Vocabulary& vocabulary,
                                   const std::vector<std::string>& labels) {
  std::map<std::string_view, std::int64_t> by_name;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    by_name[vocabulary.labels.words()[i]] = counts[i];
  }
  std::vector<std::int64_t> ordered;
  for (const std::string& label : labels) ordered.push_back(by_name[label]);
  return ordered;
}

// The same for symbols; those that the encoding does not have are unknown.
Counts in_order(const Counts& counts, const formats::Dictionary& symbols,
                const Encoding& encoding) {
  std::map<std::string_view, std::int32_t> places;
  for (const std::string& symbol : encoding.alphabet) {
    places.emplace(symbol, static_cast<std::int32_t>(places.size()));
  }
  Counts ordered;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto place = places.find(symbols.words()[i]);
    ordered.add(place == places.end() ? places.at(kUnknown) : place->second, counts.of(i));
  }
  return ordered;
}

// The inputs of the symbol for unknown ones, at this step and those before it, if no training
// sample has it.
std::vector<int> unseen_inputs(const Encoding& encoding, const Counts& seen) {
  std::vector<int> inputs;
  const auto width = static_cast<int>(encoding.width());
  if (!encoding.unknown || seen.of(encoding.known_symbols()) > 0) return inputs;
  for (int i = 1; i <= encoding.widening.context; ++i) inputs.push_back(i * width - 1);
  return inputs;
}

// Counts the training targets of each class, in the order of the outputs. Symbols are numbered as in
// the encoding, labels as in the vocabulary.
std::vector<double> class_counts(const Encoding& encoding, const formats::Vocabulary& words,
                                 const Sums& trained) {
  std::vector<double> ordered;
  if (encoding.schema.target == Target::kNone) {
    for (std::size_t i = 0; i < encoding.width(); ++i) {
      ordered.push_back(static_cast<double>(trained.symbols.of(i)));
    }
    return ordered;
  }
  const auto& names = words.labels.words();
  std::map<std::string_view, double> by_name;
  for (std::size_t i = 0; i < names.size(); ++i) {
    by_name[names[i]] = static_cast<double>(trained.labels.of(i));
  }
  for (const std::string& name : encoding.outputs()) ordered.push_back(by_name[name]);
  return ordered;
}

// One is added to each count: a class of a held-out sequence may have none.
std::vector<float> constant_outputs_of(const Encoding& encoding, const formats::Vocabulary& words,
                                       const Sums& trained) {
  const Loss loss = encoding.shape().loss;
  std::vector<float> outputs;
  if (loss == Loss::kSquaredError) {  // of standardised numbers
    outputs.resize(encoding.outputs().size());
    return outputs;
  }
  const auto samples = static_cast<double>(trained.samples);
  for (const double count : class_counts(encoding, words, trained)) {
    const double others = loss == Loss::kSigmoid ? samples - count + 1 : 1;
    outputs.push_back(static_cast<float>(std::log((count + 1) / others)));
  }
  return outputs;
}

int longest_of(const LoadedData& data) {
  int longest = 1;  // the least that a network supports
  for (const auto& subset : data.subsets) longest = std::max(longest, subset->sums.longest);
  for (const Subset* subset : {data.valid.get(), data.test.get()}) {
    if (subset != nullptr) longest = std::max(longest, subset->sums.longest);
  }
  return longest;
}

// Throws InputError if there is nothing to learn from the training data.
void check_trainable(const Encoding& encoding, const Statistics& statistics, const Sums& trained) {
  if (statistics.sequences == 0) throw InputError("the training files have no sequences");
  const Target target = encoding.schema.target;
  if (trained.steps == 0) {
    throw InputError(
        fmt::format("no training sequence (of {}) has {}", statistics.sequences,
                    target == Target::kNone ? "two steps, as a forecast needs" : "steps"));
  }
  const bool classes = target == Target::kClass || target == Target::kClassPerStep;
  const auto seen = static_cast<std::size_t>(
      std::ranges::count_if(statistics.labels, [](std::int64_t count) { return count > 0; }));
  if ((classes && seen < 2) || (target == Target::kLabels && seen == 0)) {
    throw InputError(fmt::format("the training data (sequences: {}) has {}, expected {}",
                                 statistics.sequences, classes ? "a single class" : "no labels",
                                 classes ? "at least two" : "some"));
  }
  if (!encoding.schema.symbols) return;
  if (encoding.known_symbols() == 0) {
    throw InputError(
        "every word occurs only once in the training data, expected some more often: use "
        "--tokens characters");
  }
  if (target == Target::kNone && encoding.known_symbols() == 1 &&
      trained.seen.of(encoding.known_symbols()) == 0) {
    throw InputError(
        fmt::format("the sequences have only the symbol {}, expected at least two symbols",
                    io::quote(encoding.alphabet.front())));
  }
}

// Throws InputError if the encoding does not fit into a model file, as JSON escaped in JSON.
void check_note(const Encoding& encoding) {
  const std::size_t bytes = nlohmann::json(to_json(encoding)).dump().size();
  if (bytes <= kMostNoteBytes) return;
  throw InputError(
      fmt::format("the names of all features ({}), symbols ({}) and labels ({}) take {} bytes, "
                  "expected at most {}, the space in a model file",
                  encoding.schema.features.size(), encoding.alphabet.size(), encoding.labels.size(),
                  bytes, kMostNoteBytes));
}

void check_folds(const LoadedData& data, int expected) {
  const std::size_t folds = data.subsets.size();
  if (static_cast<std::size_t>(expected) != folds) {
    throw ConfigError(fmt::format("the data was read as {} folds, expected {}", folds, expected));
  }
  const std::int64_t found = data.statistics.sequences;
  if (found < static_cast<std::int64_t>(folds)) {
    throw InputError(fmt::format(
        "{0} folds need at least {0} sequences, found {1}: use fewer --folds, or --split", folds,
        found));
  }
  for (std::size_t i = 0; i < folds; ++i) {
    if (data.subsets[i]->store.size() > 0) continue;
    throw InputError(
        fmt::format("fold {} of {} is empty, expected a class with at least {} sequences: use "
                    "fewer --folds, or --split",
                    i + 1, folds, folds));
  }
}

// What is to be forecast, without what is fitted. What the task leaves open is chosen from all
// series, so that folds agree.
Forecast forecast_of(const FilesTask& task, const LoadedData& data) {
  constexpr int kLeastHistory = 24, kSeasons = 3;
  const std::vector<std::string>& features = data.schema.features;
  const int median = median_length(data.statistics);
  Forecast forecast{.interval = task.interval};
  forecast.season = task.season > 0 ? task.season : data.season.length;
  forecast.horizon = task.horizon > 0
                         ? task.horizon
                         : natural_horizon(data.schema.horizon, forecast.season, data.step, median);
  forecast.history =
      task.window > 0 ? task.window : std::max(kSeasons * forecast.season, kLeastHistory);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const bool is_target =
        task.target.empty() || std::ranges::find(task.target, features[i]) != task.target.end();
    if (is_target) forecast.targets.push_back(i);
  }
  return forecast;
}

void check_windows(std::int64_t windows, const Forecast& forecast, const FilesTask& task,
                   const Statistics& seen) {
  if (windows > 0) return;
  const std::string shorter = forecast.horizon > 1 ? ": use a smaller --horizon" : "";
  throw InputError(
      fmt::format("found series of up to {}, expected more to train on forecasts of {}{}{}",
                  counted(longest(seen), "step"), counted(forecast.horizon, "step"), shorter,
                  task.folds > 0 && !shorter.empty() ? " or fewer --folds" : ""));
}

class ReadFiles final : public Files {
 public:
  ReadFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data);

  [[nodiscard]] const Shape& shape() const override { return shape_; }
  [[nodiscard]] Naive naive() const override { return naive_; }
  [[nodiscard]] std::int64_t size(Split split) const override;
  void draw(std::uint64_t seed, std::int64_t first,
            std::span<std::int64_t> samples) const override {
    shuffled_ ? shuffled_->draw(seed, first, samples) : order_->draw(seed, first, samples);
  }
  void fill(Split split, std::span<const std::int64_t> samples, Batch& batch) const override;
  [[nodiscard]] std::map<std::string, std::string> notes() const override {
    return {{std::string(kEncodingNote), to_json(encoding_)}};
  }
  [[nodiscard]] const Encoding& encoding() const override { return encoding_; }
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }
  [[nodiscard]] const formats::Findings& findings() const override { return data_->findings; }
  [[nodiscard]] std::string sha256() const override { return data_->sha256; }
  [[nodiscard]] std::vector<float> constant_outputs() const override { return constant_outputs_; }
  void sample(Split split, std::int64_t number, formats::Sequence& encoded) const override;

  [[nodiscard]] std::unique_ptr<Files> prepared(const FilesTask& task) const;
  [[nodiscard]] bool has_folds(int folds) const {
    if (data_->forecasts) return possible_folds(folds) >= folds;
    return static_cast<std::size_t>(folds) == data_->subsets.size() &&
           std::ranges::all_of(data_->subsets, [](const auto& s) { return s->store.size() > 0; });
  }

  [[nodiscard]] int possible_folds(int most) const {
    return datasets::possible_folds(encoding_.forecast, data_->subsets.front()->series, most);
  }
  [[nodiscard]] const formats::Sequence& series(Split split, std::int64_t number,
                                                int& origin) const override;
  [[nodiscard]] const Season& season() const override { return data_->season; }

 private:
  using Subsets = std::vector<const Subset*>;

  void choose_subsets();
  void choose_windows();
  void finish_sequences(Sums& trained);
  void finish_forecasts(const Sums& trained);
  [[nodiscard]] const Subsets& subsets(Split split) const {
    return subsets_[static_cast<std::size_t>(split)];
  }

  FilesTask task_;
  std::shared_ptr<const LoadedData> data_;
  std::array<Subsets, 3> subsets_;  // of each split
  Encoding encoding_;
  Statistics statistics_;
  Shape shape_;
  Naive naive_;
  std::vector<float> constant_outputs_;
  std::optional<Encoder> encoder_;
  std::optional<SampleOrder> order_;
  std::optional<ShuffledOrder> shuffled_;  // of forecasts
  std::array<Windows, 3> windows_;         // of forecasts, of each split
};

ReadFiles::ReadFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data)
    : task_(task), data_(std::move(data)) {
  choose_subsets();
  if (task_.scale.empty()) task_.scale = to_string(choose_scale(data_->schema, data_->statistics));
  Sums trained;
  for (const Subset* subset : subsets(Split::kTrain)) trained.add(subset->sums);
  encoding_ = encoding_of(task_, *data_, trained);
  statistics_ = data_->statistics;
  statistics_.labels = in_order(statistics_.labels, *data_->vocabulary, encoding_.labels);
  check_note(encoding_);
  if (data_->forecasts) {
    finish_forecasts(trained);
  } else {
    finish_sequences(trained);
  }
  encoder_.emplace(encoding_, *data_->vocabulary);
}

void ReadFiles::finish_sequences(Sums& trained) {
  trained.seen = in_order(trained.seen, data_->vocabulary->symbols, encoding_);
  trained.symbols = in_order(trained.symbols, data_->vocabulary->symbols, encoding_);
  check_trainable(encoding_, statistics_, trained);
  shape_ = encoding_.shape();
  shape_.unseen = unseen_inputs(encoding_, trained.seen);
  shape_.longest = longest_of(*data_);
  shape_.mean_length = static_cast<double>(trained.steps) / static_cast<double>(trained.samples);
  naive_ = naive_of(encoding_, trained);
  constant_outputs_ = constant_outputs_of(encoding_, *data_->vocabulary, trained);
  std::vector<const Store*> stores;
  for (const Subset* subset : subsets(Split::kTrain)) stores.push_back(&subset->store);
  order_.emplace(std::move(stores), task_.balance);
}

void ReadFiles::finish_forecasts(const Sums& trained) {
  const auto& series = data_->subsets.front()->series;
  if (series.empty()) throw InputError("the training files have no series");
  encoding_.forecast = forecast_of(task_, *data_);
  encoding_.window = encoding_.stride = 0;
  choose_windows();
  const Windows& windows = windows_[static_cast<std::size_t>(Split::kTrain)];
  FittedForecast fitted =
      fit_forecast(encoding_.forecast, encoding_.schema.features.size(), series, windows);
  encoding_.forecast = std::move(fitted.forecast);
  shape_ = encoding_.shape();
  shape_.interval_scale = task_.interval_scale;
  shape_.longest = encoding_.forecast.history;
  shape_.mean_length = shape_.longest;
  shape_.start = constant_outputs_ = std::move(fitted.start);
  naive_ = naive_of(encoding_, trained);
  shuffled_.emplace(windows.size());
}

bool is_one_fold(const FilesTask& task) { return task.folds > 0 && task.fold < task.folds; }

// One fold is the test set, the next the validation set. Early stopping uses the validation set, so
// it must not be the test set: with two folds there is none.
Split split_of(const FilesTask& task, std::size_t subset, std::size_t subsets) {
  const bool validates = task.split > 0 && subsets > 1;
  if (task.folds == 0) return validates && subset == 0 ? Split::kValid : Split::kTrain;
  if (!is_one_fold(task)) return Split::kTrain;
  const auto fold = static_cast<std::size_t>(task.fold);
  if (subset == fold) return Split::kTest;
  if (!validates || subsets == 2) return Split::kTrain;
  return subset == (fold + 1) % subsets ? Split::kValid : Split::kTrain;
}

void ReadFiles::choose_subsets() {
  const auto& all = data_->subsets;
  if (data_->forecasts) {  // which are split by time
    for (Subsets& split : subsets_) split = {all.front().get()};
  }
  for (std::size_t i = 0; i < all.size() && !data_->forecasts; ++i) {
    const Split split = split_of(task_, i, all.size());
    subsets_[static_cast<std::size_t>(split)].push_back(all[i].get());
  }
  if (data_->valid) subsets_[static_cast<std::size_t>(Split::kValid)] = {data_->valid.get()};
  if (data_->test && !is_one_fold(task_)) {
    subsets_[static_cast<std::size_t>(Split::kTest)] = {data_->test.get()};
  }
}

void ReadFiles::choose_windows() {
  const Forecast& forecast = encoding_.forecast;
  const auto windows = [&](Split split) -> Windows& {
    return windows_[static_cast<std::size_t>(split)];
  };
  for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
    windows(split) = windows_of(task_, forecast, data_->subsets.front()->series, split);
  }
  if (data_->valid) windows(Split::kValid) = all_windows(forecast, data_->valid->series);
  if (data_->test && !is_one_fold(task_)) {
    windows(Split::kTest) = all_windows(forecast, data_->test->series);
  }
}

const formats::Sequence& ReadFiles::series(Split split, std::int64_t number, int& origin) const {
  const Windows::Place place = windows_[static_cast<std::size_t>(split)].at(number);
  origin = place.origin;
  return subsets(split).front()->series[place.series];
}

std::int64_t ReadFiles::size(Split split) const {
  if (data_->forecasts) return windows_[static_cast<std::size_t>(split)].size();
  std::int64_t size = 0;
  for (const Subset* subset : subsets(split)) size += subset->store.size();
  return size;
}

void ReadFiles::sample(Split split, std::int64_t number, formats::Sequence& encoded) const {
  if (data_->forecasts) {
    const Windows::Place place = windows_[static_cast<std::size_t>(split)].at(number);
    encoded = window_of(encoding_.forecast, encoding_.schema.features.size(),
                        subsets(split).front()->series[place.series], place.origin, place.known);
    return;
  }
  auto subset = subsets(split).begin();
  for (; number >= (*subset)->store.size(); ++subset) number -= (*subset)->store.size();
  (*subset)->store.read(number, encoded);
  encoder_->encode_known(encoded, task_.train.front());
}

void ReadFiles::fill(Split split, std::span<const std::int64_t> samples, Batch& batch) const {
  std::vector<formats::Sequence> sequences(samples.size());
  std::vector<const formats::Sequence*> rows;
  for (std::size_t b = 0; b < samples.size(); ++b) {
    sample(split, samples[b], sequences[b]);
    rows.push_back(&sequences[b]);
  }
  encoder_->fill(rows, batch);
}

std::unique_ptr<Files> ReadFiles::prepared(const FilesTask& task) const {
  if (task.folds > 0) {
    check_range("fold", task.fold, 0, task.folds);
    if (!data_->forecasts) check_folds(*data_, task.folds);
  }
  auto made = std::make_unique<ReadFiles>(task, data_);
  if (data_->forecasts) {
    check_windows(made->size(Split::kTrain), made->encoding_.forecast, task, statistics_);
  }
  return made;
}

int length_at(const Statistics& statistics, std::int64_t sequence) {
  for (const auto& [length, count] : statistics.lengths) {
    if (sequence < count) return length;
    sequence -= count;
  }
  return 0;
}
}  // namespace

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
  if (task.folds > 0 && !data->forecasts) check_folds(*data, task.folds);
  return std::make_unique<ReadFiles>(task, std::move(data));
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
  return dynamic_cast<const ReadFiles&>(files).prepared(task);
}

int possible_folds(const Files& files, int most) {
  return dynamic_cast<const ReadFiles&>(files).possible_folds(most);
}

bool has_folds(const Files& files, int folds) {
  return dynamic_cast<const ReadFiles&>(files).has_folds(folds);
}

}  // namespace rwa::datasets
