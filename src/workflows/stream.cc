#include "workflows/stream.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/text_symbols.h"
#include "io/quote.h"
#include "report/text.h"

namespace rwa::workflows {
namespace {

// Without the first letter.
void shorten(std::string& letters) {
  letters.erase(0, formats::character_at(letters, letters.data()).size());
}

}  // namespace

Streams::Streams(const Trained& trained, const StreamOptions& options)
    : trained_(trained),
      answers_(trained.encoding),
      text_(answers_, options.json ? Form::kJson : Form::kCsv),
      words_(has_words(trained.encoding)),
      reader_(options.json ? make_json_lines(trained.encoding)
                           : make_text_lines(trained.encoding, options.id)),
      encoder_(trained.encoding, no_words_),
      stream_(trained),
      y_(answers_.names().size()) {
  for (const std::string& symbol : trained.encoding.alphabet) {
    symbols_.emplace(symbol, static_cast<std::int32_t>(symbols_.size()));
  }
}

std::string_view Streams::answer(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (place_.number == 0 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  place_ = {line, place_.number + 1};
  answer_.clear();
  reader_->read(place_, line_);
  const std::string id = line_.id.value_or("");
  switch (line_.kind) {
    case StreamLine::Kind::kNothing:
      break;
    case StreamLine::Kind::kHeader:
      answer_ = text_.header({.id = line_.id});
      break;
    case StreamLine::Kind::kEnd:
      streams_.erase(id);
      break;
    case StreamLine::Kind::kSteps:
      take(id);
      text_.append({.id = line_.id}, y_, answer_);
      break;
  }
  return answer_;
}

void Streams::take(const std::string& id) {
  OneStream stream;
  if (const auto known = streams_.find(id); known != streams_.end()) {
    stream = known->second;
    stream_.set_state(stream.state);
  } else {
    stream_.reset();
  }
  if (trained_.encoding.schema.symbols) {
    take_symbols(stream);
  } else {
    take_numbers(stream);
  }
  stream.state = stream_.state();
  streams_.insert_or_assign(id, std::move(stream));
}

void Streams::take_numbers(OneStream& stream) {
  const std::size_t features = trained_.encoding.schema.features.size();
  formats::Sequence steps;
  steps.line = place_.number;
  steps.steps = static_cast<int>(line_.x.size() / features);
  steps.x = line_.x;
  encoder_.encode(steps, "stdin", false);
  if (trained_.encoding.missing == datasets::Missing::kPrevious) {
    for (std::size_t i = 0; i < steps.x.size(); ++i) {
      if (!std::isnan(line_.x[i])) continue;
      // The encoder does not know the step before the first of these.
      const float first = stream.last.empty() ? 0 : stream.last[i % features];
      steps.x[i] = i < features ? first : steps.x[i - features];
    }
  }
  for (std::size_t i = 0; i < steps.x.size(); i += features) {
    stream_.step(std::span(steps.x).subspan(i, features), y_);
  }
  stream.last.assign(steps.x.end() - static_cast<std::ptrdiff_t>(features), steps.x.end());
}

void Streams::take_symbols(OneStream& stream) {
  const auto kmer = static_cast<std::size_t>(trained_.encoding.kmer);
  std::vector<std::int32_t> symbols;
  for (const Letter& letter : line_.letters) {
    stream.tail += as_in_files(letter.text, trained_.encoding);
    if (!words_ && report::character_count(stream.tail) < kmer) continue;
    symbols.push_back(symbol_of(stream.tail, letter));
    if (words_) {
      stream.tail.clear();
    } else {
      shorten(stream.tail);
    }
  }
  if (symbols.empty()) {
    place_.refuse(
        nullptr, fmt::format("{} letters", line_.letters.size()),
        fmt::format("{} or more for the first answer: the model reads so many at a time", kmer));
  }
  for (const std::int32_t symbol : symbols) stream_.step(symbol, y_);
}

std::int32_t Streams::symbol_of(std::string_view symbol, const Letter& letter) const {
  const auto found = symbols_.find(symbol);
  if (found != symbols_.end()) return found->second;
  constexpr std::size_t kMost = 20;
  const auto& alphabet = trained_.encoding.alphabet;
  const std::size_t shown = std::min(alphabet.size(), kMost);
  std::vector<std::string> known(alphabet.begin(),
                                 alphabet.begin() + static_cast<std::ptrdiff_t>(shown));
  for (std::string& word : known) word = io::escape(word);
  place_.refuse(letter.at, fmt::format("the symbol {}", io::quote(symbol)),
                fmt::format("one of the model's {}: {}{}", alphabet.size(), fmt::join(known, " "),
                            alphabet.size() > kMost ? " ..." : ""));
}

void Streams::save(const std::filesystem::path& file) const {
  write_streams(file, trained_.model, streams_);
}

void Streams::restore(const std::filesystem::path& file) {
  const auto& encoding = trained_.encoding;
  const std::size_t features = encoding.schema.symbols ? 0 : encoding.schema.features.size();
  streams_ = read_streams(file, trained_.model, {stream_.state_size(), features});
}

}  // namespace rwa::workflows
