#include "formats/array_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "formats/array_answers.h"
#include "formats/match.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
struct Sizes {
  Cases cases;
  std::int64_t channels = 1;  // C
};

template <typename... Args>
[[noreturn]] void fail(const std::string& name, fmt::format_string<Args...> text, Args&&... args) {
  throw InputError(name + ": " + fmt::format(text, std::forward<Args>(args)...));
}

bool is_of_arrays(Layout layout) {
  return layout == Layout::kNtc || layout == Layout::kNct || layout == Layout::kTnc;
}

std::optional<Layout> layout_of(const Arrays& arrays, const Options& options) {
  if (options.layout && !is_of_arrays(*options.layout)) {
    throw ConfigError(fmt::format("{}: found --layout {} for an array, expected ntc, nct or tnc",
                                  arrays.file, to_string(*options.layout)));
  }
  if (options.layout) return options.layout;
  const bool known = options.as && options.as->layout && is_of_arrays(*options.as->layout);
  return known ? options.as->layout : arrays.layout;
}

Sizes sizes_of_joined(const Array& x, const Array& offsets) {
  if (x.shape().size() > 2 || offsets.shape().size() != 1 || offsets.shape()[0] < 2) {
    fail(
        x.name(),
        "has shape {} and offsets of shape {}, expected (S,) or (S, C) and offsets of shape (N+1,)",
        to_string(x.shape()), to_string(offsets.shape()));
  }
  return {.cases = {.count = offsets.shape()[0] - 1, .steps = x.shape()[0], .joined = true},
          .channels = x.shape().size() == 2 ? x.shape()[1] : 1};
}

Sizes sizes_of(const Array& x, std::optional<Layout>& layout) {
  const ArrayShape& shape = x.shape();
  if (shape.size() < 2 || shape.size() > 3) {
    fail(x.name(), "has shape {}, expected 2 or 3 dimensions: sequences, steps, features",
         to_string(shape));
  }
  if (shape.size() == 2 && !layout) layout = Layout::kNtc;
  if (!layout) {
    const auto sizes = [&](std::size_t n, std::size_t t, std::size_t c) {
      return fmt::format("{}, {}, {}", counted(shape[n], "sequence"), counted(shape[t], "step"),
                         counted(shape[c], "feature"));
    };
    fail(x.name(), "has shape {} in unknown order, use --layout ntc ({}), nct ({}) or tnc ({})",
         to_string(shape), sizes(0, 1, 2), sizes(0, 2, 1), sizes(1, 0, 2));
  }
  const std::int64_t last = shape.size() == 3 ? shape[2] : 1;
  if (*layout == Layout::kTnc) return {{shape[1], shape[0]}, last};
  if (*layout == Layout::kNct && shape.size() == 3) return {{shape[0], last}, shape[1]};
  return {{shape[0], shape[1]}, last};
}

void check_integers(const std::optional<Array>& array) {
  const bool right = !array || array->element().kind == Element::Kind::kSigned ||
                     array->element().kind == Element::Kind::kUnsigned;
  if (!right) fail(array->name(), "has a dtype that is not an integer, expected integers");
}

class ArrayReader final : public Reader {
 public:
  ArrayReader(Arrays arrays, const Options& options, SharedVocabulary vocabulary);

  [[nodiscard]] const std::string& file() const override { return arrays_.file; }
  bool next(Sequence& sequence) override;

 private:
  void check_sizes() const;
  void describe(const Options& options);
  [[nodiscard]] std::uint64_t numbers(std::int64_t steps) const;
  std::int64_t next_steps();
  void next_row(Sequence& sequence);       // kNtc, and with offsets
  void next_channels(Sequence& sequence);  // kNct
  void next_column(Sequence& sequence);    // kTnc
  void finish();

  Arrays arrays_;
  std::optional<Layout> layout_;
  Sizes sizes_;
  std::optional<ArrayAnswers> answers_;
  std::int64_t done_ = 0;       // sequences
  std::int64_t begin_ = 0;      // offset of the next sequence
  std::vector<float> scratch_;  // one sequence for kNct, the whole array for kTnc
};

ArrayReader::ArrayReader(Arrays arrays, const Options& options, SharedVocabulary vocabulary)
    : arrays_(std::move(arrays)), layout_(layout_of(arrays_, options)) {
  const Array& x = arrays_.x;
  if (x.element().kind == Element::Kind::kText) {
    fail(x.name(), "is an array of text, expected numbers");
  }
  check_integers(arrays_.lengths);
  check_integers(arrays_.offsets);
  if (arrays_.offsets) {
    sizes_ = sizes_of_joined(x, *arrays_.offsets);
    layout_ = Layout::kNtc;
    begin_ = arrays_.offsets->integer();
    if (begin_ != 0) arrays_.offsets->refuse(fmt::to_string(begin_), "0 as the first offset");
  } else {
    sizes_ = sizes_of(x, layout_);
  }
  check_sizes();
  if (arrays_.y) {
    answers_.emplace(std::move(*arrays_.y), sizes_.cases, options, std::move(vocabulary));
  }
  describe(options);
}

void ArrayReader::check_sizes() const {
  const Array& x = arrays_.x;
  const Cases& cases = sizes_.cases;
  const auto count = static_cast<std::uint64_t>(cases.count);
  const std::uint64_t all = x.bytes() / x.element().bytes;
  const std::uint64_t one =
      cases.joined ? static_cast<std::uint64_t>(sizes_.channels) : all / count;
  if (one > kMostNumbers || sizes_.channels > std::int64_t{kMostFeatures}) {
    fail(x.name(),
         "has shape {}, {} per sequence and {}, expected at most {} and {}; check --layout",
         to_string(x.shape()), counted(one, "number"), counted(sizes_.channels, "feature"),
         in_thousands(kMostNumbers), in_thousands(kMostFeatures));
  }
  if (layout_ == Layout::kTnc && all > kMostNumbers && x.bytes() > arrays_.stored) {
    fail(x.name(),
         "has shape {}, larger than the file, expected at most {} numbers: --layout tnc is read "
         "into memory; decompress the file, or transpose the array to ntc",
         to_string(x.shape()), kMostNumbers);
  }
  if (arrays_.lengths && arrays_.lengths->shape() != ArrayShape{cases.count}) {
    fail(arrays_.lengths->name(), "has shape {}, expected {}: one length per sequence",
         to_string(arrays_.lengths->shape()), to_string(ArrayShape{cases.count}));
  }
}

void ArrayReader::describe(const Options& options) {
  const auto channels = static_cast<std::size_t>(sizes_.channels);
  schema_ = {.format = arrays_.format, .layout = layout_, .features = options.features};
  if (schema_.features.empty()) {
    for (std::size_t i = 0; i < channels; ++i) schema_.features.push_back(fmt::format("x{}", i));
    if (channels == 1) schema_.features = {"x"};
  }
  if (schema_.features.size() != channels) {
    throw ConfigError(fmt::format("{}: has {}, expected the {} that --features names: {}",
                                  arrays_.file, counted(channels, "feature"),
                                  options.features.size(), fmt::join(options.features, ", ")));
  }
  if (answers_) {
    schema_.target = answers_->target();
    schema_.targets = answers_->names();
  } else {
    match_target(Target::kNone, options, arrays_.file);
  }
  schema_.label_from = options.label_from;
  findings_.task =
      task_reason(options, answers_ ? fmt::format("the shape and type of {}", answers_->file())
                                    : "no array of targets");
  match_model(schema_, options, arrays_.file);
}

bool ArrayReader::next(Sequence& sequence) {
  if (done_ == sizes_.cases.count) {
    finish();
    return false;
  }
  sequence.missing = {};
  sequence.symbols.clear();
  sequence.labels.clear();
  sequence.values.clear();
  sequence.steps = static_cast<int>(next_steps());
  if (layout_ == Layout::kNct) {
    next_channels(sequence);
  } else if (layout_ == Layout::kTnc) {
    next_column(sequence);
  } else {
    next_row(sequence);
  }
  if (arrays_.divisor != 1) {
    for (float& value : sequence.x) value /= arrays_.divisor;
  }
  if (answers_) answers_->next(sequence);
  sequence.line = ++done_;
  sequence.set_number(done_);
  return true;
}

std::int64_t ArrayReader::next_steps() {
  std::int64_t steps = sizes_.cases.steps;
  if (arrays_.lengths) {
    const std::int64_t length = arrays_.lengths->integer();
    if (length < 0 || length > steps) {
      arrays_.lengths->refuse(fmt::to_string(length), fmt::format("0 to {} steps", steps));
    }
    steps = length;
  } else if (arrays_.offsets) {
    const bool last = done_ + 1 == sizes_.cases.count;
    const std::int64_t end = arrays_.offsets->integer();
    if (end < begin_ || end > steps || (last && end != steps)) {
      arrays_.offsets->refuse(fmt::to_string(end), last
                                                       ? fmt::format("{} as the last offset", steps)
                                                       : fmt::format("{} to {}", begin_, steps));
    }
    steps = end - std::exchange(begin_, end);
    if (numbers(steps) > kMostNumbers) {
      arrays_.offsets->refuse(fmt::to_string(end),
                              fmt::format("sequences of at most {} numbers", kMostNumbers));
    }
  }
  return steps;
}

std::uint64_t ArrayReader::numbers(std::int64_t steps) const {
  return static_cast<std::uint64_t>(steps) * static_cast<std::uint64_t>(sizes_.channels);
}

void ArrayReader::next_row(Sequence& sequence) {
  const std::uint64_t kept = numbers(sequence.steps);
  arrays_.x.numbers(kept, sequence.x);
  if (!sizes_.cases.joined) arrays_.x.skip(numbers(sizes_.cases.steps) - kept);
}

void ArrayReader::next_channels(Sequence& sequence) {
  arrays_.x.numbers(numbers(sizes_.cases.steps), scratch_);
  const auto channels = static_cast<std::size_t>(sizes_.channels);
  const auto row = static_cast<std::size_t>(sizes_.cases.steps);
  sequence.x.resize(numbers(sequence.steps));
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(sequence.steps); ++t) {
      sequence.x[t * channels + c] = scratch_[c * row + t];
    }
  }
}

void ArrayReader::next_column(Sequence& sequence) {
  const auto count = static_cast<std::uint64_t>(sizes_.cases.count);
  if (done_ == 0) arrays_.x.numbers(numbers(sizes_.cases.steps) * count, scratch_);
  const auto channels = static_cast<std::size_t>(sizes_.channels);
  sequence.x.resize(numbers(sequence.steps));
  for (std::size_t t = 0; t < static_cast<std::size_t>(sequence.steps); ++t) {
    const float* from = &scratch_[(t * count + static_cast<std::size_t>(done_)) * channels];
    std::copy_n(from, channels, &sequence.x[t * channels]);
  }
}

void ArrayReader::finish() {
  arrays_.x.finish();
  if (arrays_.lengths) arrays_.lengths->finish();
  if (arrays_.offsets) arrays_.offsets->finish();
  if (answers_) answers_->finish();
}
}  // namespace

std::uint64_t stored_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  return error ? 0 : bytes;
}

std::unique_ptr<Reader> read_arrays(Arrays arrays, const Options& options,
                                    SharedVocabulary vocabulary) {
  return std::make_unique<ArrayReader>(std::move(arrays), options, std::move(vocabulary));
}

}  // namespace rwa::formats
