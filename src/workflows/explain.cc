#include "workflows/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "datasets/encoding.h"
#include "formats/reader.h"
#include "io/quote.h"
#include "rwa/errors.h"
#include "workflows/predictions.h"

namespace rwa::workflows {
namespace {

constexpr int kDefaultLimit = 10;

std::optional<std::size_t> output_of(const datasets::Encoding& encoding,
                                     const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  const std::vector<std::string> names = encoding.outputs();
  const auto found = std::ranges::find(names, *name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw ConfigError(
      fmt::format("the model has no output '{}'{}", io::escape(*name), suggestion(*name, names)));
}

class Explainer {
 public:
  Explainer(const Trained& trained, const ExplainOptions& options)
      : encoding_(trained.encoding),
        decoder_(encoding_),
        method_(options.method.value_or(default_method(trained.model))),
        output_(output_of(encoding_, options.output)),
        session_(trained.model),
        attributor_(make_attributor(trained, method_, {.threads = options.threads})) {}

  Explanation explain(formats::Sequence sequence, int from);

 private:
  void run(Explanation& made);
  [[nodiscard]] std::optional<std::string> truth_of(const formats::Sequence& sequence) const;
  [[nodiscard]] std::string numbers_in_words(std::span<const float> values) const;

  const datasets::Encoding& encoding_;
  const OutputDecoder decoder_;
  const Method method_;
  const std::optional<std::size_t> output_;
  Session session_;
  std::unique_ptr<Attributor> attributor_;
};

Explanation Explainer::explain(formats::Sequence sequence, int from) {
  Explanation made{.sequence = std::move(sequence), .from = from, .method = method_};
  made.truth = truth_of(made.sequence);
  run(made);
  const auto likeliest = std::ranges::max_element(made.logits) - made.logits.begin();
  const std::size_t first = decoder_.is_of_forecasts() ? 1 : 0;  // the median of the first step
  made.output =
      output_.value_or(decoder_.is_of_numbers() ? first : static_cast<std::size_t>(likeliest));
  made.attribution = attributor_->attribute(made.sequence, made.output);
  return made;
}

void Explainer::run(Explanation& made) {
  const formats::Sequence& sequence = made.sequence;
  const std::size_t outputs = decoder_.names().size();
  std::vector<float> y((decoder_.every_step() ? static_cast<std::size_t>(sequence.steps) : 1) *
                       outputs);
  const formats::Sequence seen = datasets::as_seen(encoding_, sequence);
  session_.run({.x = seen.x, .steps = seen.steps, .batch = 1, .symbols = seen.symbols}, y);
  made.logits.assign(y.end() - static_cast<std::ptrdiff_t>(outputs), y.end());
}

std::string Explainer::numbers_in_words(std::span<const float> values) const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    words.push_back(fmt::format("{:.4g}", decoder_.in_own_unit(i, values[i])));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// The target of the last step for per-step tasks. Empty for a forecast, whose target is not known.
std::optional<std::string> Explainer::truth_of(const formats::Sequence& sequence) const {
  using formats::Target;
  const Target target = encoding_.schema.target;
  const bool numbers = target == Target::kNumbers || target == Target::kNumbersPerStep;
  if (numbers && !sequence.values.empty()) {
    return numbers_in_words(std::span(sequence.values).last(encoding_.schema.targets.size()));
  }
  if (numbers || sequence.labels.empty()) return std::nullopt;
  if (target != Target::kLabels) {
    return encoding_.labels[static_cast<std::size_t>(sequence.labels.back())];
  }
  std::vector<std::string> words;
  for (const std::int32_t label : sequence.labels) {
    words.push_back(encoding_.labels[static_cast<std::size_t>(label)]);
  }
  return fmt::format("{}", fmt::join(words, "|"));
}

// Encoded sequences of files. Ignores targets that the model does not know, such as labels that are
// not in the training data.
class LabelledReader {
 public:
  LabelledReader(const datasets::Encoding& encoding, std::span<const std::filesystem::path> paths)
      : encoding_(encoding),
        labels_(encoding.labels.begin(), encoding.labels.end()),
        reader_(formats::open(paths, encoding.options(), words_)),
        encoder_(encoding, *words_) {}

  bool next(formats::Sequence& sequence) { return reader_->next(sequence); }
  void encode(formats::Sequence& sequence) {
    encoder_.encode(sequence, reader_->file(), is_answered(sequence));
  }

 private:
  [[nodiscard]] bool is_answered(const formats::Sequence& sequence) const {
    const auto is_known = [&](std::int32_t label) {
      return labels_.contains(words_->labels.words()[static_cast<std::size_t>(label)]);
    };
    return datasets::has_answer(encoding_.schema, sequence) &&
           std::ranges::all_of(sequence.labels, is_known) &&
           std::ranges::all_of(sequence.values, [](float value) { return std::isfinite(value); });
  }

  const datasets::Encoding& encoding_;
  const std::set<std::string, std::less<>> labels_;
  std::shared_ptr<formats::Vocabulary> words_ = std::make_shared<formats::Vocabulary>();
  std::unique_ptr<formats::Reader> reader_;
  datasets::Encoder encoder_;
};

}  // namespace

void explain(const Trained& trained, std::span<const std::filesystem::path> paths,
             const ExplainOptions& options,
             const std::function<void(const Explanation&)>& consume) {
  const datasets::Encoding& encoding = trained.encoding;
  Explainer explainer(trained, options);
  LabelledReader reader(encoding, paths);
  const std::set<std::string> ids(options.ids.begin(), options.ids.end());
  std::set<std::string> missing = ids;
  int left = options.limit.value_or(ids.empty() ? kDefaultLimit : std::numeric_limits<int>::max());
  formats::Sequence whole, cut;
  while ((left > 0 || !missing.empty()) && reader.next(whole)) {
    if (!ids.empty() && !ids.contains(whole.id)) continue;
    missing.erase(whole.id);
    if (left == 0 || whole.steps == 0) continue;
    reader.encode(whole);
    if (encoding.forecast.is_needed()) {
      --left;
      cut = datasets::window_of(encoding.forecast, encoding.schema.features.size(), whole,
                                whole.steps, whole.steps);
      consume(explainer.explain(cut, whole.steps - cut.steps + 1));
      continue;
    }
    for (const datasets::Piece window :
         datasets::pieces(whole.steps, encoding.window, encoding.stride)) {
      if (left == 0) break;
      --left;
      datasets::cut(whole, window, encoding.answers_every_step(), cut);
      consume(explainer.explain(cut, encoding.window > 0 ? window.begin + 1 : 0));
    }
  }
  if (!missing.empty()) {
    throw ConfigError(fmt::format("found no sequence with the id '{}' in the data",
                                  io::escape(*missing.begin())));
  }
}

std::vector<Explanation> explain(const Trained& trained, const std::vector<Sample>& samples,
                                 int threads) {
  Explainer explainer(trained, {.threads = threads});
  std::vector<Explanation> made;
  for (const Sample& sample : samples) {
    made.push_back(explainer.explain(sample.sequence, sample.from));
  }
  return made;
}

}  // namespace rwa::workflows
