// src/datasets/sequence_files.cc: data sets of sequences: each, or each window of it, is a sample.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "datasets/files_order.h"
#include "datasets/loaded_files.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
using formats::Target;

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

// Counts the training targets of each class, in the order of the outputs. Symbols are numbered as
// in the encoding, labels as in the vocabulary.
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

class SequenceFiles final : public LoadedFiles {
 public:
  SequenceFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data);

  [[nodiscard]] std::int64_t size(Split split) const override;
  void draw(std::uint64_t seed, std::int64_t first,
            std::span<std::int64_t> samples) const override {
    order_->draw(seed, first, samples);
  }
  void sample(Split split, std::int64_t number, formats::Sequence& encoded) const override;

  [[nodiscard]] std::unique_ptr<Files> prepared(const FilesTask& task) const override;
  [[nodiscard]] bool has_folds(int folds) const override {
    return static_cast<std::size_t>(folds) == data_->subsets.size() &&
           std::ranges::all_of(data_->subsets, [](const auto& s) { return s->store.size() > 0; });
  }

 private:
  using Subsets = std::vector<const Subset*>;

  void choose_subsets();
  [[nodiscard]] const Subsets& subsets(Split split) const {
    return subsets_[static_cast<std::size_t>(split)];
  }

  std::array<Subsets, 3> subsets_;  // of each split
  std::optional<SampleOrder> order_;
};

SequenceFiles::SequenceFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data)
    : LoadedFiles(task, std::move(data)) {
  if (task_.folds > 0) check_folds(*data_, task_.folds);
  choose_subsets();
  Sums trained;
  std::vector<const Store*> stores;
  for (const Subset* subset : subsets(Split::kTrain)) {
    trained.add(subset->sums);
    stores.push_back(&subset->store);
  }
  set_encoding(trained);
  trained.seen = in_order(trained.seen, data_->vocabulary->symbols, encoding_);
  trained.symbols = in_order(trained.symbols, data_->vocabulary->symbols, encoding_);
  check_trainable(encoding_, statistics_, trained);
  shape_ = encoding_.shape();
  shape_.unseen = unseen_inputs(encoding_, trained.seen);
  shape_.longest = longest_of(*data_);
  shape_.mean_length = static_cast<double>(trained.steps) / static_cast<double>(trained.samples);
  naive_ = naive_of(encoding_, trained);
  constant_outputs_ = constant_outputs_of(encoding_, *data_->vocabulary, trained);
  order_.emplace(std::move(stores), task_.balance);
  finish();
}

void SequenceFiles::choose_subsets() {
  const auto& all = data_->subsets;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Split split = split_of(task_, i, all.size());
    subsets_[static_cast<std::size_t>(split)].push_back(all[i].get());
  }
  if (data_->valid) subsets_[static_cast<std::size_t>(Split::kValid)] = {data_->valid.get()};
  if (data_->test && !is_one_fold(task_)) {
    subsets_[static_cast<std::size_t>(Split::kTest)] = {data_->test.get()};
  }
}

std::int64_t SequenceFiles::size(Split split) const {
  std::int64_t size = 0;
  for (const Subset* subset : subsets(split)) size += subset->store.size();
  return size;
}

void SequenceFiles::sample(Split split, std::int64_t number, formats::Sequence& encoded) const {
  auto subset = subsets(split).begin();
  for (; number >= (*subset)->store.size(); ++subset) number -= (*subset)->store.size();
  (*subset)->store.read(number, encoded);
  encoder_->encode_known(encoded, task_.train.front());
}

std::unique_ptr<Files> SequenceFiles::prepared(const FilesTask& task) const {
  if (task.folds > 0) check_range("fold", task.fold, 0, task.folds);
  return std::make_unique<SequenceFiles>(task, data_);
}

}  // namespace

std::unique_ptr<LoadedFiles> make_sequence_files(const FilesTask& task,
                                                 std::shared_ptr<const LoadedData> data) {
  return std::make_unique<SequenceFiles>(task, std::move(data));
}

}  // namespace rwa::datasets
