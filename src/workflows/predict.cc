#include "workflows/predict.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "datasets/encoding.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

// Of a part: enough for like lengths to meet. Two of them are in memory, one that is being read and
// one that is computed with; a sequence that is larger is a part of its own.
constexpr std::size_t kPartSequences = 1024;
constexpr std::size_t kPartFloats = std::size_t{1} << 23;
// Of a batch, with what the network writes down on its way.
constexpr std::size_t kBatchFloats = std::size_t{1} << 26;

// How many numbers a step of a sequence has where.
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

// Some sequences, in their order; used again for the next ones.
class Part {
 public:
  // False where there is nothing more after it.
  bool read(const Samples& next, const Widths& widths, const std::atomic<bool>& given_up) {
    // What long sequences leave behind, each at another place, would add up.
    if (longest_ * room_.size() > 2 * kPartFloats) *this = {};
    count_ = 0;
    std::size_t floats = 0;
    while (count_ < kPartSequences && floats < kPartFloats && !given_up) {
      if (count_ == room_.size()) room_.emplace_back();
      if (!next(room_[count_])) return false;
      const std::size_t size = widths.floats(room_[count_++]);
      longest_ = std::max(longest_, size);
      floats += size;
    }
    return true;
  }
  [[nodiscard]] std::span<const Sample> samples() const { return {room_.data(), count_}; }

 private:
  std::vector<Sample> room_;
  std::size_t count_ = 0;
  std::size_t longest_ = 0;  // numbers of the largest that has been in the room
};

class Pass {
 public:
  Pass(const Model& model, const datasets::Encoding& encoding, const PredictOptions& options)
      : widths_(model.config()),
        most_(static_cast<std::size_t>(options.batch)),
        encoder_(encoding, no_words_),
        session_(model, options.session) {}

  void run(std::span<const Sample> samples);
  // Of a sample of the last run.
  [[nodiscard]] std::span<const float> logits(std::size_t sample) const {
    return std::span(logits_).subspan(offsets_[sample], offsets_[sample + 1] - offsets_[sample]);
  }
  [[nodiscard]] const Widths& widths() const { return widths_; }

 private:
  void make_room(std::span<const Sample> samples);
  void run_batch(std::span<const Sample> samples, std::span<const std::size_t> members);

  const Widths widths_;
  const std::size_t most_;
  const formats::Vocabulary no_words_;  // what is encoded already needs none
  const datasets::Encoder encoder_;
  Session session_;
  datasets::Batch batch_;
  std::vector<const formats::Sequence*> sequences_;  // of the batch
  std::vector<float> y_;
  std::vector<float> logits_;         // of all samples, one after the other
  std::vector<std::size_t> offsets_;  // where each begins, and the end
};

void Pass::make_room(std::span<const Sample> samples) {
  offsets_.assign(1, 0);
  for (const Sample& sample : samples) {
    offsets_.push_back(offsets_.back() + widths_.answers(sample) * widths_.output);
  }
  logits_.resize(offsets_.back());
}

void Pass::run(std::span<const Sample> samples) {
  make_room(samples);
  const auto steps = [&](std::size_t i) { return samples[i].sequence.steps; };
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, steps);
  const std::size_t width = widths_.input + widths_.network + widths_.output;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    // The last is the longest, to which all others are filled up.
    const auto fits = [&](std::size_t last) {
      const auto longest = static_cast<std::size_t>(steps(order[last]));
      return (last - begin + 1) * longest * width <= kBatchFloats;
    };
    end = begin + 1;
    while (end < order.size() && end - begin < most_ && fits(end)) ++end;
    run_batch(samples, std::span(order).subspan(begin, end - begin));
  }
}

void Pass::run_batch(std::span<const Sample> samples, std::span<const std::size_t> members) {
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

}  // namespace

void predict(const Model& model, const datasets::Encoding& encoding, const Samples& next,
             const PredictOptions& options, const See& see) {
  if (options.batch < 1) {
    throw ConfigError(fmt::format("the batch is {}, expected 1 or more", options.batch));
  }
  Pass pass(model, encoding, options);
  Part now, then;
  std::atomic<bool> given_up = false;
  // The next part is read while this one is computed.
  const auto read = [&](Part& part) {
    return std::async(std::launch::async,
                      [&, to = &part] { return to->read(next, pass.widths(), given_up); });
  };
  std::future<bool> reading = read(then);
  // An exception does not wait until the whole of a part has been read.
  struct GiveUp {
    std::atomic<bool>& flag;
    ~GiveUp() { flag = true; }
  } const give_up{given_up};
  for (bool more = true; more;) {
    more = reading.get();
    std::swap(now, then);
    if (more) reading = read(then);
    pass.run(now.samples());
    for (std::size_t i = 0; i < now.samples().size(); ++i) {
      see(now.samples()[i], pass.logits(i));
    }
  }
}

}  // namespace rwa::workflows
