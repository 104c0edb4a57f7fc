#include "datasets/encoding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
using formats::Target;
using Encoded = std::span<const formats::Sequence* const>;

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

// "sales+1 low", "sales+1", "sales+1 high", "sales+2 low", …
std::vector<std::string> outputs_of(const Forecast& forecast,
                                    const std::vector<std::string>& features) {
  std::vector<std::string> names;
  for (int step = 1; step <= forecast.horizon; ++step) {
    for (const std::size_t target : forecast.targets) {
      const std::string name = fmt::format("{}+{}", features[target], step);
      names.insert(names.end(), {name + " low", name, name + " high"});
    }
  }
  return names;
}

constexpr std::size_t kMostListed = 20;  // words in a message

// "FILE:LINE" or "FILE:LINE:COLUMN".
std::string to_string(std::string_view file, formats::Place place) {
  return place.column == 0 ? fmt::format("{}:{}", file, place.line)
                           : fmt::format("{}:{}:{}", file, place.line, place.column);
}

template <typename... Args>
[[noreturn]] void refuse(std::string_view file, std::int64_t line, fmt::format_string<Args...> text,
                         Args&&... args) {
  throw InputError(
      fmt::format("{}:{}: {}", file, line, fmt::format(text, std::forward<Args>(args)...)));
}

// Standardises values, [·,features], in place. fill(i) replaces value i if it is missing.
template <class Fill>
void make_normal(const Normal& normal, const std::vector<std::string>& names,
                 std::vector<float>& numbers, std::string_view file, std::int64_t line, Fill fill) {
  const std::size_t width = names.size();
  for (std::size_t row = 0; row < numbers.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) {
      float& number = numbers[row + i];
      const float found = number;
      number = static_cast<float>((double{found} - normal.mean[i]) / normal.scale[i]);
      if (std::isfinite(number)) continue;
      if (std::isfinite(found)) {
        refuse(file, line, "found {} for {}, expected a number closer to the mean, {}", found,
               io::quote(names[i]), normal.mean[i]);
      }
      number = fill(row + i);
    }
  }
}

// The mean of a feature as encoded. That of a sequence by itself is not known yet.
float mean_of(const Encoding& encoding, std::size_t feature) {
  switch (encoding.scale) {
    case Scale::kSequence:
      return std::numeric_limits<float>::quiet_NaN();
    case Scale::kNone:
      return static_cast<float>(encoding.features.mean[feature]);
    case Scale::kData:
      break;
  }
  return 0;
}

[[noreturn]] void refuse_missing_at(const formats::Schema& schema,
                                    const formats::Sequence& sequence, std::size_t at,
                                    std::string_view file, std::string_view advice) {
  const std::size_t features = schema.features.size();
  const formats::Place place =
      sequence.missing.line > 0 ? sequence.missing : formats::Place{.line = sequence.line};
  throw InputError(
      fmt::format("{}: found no number for {} at step {} of the sequence, expected one: {}",
                  to_string(file, place), io::quote(schema.features[at % features]),
                  at / features + 1, advice));
}

// Copies the first `count` rows to sequence b of an array [T,B,width].
template <class T>
void place(const T* rows, int count, std::size_t width, std::size_t b, std::size_t batch,
           std::vector<T>& out) {
  T* to = out.data() + b * width;
  for (int t = 0; t < count; ++t) {
    std::copy_n(rows, width, to);
    rows += width;
    to += batch * width;
  }
}
}  // namespace

std::string_view to_string(Missing missing) { return name_of(kMissing, "filling", missing); }
Missing parse_missing(std::string_view name) {
  return parse_name(kMissing, "method for missing values", name);
}

std::size_t Widening::inputs(std::size_t width) const {
  return static_cast<std::size_t>(context) * width + static_cast<std::size_t>(positions);
}

void Widening::write_row(const formats::Sequence& encoded, std::size_t width, int t, int place,
                         float* row) const {
  std::fill_n(row, inputs(width), 0.0F);
  for (int before = 0; before < context; ++before, row += width) {
    if (t < before) continue;
    const auto step = static_cast<std::size_t>(t - before);
    if (encoded.symbols.empty()) {
      std::copy_n(encoded.x.data() + step * width, width, row);
    } else {
      row[encoded.symbols[step]] = 1;
    }
  }
  const double apart = static_cast<double>(span) / std::max(positions, 1);
  for (int position = 0; position < positions; ++position) {
    const double distance = (place - (position + 0.5) * apart) / apart;
    *row++ = static_cast<float>(std::exp(-0.5 * distance * distance));
  }
}

std::size_t Encoding::width() const {
  if (forecast.is_needed()) return forecast.inputs(schema.features.size());
  if (schema.symbols) return alphabet.size();
  return schema.features.size() * (scale == Scale::kSequence ? OwnScale::kInputs : 1);
}

Normal Encoding::of_numbers() const {
  if (scale == Scale::kData && !forecast.is_needed()) return features;
  const std::size_t count = features.mean.size();
  return {.mean = std::vector<double>(count, 0), .scale = std::vector<double>(count, 1)};
}

// A widened step is always a row of numbers, even if its steps are symbols.
Shape Encoding::shape() const {
  const bool symbols = schema.symbols && !widening.is_needed();
  const Loss loss = forecast.is_needed() ? Loss::kPinball : loss_of(schema);
  return {.input = symbols ? Input::kSymbols : Input::kNumbers,
          .inputs = static_cast<int>(widening.inputs(width())),
          .outputs = static_cast<int>(outputs().size()),
          .readout = answers_every_step() ? Readout::kEvery : Readout::kLast,
          .loss = loss,
          .interval = forecast.interval,
          .positions = widening.positions};
}

bool Encoding::answers_every_step() const {
  if (forecast.is_needed()) return false;
  return schema.target == Target::kNone || is_per_step(schema.target);
}

std::vector<std::string> Encoding::outputs() const {
  if (forecast.is_needed()) return outputs_of(forecast, schema.features);
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

formats::Options Encoding::options() const {
  return {.kmer = kmer, .tokens = tokens, .lower = lower, .as = schema};
}

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

std::string why_no_own_scale(const formats::Schema& schema) {
  if (schema.symbols) return "the sequences have symbols, not numbers";
  if (schema.target != Target::kNone) return "";
  return "the mean and deviation of a sequence would tell a forecast its future";
}

void check_exportable(const Encoding& encoding) {
  if (!encoding.forecast.is_needed()) return;
  throw ConfigError(
      "a model that forecasts series cannot be exported, since its inputs are made from windows: "
      "train with --task next-step");
}

bool has_answer(const formats::Schema& schema, const formats::Sequence& sequence) {
  const auto steps = static_cast<std::size_t>(sequence.steps);
  switch (schema.target) {
    case Target::kNone:
    case Target::kLabels:
      return true;
    case Target::kClass:
      return sequence.labels.size() == 1;
    case Target::kNumbers:
      return sequence.values.size() == schema.targets.size();
    case Target::kClassPerStep:
      return sequence.labels.size() == steps;
    case Target::kNumbersPerStep:
      return sequence.values.size() == steps * schema.targets.size();
  }
  return false;
}

void fill_gaps(Missing missing, std::size_t features, formats::Sequence& series) {
  const auto is_missing = [](float number) { return std::isnan(number); };
  if (std::ranges::none_of(series.x, is_missing)) return;
  series.filled.clear();
  for (const float number : series.x) series.filled.push_back(is_missing(number));
  for (std::size_t i = 0; i < features; ++i) {
    std::size_t first = i;
    while (first < series.x.size() && std::isnan(series.x[first])) first += features;
    if (first >= series.x.size()) first = i;
    double known = std::isnan(series.x[first]) ? 0 : series.x[first];
    double sum = 0, count = 0;
    for (std::size_t at = i; at < series.x.size(); at += features) {
      float& number = series.x[at];
      if (std::isnan(number)) {
        number = static_cast<float>(known);
        continue;
      }
      sum += number;
      ++count;
      known = missing == Missing::kMean ? sum / count : number;
    }
  }
}

void refuse_missing(const formats::Schema& schema, const formats::Sequence& sequence,
                    std::string_view file) {
  const auto found =
      std::ranges::find_if(sequence.x, [](float value) { return std::isnan(value); });
  if (found == sequence.x.end()) return;
  refuse_missing_at(schema, sequence, static_cast<std::size_t>(found - sequence.x.begin()), file,
                    "fill it in, or train with --missing previous or --missing mean");
}

formats::Sequence scaled(const Encoding& encoding, formats::Sequence encoded) {
  if (encoding.scale == Scale::kSequence) encoded.x = encoding.own.rows(encoded.x);
  return encoded;
}

formats::Sequence as_seen(const Encoding& encoding, const formats::Sequence& encoded) {
  if (encoding.forecast.is_needed()) {
    formats::Sequence seen = encoded;
    seen.x = inputs_of(encoding.forecast, encoding.schema.features.size(), encoded);
    return seen;
  }
  formats::Sequence narrow = scaled(encoding, encoded);
  if (!encoding.widening.is_needed()) return narrow;
  formats::Sequence seen = narrow;
  const std::size_t inputs = encoding.widening.inputs(encoding.width());
  seen.symbols.clear();
  seen.x.resize(static_cast<std::size_t>(encoded.steps) * inputs);
  for (int t = 0; t < encoded.steps; ++t) {
    encoding.widening.write_row(narrow, encoding.width(), t, t,
                                seen.x.data() + static_cast<std::size_t>(t) * inputs);
  }
  return seen;
}

Encoder::Words::Words(const std::vector<std::string>& words, std::string_view kind, bool unknown)
    : words_(words),
      kind_(kind),
      unknown_(unknown ? static_cast<std::int32_t>(words.size()) - 1 : -1) {
  for (const std::string& word : words) {
    places_.emplace(word, static_cast<std::int32_t>(places_.size()));
  }
}

void Encoder::Words::follow(const formats::Dictionary& dictionary) {
  const auto& words = dictionary.words();
  while (numbers_.size() < words.size()) {
    const auto found = places_.find(words[numbers_.size()]);
    numbers_.push_back(found == places_.end() ? unknown_ : found->second);
  }
}

void Encoder::Words::translate(std::vector<std::int32_t>& numbers,
                               const formats::Dictionary& dictionary, std::string_view file,
                               std::int64_t line) const {
  for (std::int32_t& number : numbers) {
    const std::int32_t place = numbers_[static_cast<std::size_t>(number)];
    if (place < 0) {
      refuse(file, line, "found the {0} {1}, expected one of the model's {0}s: {2}", kind_,
             io::quote(dictionary.words()[static_cast<std::size_t>(number)]),
             io::listed(words_, kMostListed, " "));
    }
    number = place;
  }
}

Encoder::Encoder(const Encoding& encoding, const formats::Vocabulary& vocabulary)
    : encoding_(encoding),
      vocabulary_(vocabulary),
      shape_(encoding.shape()),
      numbers_(encoding.of_numbers()),
      symbols_(encoding.alphabet, "symbol", encoding.unknown),
      labels_(encoding.labels, "label") {
  symbols_.follow(vocabulary.symbols);
  labels_.follow(vocabulary.labels);
}

void Encoder::encode(formats::Sequence& sequence, std::string_view file, bool labelled) {
  symbols_.follow(vocabulary_.symbols);
  if (labelled) labels_.follow(vocabulary_.labels);
  encode_known(sequence, file, labelled);
}

void Encoder::encode_known(formats::Sequence& sequence, std::string_view file,
                           bool labelled) const {
  symbols_.translate(sequence.symbols, vocabulary_.symbols, file, sequence.line);
  encode_features(sequence, file);
  if (labelled) {
    labels_.translate(sequence.labels, vocabulary_.labels, file, sequence.line);
    encode_values(sequence, file);
  } else {
    sequence.labels.clear();
    sequence.values.clear();
  }
}

void Encoder::encode_features(formats::Sequence& sequence, std::string_view file) const {
  const auto& names = encoding_.schema.features;
  if (encoding_.forecast.is_needed()) {
    if (encoding_.missing == Missing::kRefuse) refuse_missing(encoding_.schema, sequence, file);
    fill_gaps(encoding_.missing, names.size(), sequence);
    return;
  }
  make_normal(numbers_, names, sequence.x, file, sequence.line, [&](std::size_t i) {
    if (encoding_.missing == Missing::kRefuse) {
      refuse_missing_at(encoding_.schema, sequence, i, file,
                        "the model was trained without --missing");
    }
    const bool previous = encoding_.missing == Missing::kPrevious && i >= names.size();
    return previous ? sequence.x[i - names.size()] : mean_of(encoding_, i % names.size());
  });
}

void Encoder::encode_values(formats::Sequence& sequence, std::string_view file) const {
  const auto& names = encoding_.schema.targets;
  make_normal(
      encoding_.targets, names, sequence.values, file, sequence.line, [&](std::size_t i) -> float {
        refuse(file, sequence.line, "found no number for {}, expected one: it is the target",
               io::quote(names[i % names.size()]));
      });
}

int Encoder::steps(const formats::Sequence& encoded, bool whole) const {
  const bool predicts_next =
      encoding_.schema.target == Target::kNone && !encoding_.forecast.is_needed();
  const bool last_is_answer = predicts_next && !whole;
  return last_is_answer ? std::max(encoded.steps - 1, 0) : encoded.steps;
}

void Encoder::fill(Encoded encoded, Batch& batch, bool whole) const {
  const std::size_t count = encoded.size();
  batch.lengths.clear();
  for (const formats::Sequence* sequence : encoded)
    batch.lengths.push_back(steps(*sequence, whole));
  batch.steps = std::max(1, count == 0 ? 0 : std::ranges::max(batch.lengths));
  const std::size_t rows = static_cast<std::size_t>(batch.steps) * count;
  const bool symbols = shape_.input == Input::kSymbols;
  const auto inputs = static_cast<std::size_t>(shape_.inputs);
  batch.symbols.assign(symbols ? rows : 0, 0);
  batch.x.assign(symbols ? 0 : rows * inputs, 0.0F);
  const bool forecasts = encoding_.forecast.is_needed();
  const std::size_t features = encoding_.schema.features.size();
  formats::Sequence by_itself;
  for (std::size_t b = 0; b < count; ++b) {
    const bool own = encoding_.scale == Scale::kSequence;
    if (own) by_itself.x = encoding_.own.rows(encoded[b]->x);
    if (forecasts) by_itself.x = inputs_of(encoding_.forecast, features, *encoded[b]);
    fill_input(own || forecasts ? by_itself : *encoded[b], b, batch);
  }
  batch.classes.clear();
  batch.values.clear();
  batch.target_lengths.clear();
  batch.target_steps = 0;
  const auto answered = [&](const auto* s) {
    return has_answer(encoding_.schema, *s) && !(forecasts && s->values.empty());
  };
  if (!std::ranges::all_of(encoded, answered)) return;
  if (!encoding_.answers_every_step()) {
    fill_answers(encoded, batch);
  } else if (!whole || encoding_.schema.target != Target::kNone) {
    fill_step_answers(encoded, batch);
  }
}

void Encoder::fill_input(const formats::Sequence& scaled, std::size_t b, Batch& batch) const {
  const std::size_t count = batch.lengths.size();
  const int length = batch.lengths[b];
  if (encoding_.widening.is_needed()) {
    widen(scaled, length, b, count, batch.x);
  } else if (shape_.input == Input::kSymbols) {
    place(scaled.symbols.data(), length, 1, b, count, batch.symbols);
  } else {
    place(scaled.x.data(), length, static_cast<std::size_t>(shape_.inputs), b, count, batch.x);
  }
}

void Encoder::widen(const formats::Sequence& sequence, int length, std::size_t b, std::size_t batch,
                    std::vector<float>& x) const {
  const auto inputs = static_cast<std::size_t>(shape_.inputs);
  float* row = x.data() + b * inputs;
  for (int t = 0; t < length; ++t, row += batch * inputs) {
    encoding_.widening.write_row(sequence, encoding_.width(), t, t, row);
  }
}

void Encoder::fill_answers(Encoded encoded, Batch& batch) const {
  const auto outputs = static_cast<std::size_t>(shape_.outputs);
  for (const formats::Sequence* sequence : encoded) {
    if (shape_.loss == Loss::kPinball) {
      const auto targets =
          targets_of(encoding_.forecast, encoding_.schema.features.size(), *sequence);
      batch.values.insert(batch.values.end(), targets.begin(), targets.end());
    } else if (shape_.loss == Loss::kSoftmax) {
      batch.classes.push_back(sequence->labels[0]);
    } else if (shape_.loss == Loss::kSquaredError) {
      batch.values.insert(batch.values.end(), sequence->values.begin(), sequence->values.end());
    } else {
      const std::size_t first = batch.values.size();
      batch.values.resize(first + outputs, 0.0F);
      for (const std::int32_t label : sequence->labels) batch.values[first + label] = 1;
    }
  }
}

// The target of a forecast at each step is the next step.
void Encoder::fill_step_answers(Encoded encoded, Batch& batch) const {
  const std::size_t count = encoded.size();
  const std::size_t rows = static_cast<std::size_t>(batch.steps) * count;
  const auto outputs = static_cast<std::size_t>(shape_.outputs);
  const bool forecast = encoding_.schema.target == Target::kNone;
  const bool classes = shape_.loss == Loss::kSoftmax;
  batch.classes.assign(classes ? rows : 0, 0);
  batch.values.assign(classes ? 0 : rows * outputs, 0.0F);
  for (std::size_t b = 0; b < count; ++b) {
    const formats::Sequence& sequence = *encoded[b];
    const int length = batch.lengths[b];
    if (length == 0) continue;
    if (classes) {
      const std::int32_t* from = forecast ? sequence.symbols.data() + 1 : sequence.labels.data();
      place(from, length, 1, b, count, batch.classes);
    } else {
      const float* from = forecast ? sequence.x.data() + outputs : sequence.values.data();
      place(from, length, outputs, b, count, batch.values);
    }
  }
}

}  // namespace rwa::datasets
