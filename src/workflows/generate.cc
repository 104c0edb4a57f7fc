#include "workflows/generate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "formats/parse.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "workflows/encoded_stream.h"
#include "workflows/predict.h"
#include "workflows/predictions.h"

namespace rwa::workflows {
namespace {

using Out = std::function<void(std::string_view)>;

// Refuses options that would change nothing, since nothing is drawn.
void check_sampling(const GenerateOptions& options) {
  const bool is_given = options.prompt || !options.prompt_file.empty();  // else a symbol is drawn
  if (options.temperature != 0 || !is_given || !(options.count > 1 || options.seed)) return;
  throw ConfigError(
      fmt::format("found {} with --temperature 0, which always continues a prompt in the same way: "
                  "use a --temperature above 0",
                  options.seed ? "--seed" : "--count"));
}

void check(const Trained& trained, const GenerateOptions& options) {
  const formats::Schema& schema = trained.encoding.schema;
  if (schema.target != formats::Target::kNone) {
    throw ConfigError(fmt::format("found a model for the task {}, expected one for {}",
                                  formats::to_string(schema.target), datasets::kNextStep));
  }
  if (trained.encoding.forecast.is_needed()) {
    throw ConfigError(
        "the model forecasts series: use rwa predict, or train with --task next-step");
  }
  if (schema.symbols) return check_sampling(options);
  if (options.prompt) {
    throw ConfigError(
        "found a text prompt, expected a file: the model reads numbers: use --prompt-file");
  }
  if (options.count || options.temperature || options.seed) {
    throw ConfigError(
        "found --count, --temperature or --seed, expected none: numbers are predicted, not "
        "sampled");
  }
}

// What to continue.
struct Prompt {
  formats::Sequence sequence = {};       // encoded
  std::optional<std::string> text = {};  // without it, the symbols are written
};

Prompt encode_prompt(const datasets::Encoding& encoding, std::string_view text) {
  if (formats::not_utf8(text) != nullptr) {
    throw InputError(fmt::format("prompt: found {}, expected text in UTF-8", io::quote(text)));
  }
  const auto words = std::make_shared<formats::Vocabulary>();
  Prompt prompt;
  formats::Sequence& sequence = prompt.sequence;
  const bool of_text = encoding.tokens == formats::Tokens::kWords || !has_words(encoding);
  if (of_text) {
    prompt.text = as_in_files(text, encoding);
    formats::TextSymbols(words, encoding.options()).append(*prompt.text, sequence);
  } else {
    while (!formats::trimmed(text).empty()) {
      sequence.symbols.push_back(words->symbols.number(formats::next_word(text)));
      ++sequence.steps;
    }
  }
  datasets::Encoder encoder(encoding, *words);
  sequence.line = 1;
  encoder.encode(sequence, "prompt", false);
  return prompt;
}

// Calls `visit` with each encoded prompt, or once with an empty one.
void each_prompt(const Trained& trained, const GenerateOptions& options,
                 const std::function<void(const Prompt&)>& visit) {
  if (options.prompt_file.empty()) {
    Prompt prompt;
    if (options.prompt) prompt = encode_prompt(trained.encoding, *options.prompt);
    prompt.sequence.id = "1";
    visit(prompt);
    return;
  }
  datasets::Encoding whole = trained.encoding;
  whole.window = whole.stride = 0;
  Sample sample;
  for (const SampleSource next = open_samples(whole, {&options.prompt_file, 1}, false);
       next(sample);) {
    visit({.sequence = sample.sequence});
  }
}

// One text after another.
class TextGenerator {
 public:
  TextGenerator(const Trained& trained, const GenerateOptions& options)
      : alphabet_(trained.encoding.alphabet),
        length_(options.length),
        temperature_(options.temperature.value_or(1)),
        seed_(options.seed.value_or(1)),
        kmer_(static_cast<std::size_t>(trained.encoding.kmer)),
        words_(has_words(trained.encoding)),
        stream_(trained),
        known_(trained.encoding.known_symbols()),
        y_(alphabet_.size()) {}

  std::string generate(const Prompt& prompt);

 private:
  void feed(std::size_t symbol) { stream_.step(static_cast<std::int32_t>(symbol), y_); }
  void append(std::size_t symbol);  // to the text
  // Draws a symbol among those that can follow the text; returns false if none can.
  bool draw(double chance, std::size_t& symbol);
  [[nodiscard]] bool can_follow(std::size_t symbol) const;

  const std::vector<std::string>& alphabet_;
  const int length_;
  const double temperature_;
  const std::uint64_t seed_;
  const std::size_t kmer_;
  const bool words_;
  EncodedStream stream_;
  const std::size_t known_;  // symbols that can be drawn, the first ones
  std::vector<float> y_;
  std::vector<std::size_t> candidates_;
  std::vector<double> weights_;  // of the candidates
  std::string text_;
  std::uint32_t texts_ = 0;
};

std::string TextGenerator::generate(const Prompt& prompt) {
  const Random random(seed_, Purpose::kSample, texts_++);
  stream_.reset();
  text_.clear();
  for (const std::int32_t number : prompt.sequence.symbols) {
    const auto symbol = static_cast<std::size_t>(number);
    feed(symbol);
    if (!prompt.text) append(symbol);
  }
  if (prompt.text) text_ = *prompt.text;
  const auto go_on = [&](std::size_t symbol) {
    feed(symbol);
    append(symbol);
  };
  int steps = 0;
  if (prompt.sequence.steps == 0) {
    go_on(random.below(0, known_));
    ++steps;
  }
  std::size_t symbol = 0;
  while (steps < length_ && draw(random.uniform(static_cast<std::uint64_t>(steps)), symbol)) {
    go_on(symbol);
    ++steps;
  }
  return text_ + "\n";
}

// Only the last letter of a k-mer is new.
void TextGenerator::append(std::size_t symbol) {
  std::string_view added = alphabet_[symbol];
  if (words_) {
    if (!text_.empty()) text_ += ' ';
  } else if (!text_.empty()) {
    for (std::size_t i = 1; i < kmer_; ++i) {
      added.remove_prefix(formats::character_at(added, added.data()).size());
    }
  }
  text_ += added;
}

bool TextGenerator::can_follow(std::size_t symbol) const {
  if (words_ || kmer_ == 1) return true;
  const std::string& letters = alphabet_[symbol];
  if (report::character_count(letters) < kmer_) return false;  // from a text shorter than k
  std::size_t last = letters.size() - 1;
  while ((static_cast<unsigned char>(letters[last]) & 0xC0) == 0x80) --last;
  return text_.ends_with(std::string_view(letters).substr(0, last));
}

bool TextGenerator::draw(double chance, std::size_t& symbol) {
  candidates_.clear();
  for (std::size_t i = 0; i < known_; ++i) {
    if (can_follow(i)) candidates_.push_back(i);
  }
  if (candidates_.empty()) return false;
  symbol = *std::ranges::max_element(candidates_, {}, [&](std::size_t i) { return y_[i]; });
  if (temperature_ == 0) return true;
  weights_.clear();
  const double most = y_[symbol];
  for (const std::size_t i : candidates_) {
    weights_.push_back(std::exp((y_[i] - most) / temperature_));
  }
  double rest = chance * std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    rest -= weights_[i];
    if (rest >= 0) continue;
    symbol = candidates_[i];
    break;
  }
  return true;  // if rounding leaves a rest, `symbol` is the most likely one
}

void generate_numbers(const Trained& trained, const GenerateOptions& options,
                      const formats::Sequence& prompt, const Out& out) {
  const OutputDecoder decoder(trained.encoding);
  PredictionFormatter rows(decoder, RowFormat::kCsv);
  const std::size_t features = decoder.names().size();
  std::vector<float> x(features, 0.0f), y(features);
  EncodedStream stream(trained);
  for (std::size_t i = 0; i < prompt.x.size(); i += features) {
    stream.step(std::span(prompt.x).subspan(i, features), y);
  }
  if (prompt.steps == 0) stream.step(x, y);
  std::string line;
  for (int step = 1; step <= options.length; ++step) {
    line.clear();
    rows.append({.id = prompt.id, .step = prompt.steps + step}, y, line);
    out(line);
    x = y;
    stream.step(x, y);
  }
}

}  // namespace

void generate(const Trained& trained, const GenerateOptions& options, const Out& out) {
  check(trained, options);
  if (!trained.encoding.schema.symbols) {
    const OutputDecoder decoder(trained.encoding);
    out(PredictionFormatter(decoder, RowFormat::kCsv).header({.id = "", .step = 1}));
    each_prompt(trained, options, [&](const Prompt& prompt) {
      generate_numbers(trained, options, prompt.sequence, out);
    });
    return;
  }
  TextGenerator generator(trained, options);
  each_prompt(trained, options, [&](const Prompt& prompt) {
    for (int i = 0; i < options.count.value_or(1); ++i) out(generator.generate(prompt));
  });
}

}  // namespace rwa::workflows
