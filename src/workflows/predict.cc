#include "workflows/predict.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "datasets/encoding.h"
#include "datasets/windows.h"
#include "io/quote.h"
#include "rwa/errors.h"
#include "workflows/forecasts.h"

namespace rwa::workflows {
namespace {

class FileSamples {
 public:
  FileSamples(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
              std::shared_ptr<formats::Vocabulary> words, bool answered, SkipReport* report)
      : encoding_(encoding),
        answered_(answered),
        report_(report),
        words_(std::move(words)),
        reader_(std::move(reader)),
        encoder_(encoding, *words_) {}

  bool next(Sample& sample) {
    if (encoding_.forecast.is_needed()) return next_window(sample);
    if (encoding_.window == 0) {
      sample.from = 0;
      return read_next(sample.sequence);
    }
    while (piece_ == pieces_.size()) {
      if (!read_next(whole_)) return false;
      // Each step is predicted once; a score also needs the step after the last one.
      const bool scored_forecast = answered_ && encoding_.schema.target == formats::Target::kNone;
      pieces_ = datasets::pieces(whole_.steps, encoding_.window, encoding_.stride, scored_forecast);
      piece_ = 0;
    }
    const datasets::Piece piece = pieces_[piece_++];
    datasets::cut(whole_, piece, encoding_.answers_every_step(), sample.sequence);
    sample.from = piece.begin + 1;
    return true;
  }

 private:
  bool next_window(Sample& sample) {
    const datasets::Forecast& forecast = encoding_.forecast;
    while (window_ == windows_.size()) {
      if (!read_next(whole_)) return is_any_scored();
      window_ = 0;
      windows_ = {};
      if (answered_) {
        windows_ = datasets::all_windows(forecast, {&whole_, 1});
        longest_ = std::max(longest_, whole_.steps);
        is_scored_ = is_scored_ || windows_.size() > 0;
      } else {
        windows_.add(0, whole_.steps, whole_.steps, 1, 0);
        if (report_ != nullptr && whole_.steps < forecast.needed_history()) ++report_->short_series;
      }
    }
    const datasets::Windows::Place place = windows_.at(window_++);
    sample.sequence = datasets::window_of(forecast, encoding_.schema.features.size(), whole_,
                                          place.origin, place.known);
    sample.from = place.origin + 1;
    return true;
  }

  // False, at the end. Throws InputError if all series were too short to score.
  [[nodiscard]] bool is_any_scored() const {
    if (!answered_ || is_scored_ || longest_ == 0) return false;
    const datasets::Forecast& forecast = encoding_.forecast;
    throw InputError(
        fmt::format("found series of up to {}, expected at least {}: {} before a forecast, and {} "
                    "to compare it "
                    "with",
                    counted(longest_, "step"), forecast.needed_history() + forecast.horizon,
                    forecast.needed_history(), forecast.horizon));
  }

  bool read_next(formats::Sequence& sequence) {
    if (report_ == nullptr) return read_one(sequence);
    while (true) {
      try {
        is_read_ = false;
        if (!read_one(sequence)) return false;
        count_symbols(sequence);
        ++report_->sequences;
        return true;
      } catch (const InputError& error) {
        if (!is_read_ && !reader_->skip()) throw;
        ++report_->sequences;
        ++report_->skipped;
        report_->tell(error);
      }
    }
  }

  bool read_one(formats::Sequence& sequence) {
    if (!reader_->next(sequence)) return false;
    is_read_ = true;
    if (answered_ && !datasets::has_answer(encoding_.schema, sequence)) refuse(sequence);
    encoder_.encode(sequence, reader_->file(), answered_);
    if (encoding_.forecast.is_needed() && sequence.steps == 0) {
      throw InputError(fmt::format("{}:{}: found a series without steps, expected some to forecast",
                                   reader_->file(), sequence.line));
    }
    return true;
  }

  void count_symbols(const formats::Sequence& sequence) {
    if (!encoding_.unknown || sequence.symbols.empty()) return;
    const auto last = static_cast<std::int32_t>(encoding_.known_symbols());
    const auto unknown = std::ranges::count(sequence.symbols, last);
    if (unknown == std::ssize(sequence.symbols)) {
      throw InputError(fmt::format(
          "{}:{}: found only symbols that the model does not know, expected some of: {}",
          reader_->file(), sequence.line, io::listed(encoding_.alphabet, 20, " ")));
    }
    report_->symbols += std::ssize(sequence.symbols);
    report_->unknown += unknown;
  }

  [[noreturn]] void refuse(const formats::Sequence& sequence) const {
    const auto& targets = encoding_.schema.targets;
    throw InputError(fmt::format(
        "{}:{}: found a sequence without a target, expected {} to score the prediction against",
        reader_->file(), sequence.line,
        targets.empty() ? "its label" : io::escape(fmt::format("{}", fmt::join(targets, ", ")))));
  }

  const datasets::Encoding& encoding_;
  const bool answered_;
  SkipReport* const report_;
  bool is_read_ = false;  // the current sequence; it may still be refused
  std::shared_ptr<formats::Vocabulary> words_;
  std::unique_ptr<formats::Reader> reader_;
  datasets::Encoder encoder_;
  // The sequence that is being cut into windows, and the next window.
  formats::Sequence whole_;
  std::vector<datasets::Piece> pieces_;
  std::size_t piece_ = 0;
  // Of the series that are forecast, and of the present one.
  int longest_ = 0;
  bool is_scored_ = false;
  datasets::Windows windows_;
  std::int64_t window_ = 0;
};

// The size of a buffer: enough to find sequences of similar length. Two buffers are in memory, one
// being read and one being computed. A sequence that exceeds it fills a buffer alone.
constexpr std::size_t kBufferSequences = 1024;
constexpr std::size_t kBufferFloats = std::size_t{1} << 23;
// The size of a batch, including the intermediate results of the network.
constexpr std::size_t kBatchFloats = std::size_t{1} << 26;

// Numbers per step in the input, the network and the output.
struct Widths {
  bool every_step;
  std::size_t input, network, output;

  explicit Widths(const ModelConfig& config)
      : every_step(config.readout == Readout::kEvery),
        input(config.input == Input::kSymbols ? 1 : static_cast<std::size_t>(config.inputs)),
        network(static_cast<std::size_t>(config.embedding) +
                static_cast<std::size_t>(config.layers) * static_cast<std::size_t>(config.units) *
                    (config.bidirectional ? 2 : 1)),
        output(static_cast<std::size_t>(config.outputs)) {}

  [[nodiscard]] std::size_t answers(const Sample& sample) const {
    return every_step ? static_cast<std::size_t>(sample.sequence.steps) : 1;
  }
  [[nodiscard]] std::size_t floats(const Sample& sample) const {
    return static_cast<std::size_t>(sample.sequence.steps) * input + answers(sample) * output;
  }
};

// Consecutive sequences. Their memory is reused.
class SampleBuffer {
 public:
  // Returns false at the end of the source.
  bool read(const SampleSource& next, const Widths& widths, const std::atomic<bool>& cancelled) {
    // Release the memory if long sequences have left too much unused capacity.
    if (longest_ * samples_.size() > 2 * kBufferFloats) *this = {};
    count_ = 0;
    std::size_t floats = 0;
    while (count_ < kBufferSequences && floats < kBufferFloats && !cancelled) {
      if (count_ == samples_.size()) samples_.emplace_back();
      if (!next(samples_[count_])) return false;
      const std::size_t size = widths.floats(samples_[count_++]);
      longest_ = std::max(longest_, size);
      floats += size;
    }
    return true;
  }
  [[nodiscard]] std::span<const Sample> samples() const { return {samples_.data(), count_}; }

 private:
  std::vector<Sample> samples_;
  std::size_t count_ = 0;
  std::size_t longest_ = 0;  // numbers of the largest sample so far
};

class BatchRunner {
 public:
  BatchRunner(const Model& model, const datasets::Encoding& encoding, const PredictOptions& options)
      : widths_(model.config()),
        most_(static_cast<std::size_t>(options.batch)),
        encoder_(encoding, no_words_),
        session_(model, options.session) {}

  void run(std::span<const Sample> samples);
  // The outputs of a sample of the last run().
  [[nodiscard]] std::span<const float> logits(std::size_t sample) const {
    return std::span(logits_).subspan(offsets_[sample], offsets_[sample + 1] - offsets_[sample]);
  }
  [[nodiscard]] const Widths& widths() const { return widths_; }

 private:
  void make_room(std::span<const Sample> samples);
  void run_batch(std::span<const Sample> samples, std::span<const std::size_t> members);

  const Widths widths_;
  const std::size_t most_;
  const formats::Vocabulary no_words_;  // samples are already encoded
  const datasets::Encoder encoder_;
  Session session_;
  datasets::Batch batch_;
  std::vector<const formats::Sequence*> sequences_;  // of the batch
  std::vector<float> y_;
  std::vector<float> logits_;         // of all samples, concatenated
  std::vector<std::size_t> offsets_;  // the begin of each, and the end
};

void BatchRunner::make_room(std::span<const Sample> samples) {
  offsets_.assign(1, 0);
  for (const Sample& sample : samples) {
    offsets_.push_back(offsets_.back() + widths_.answers(sample) * widths_.output);
  }
  logits_.resize(offsets_.back());
}

void BatchRunner::run(std::span<const Sample> samples) {
  make_room(samples);
  const auto steps = [&](std::size_t i) { return samples[i].sequence.steps; };
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, steps);
  const std::size_t width = widths_.input + widths_.network + widths_.output;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    // All sequences are padded to the last one, which is the longest.
    const auto fits = [&](std::size_t last) {
      const auto longest = static_cast<std::size_t>(steps(order[last]));
      return (last - begin + 1) * longest * width <= kBatchFloats;
    };
    end = begin + 1;
    while (end < order.size() && end - begin < most_ && fits(end)) ++end;
    run_batch(samples, std::span(order).subspan(begin, end - begin));
  }
}

void BatchRunner::run_batch(std::span<const Sample> samples, std::span<const std::size_t> members) {
  sequences_.clear();
  for (const std::size_t i : members) sequences_.push_back(&samples[i].sequence);
  encoder_.fill(sequences_, batch_, true);
  const std::size_t sequences = members.size();
  const auto rows = widths_.every_step ? static_cast<std::size_t>(batch_.steps) : 1;
  y_.resize(rows * sequences * widths_.output);
  session_.run(batch_.sequences(), y_);
  for (std::size_t b = 0; b < sequences; ++b) {
    float* to = logits_.data() + offsets_[members[b]];
    for (std::size_t t = 0; t < widths_.answers(samples[members[b]]); ++t) {
      to = std::copy_n(y_.data() + (t * sequences + b) * widths_.output, widths_.output, to);
    }
  }
}

void write_forecasts(const Trained& trained, const SampleSource& next,
                     const PredictOptions& options, RowFormat format, Output& output) {
  const ForecastFormatter formatter(trained.encoding, format);
  std::string text = formatter.header();
  predict(trained, next, options, [&](const Sample& sample, std::span<const float> logits) {
    formatter.append(sample.sequence, sample.from, logits, text);
    output.write(text);
    text.clear();
  });
  output.write(text);
  output.finish();
}

}  // namespace

SampleSource open_samples(const datasets::Encoding& encoding,
                          std::span<const std::filesystem::path> paths, bool answered,
                          SkipReport* report) {
  auto words = std::make_shared<formats::Vocabulary>();
  auto reader = formats::open(paths, encoding.options(), words);
  return samples_of(encoding, std::move(reader), std::move(words), answered, report);
}

SampleSource samples_of(const datasets::Encoding& encoding, std::unique_ptr<formats::Reader> reader,
                        std::shared_ptr<formats::Vocabulary> words, bool answered,
                        SkipReport* report) {
  auto samples = std::make_shared<FileSamples>(encoding, std::move(reader), std::move(words),
                                               answered, report);
  return [samples](Sample& sample) { return samples->next(sample); };
}

void read_sample(const datasets::Files& files, datasets::Split split, std::int64_t number,
                 Sample& sample) {
  if (files.encoding().forecast.is_needed()) {
    (void)files.series()->of_window(split, number, sample.from);
    ++sample.from;
  }
  files.sample(split, number, sample.sequence);
}

SampleSource samples_of(const datasets::Files& files, datasets::Split split) {
  return [&files, split, number = std::int64_t{0}](Sample& sample) mutable {
    if (number == files.size(split)) return false;
    read_sample(files, split, number++, sample);
    return true;
  };
}

void predict(const Model& model, const datasets::Encoding& encoding, const SampleSource& next,
             const PredictOptions& options, const LogitsConsumer& consume) {
  BatchRunner runner(model, encoding, options);
  SampleBuffer now, then;
  std::atomic<bool> cancelled = false;
  // Read the next buffer while this one is computed.
  const auto read = [&](SampleBuffer& buffer) {
    return std::async(std::launch::async,
                      [&, to = &buffer] { return to->read(next, runner.widths(), cancelled); });
  };
  std::future<bool> reading = read(then);
  // After an exception, do not wait until a whole buffer has been read.
  struct CancelReading {
    std::atomic<bool>& flag;
    ~CancelReading() { flag = true; }
  } const on_exit{cancelled};
  for (bool more = true; more;) {
    more = reading.get();
    std::swap(now, then);
    if (more) reading = read(then);
    runner.run(now.samples());
    for (std::size_t i = 0; i < now.samples().size(); ++i) {
      consume(now.samples()[i], runner.logits(i));
    }
  }
}

void write_predictions(const Trained& trained, const SampleSource& next,
                       const PredictOptions& options, RowFormat format, Output& output) {
  constexpr std::size_t kWriteSize = std::size_t{1} << 16;  // bytes
  if (trained.encoding.forecast.is_needed()) {
    write_forecasts(trained, next, options, format, output);
    return;
  }
  const OutputDecoder decoder(trained.encoding);
  const auto outputs = decoder.names().size();
  PredictionFormatter formatter(decoder, format);
  std::string text = formatter.header({.id = "",
                                       .from = trained.encoding.window > 0 ? 1 : 0,
                                       .step = decoder.every_step() ? 1 : 0});
  predict(trained, next, options, [&](const Sample& sample, std::span<const float> logits) {
    RowKey key{.id = sample.sequence.id, .from = sample.from};
    for (std::size_t row = 0; row * outputs < logits.size(); ++row) {
      if (decoder.every_step()) key.step = step_of(sample.from, row);
      formatter.append(key, logits.subspan(row * outputs, outputs), text);
      if (text.size() < kWriteSize) continue;
      output.write(text);
      text.clear();
    }
  });
  output.write(text);
  output.finish();
}

}  // namespace rwa::workflows
