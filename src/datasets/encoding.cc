#include "datasets/encoding.h"

#include <algorithm>

#include "base/names.h"

namespace rwa::datasets {
namespace {
using formats::Target;

constexpr Names<Missing, 3> kMissing{
    {{Missing::kRefuse, "refuse"}, {Missing::kPrevious, "previous"}, {Missing::kMean, "mean"}}};

Loss loss_of(const formats::Schema& schema) {
  switch (schema.target) {
    case Target::kClass:
    case Target::kClassPerStep:
      return Loss::kSoftmax;
    case Target::kLabels:
      return Loss::kSigmoid;
    case Target::kNumbers:
    case Target::kNumbersPerStep:
      return Loss::kSquaredError;
    case Target::kNone:
      break;
  }
  return schema.symbols ? Loss::kSoftmax : Loss::kSquaredError;
}

// Rows [begin, end) of an array of `steps` rows.
template <class T>
void cut_rows(const std::vector<T>& rows, int steps, Piece piece, std::vector<T>& out) {
  const auto width = static_cast<std::ptrdiff_t>(rows.size()) / std::max(steps, 1);
  out.assign(rows.begin() + piece.begin * width, rows.begin() + piece.end * width);
}
}  // namespace

std::string_view to_string(Missing missing) { return name_of(kMissing, "filling", missing); }
Missing parse_missing(std::string_view name) {
  return parse_name(kMissing, "way to fill missing numbers", name);
}

std::size_t Encoding::width() const {
  return schema.symbols ? alphabet.size() : schema.features.size();
}

// A step that is seen with others is a row of numbers, whatever it is by itself.
Shape Encoding::shape() const {
  const bool symbols = schema.symbols && !widening.is_needed();
  return {.input = symbols ? Input::kSymbols : Input::kNumbers,
          .inputs = static_cast<int>(widening.inputs(width())),
          .outputs = static_cast<int>(outputs().size()),
          .readout = answers_every_step() ? Readout::kEvery : Readout::kLast,
          .loss = loss_of(schema)};
}

bool Encoding::answers_every_step() const {
  return schema.target == Target::kNone || schema.target == Target::kClassPerStep ||
         schema.target == Target::kNumbersPerStep;
}

std::vector<std::string> Encoding::outputs() const {
  switch (schema.target) {
    case Target::kClass:
    case Target::kLabels:
    case Target::kClassPerStep:
      return labels;
    case Target::kNumbers:
    case Target::kNumbersPerStep:
      return schema.targets;
    case Target::kNone:
      break;
  }
  return schema.symbols ? alphabet : schema.features;
}

formats::Options Encoding::options() const { return {.kmer = kmer, .as = schema}; }

std::vector<Piece> pieces(int steps, int window, int stride, bool of_forecast) {
  const std::int64_t length = std::int64_t{window} + (of_forecast ? 1 : 0);
  if (window == 0 || steps <= length) return {{0, steps}};
  std::vector<Piece> all;
  for (std::int64_t begin = 0; all.empty() || all.back().end < steps; begin += stride) {
    all.push_back(
        {static_cast<int>(begin), static_cast<int>(std::min<std::int64_t>(begin + length, steps))});
  }
  return all;
}

void cut(const formats::Sequence& whole, Piece piece, bool answers_every_step,
         formats::Sequence& out) {
  out.id = whole.id;
  out.line = whole.line;
  out.steps = piece.end - piece.begin;
  cut_rows(whole.x, whole.steps, piece, out.x);
  cut_rows(whole.symbols, whole.steps, piece, out.symbols);
  if (answers_every_step) {
    cut_rows(whole.labels, whole.steps, piece, out.labels);
    cut_rows(whole.values, whole.steps, piece, out.values);
  } else {
    out.labels = whole.labels;
    out.values = whole.values;
  }
}

}  // namespace rwa::datasets
