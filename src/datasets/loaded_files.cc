#include "datasets/loaded_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
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

}  // namespace

LoadedFiles::LoadedFiles(const FilesTask& task, std::shared_ptr<const LoadedData> data)
    : task_(task), data_(std::move(data)) {
  if (task_.scale.empty()) task_.scale = to_string(choose_scale(data_->schema, data_->statistics));
}

void LoadedFiles::set_encoding(const Sums& trained) {
  encoding_ = encoding_of(task_, *data_, trained);
  statistics_ = data_->statistics;
  statistics_.labels = in_order(statistics_.labels, *data_->vocabulary, encoding_.labels);
  check_note(encoding_);
}

void LoadedFiles::fill(Split split, std::span<const std::int64_t> samples, Batch& batch) const {
  std::vector<formats::Sequence> sequences(samples.size());
  std::vector<const formats::Sequence*> rows;
  for (std::size_t b = 0; b < samples.size(); ++b) {
    sample(split, samples[b], sequences[b]);
    rows.push_back(&sequences[b]);
  }
  encoder_->fill(rows, batch);
}

}  // namespace rwa::datasets
