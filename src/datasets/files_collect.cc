#include "datasets/files_collect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "datasets/store_record.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
// What is missing becomes what stood a step before, while that is still there: a piece that is cut out
// has lost it.
void carry_forward(std::vector<float>& x, std::size_t features) {
  for (std::size_t i = features; i < x.size(); ++i) {
    if (std::isnan(x[i])) x[i] = x[i - features];
  }
}
}  // namespace

Collector::Collector(const FilesTask& task, formats::Schema schema)
    : schema_(std::move(schema)),
      forecasts_(schema_.target == formats::Target::kNone),
      every_step_(Encoding{.schema = schema_}.answers_every_step()),
      features_(schema_.symbols ? 0 : schema_.features.size()),
      missing_(parse_missing(task.missing)),
      window_(task.window),
      stride_(stride_of(task)) {
  check_range("window", window_, 0, std::numeric_limits<int>::max());
  if (window_ > 0) check_range("stride", stride_, 1, window_);
  if (window_ == 0 && stride_ != 0) {
    throw ConfigError(fmt::format("stride is {} without a window, expected one", stride_));
  }
}

void Collector::check(const formats::Sequence& sequence, const std::string& file) const {
  if (missing_ == Missing::kRefuse) refuse_missing(schema_, sequence, file);
  const bool complete =
      std::ranges::none_of(sequence.values, [](float value) { return std::isnan(value); });
  if (complete && has_answer(schema_, sequence)) return;
  throw InputError(fmt::format("{}:{}: found a sequence without {}, expected it for the task {}",
                               file, sequence.line, complete ? "its answer" : "all of its answer",
                               to_string(schema_.target)));
}

void Collector::add(formats::Sequence& sequence, Part& part) {
  pack(sequence, record_);
  hash_.add(record_);
  if (features_ > 0) part.sums.features.add(sequence.x, features_);
  if (!sequence.values.empty()) part.sums.targets.add(sequence.values, schema_.targets.size());
  const auto all = pieces(sequence.steps, window_, stride_, forecasts_);
  if (all.size() == 1) {
    add_sample(sequence, part);
    return;
  }
  if (missing_ == Missing::kPrevious) carry_forward(sequence.x, features_);
  for (const Piece piece : all) {
    cut(sequence, piece, every_step_, piece_);
    pack(piece_, record_);
    add_sample(piece_, part);
  }
}

// Its record is packed. Where it has no step to answer there is nothing to learn from it.
void Collector::add_sample(const formats::Sequence& sample, Part& part) {
  const int steps = sample.steps - (forecasts_ ? 1 : 0);
  if (every_step_ && steps <= 0) return;
  part.store.append(record_);
  Sums& sums = part.sums;
  ++sums.samples;
  sums.steps += steps;
  sums.longest = std::max(sums.longest, steps);
  for (const std::int32_t label : sample.labels) sums.labels.add(label);
  if (!forecasts_ || !schema_.symbols) return;
  for (const std::int32_t answer : std::span(sample.symbols).subspan(1)) sums.symbols.add(answer);
}

void Collector::hash(const formats::Dictionary& words) {
  for (const std::string& word : words.words()) {
    const std::string text = fmt::format("{} {}", word.size(), word);  // so its end is clear
    hash_.add(std::as_bytes(std::span(text)));
  }
}

std::string Collector::sha256(const formats::Vocabulary& vocabulary) {
  hash(vocabulary.symbols);
  hash(vocabulary.labels);
  return hash_.hex();
}

}  // namespace rwa::datasets
