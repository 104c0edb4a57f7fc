#include "workflows/encoded_stream.h"

#include <algorithm>
#include <cctype>

#include "formats/lower_case.h"
#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::workflows {

void check_streamable(const datasets::Encoding& encoding) {
  if (encoding.forecast.is_needed()) {
    throw ConfigError(
        "the model forecasts whole series and cannot be streamed: use rwa predict, or train with "
        "--task next-step");
  }
  if (encoding.scale != datasets::Scale::kSequence) return;
  throw ConfigError(
      "the model scales each sequence by itself, which needs all of its steps, so it cannot be "
      "streamed: train with --scale data");
}

EncodedStream::EncodedStream(const Trained& trained)
    : encoding_(trained.encoding), stream_(trained.model) {
  check_streamable(encoding_);
  reset();
}

void EncodedStream::step(std::span<const float> x, std::span<float> y) {
  if (!encoding_.widening.is_needed()) return stream_.step(x, y);
  recent_.x.insert(recent_.x.end(), x.begin(), x.end());
  step_widened(y);
}

void EncodedStream::step(std::int32_t symbol, std::span<float> y) {
  if (!encoding_.widening.is_needed()) return stream_.step(symbol, y);
  recent_.symbols.push_back(symbol);
  step_widened(y);
}

void EncodedStream::step_widened(std::span<float> y) {
  const datasets::Widening& widening = encoding_.widening;
  const std::size_t width = encoding_.width();
  row_.resize(widening.inputs(width));
  widening.write_row(recent_, width, recent_.steps, position_, row_.data());
  ++recent_.steps;
  ++position_;
  stream_.step(row_, y);
  if (recent_.steps < widening.context) return;
  --recent_.steps;
  if (encoding_.schema.symbols) {
    recent_.symbols.erase(recent_.symbols.begin());
  } else {
    recent_.x.erase(recent_.x.begin(), recent_.x.begin() + static_cast<std::ptrdiff_t>(width));
  }
}

void EncodedStream::reset() {
  stream_.reset();
  position_ = 0;
  recent_.clear();
}

// A symbol takes one number.
std::size_t EncodedStream::recent_size() const {
  const auto before = static_cast<std::size_t>(encoding_.widening.context - 1);
  return before * (encoding_.schema.symbols ? 1 : encoding_.width());
}

std::size_t EncodedStream::state_size() const {
  const std::size_t network = stream_.state().size();
  return encoding_.widening.is_needed() ? network + 1 + recent_size() : network;
}

// Zeros stand for steps that have not arrived; the position tells how many have.
std::vector<float> EncodedStream::state() const {
  std::vector<float> state(stream_.state().begin(), stream_.state().end());
  if (!encoding_.widening.is_needed()) return state;
  state.push_back(static_cast<float>(position_));
  state.insert(state.end(), recent_.x.begin(), recent_.x.end());
  for (const std::int32_t symbol : recent_.symbols) state.push_back(static_cast<float>(symbol));
  state.resize(state_size());
  return state;
}

void EncodedStream::set_state(std::span<const float> state) {
  const std::size_t network = stream_.state().size();
  stream_.set_state(state.first(network));
  if (!encoding_.widening.is_needed()) return;
  constexpr float kMost = 1 << 24;  // floats hold every whole number up to here
  position_ = static_cast<int>(std::clamp(state[network], 0.0F, kMost));
  recent_.clear();
  recent_.steps = std::min(position_, encoding_.widening.context - 1);
  const auto last = state.subspan(network + 1);
  if (encoding_.schema.symbols) {
    // A corrupted state must not index out of bounds.
    const auto most = static_cast<float>(encoding_.alphabet.size() - 1);
    for (int i = 0; i < recent_.steps; ++i) {
      const float symbol = std::clamp(last[static_cast<std::size_t>(i)], 0.0F, most);
      recent_.symbols.push_back(static_cast<std::int32_t>(symbol));
    }
  } else {
    const auto numbers = static_cast<std::size_t>(recent_.steps) * encoding_.width();
    recent_.x.assign(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(numbers));
  }
}

bool has_words(const datasets::Encoding& encoding) {
  if (encoding.tokens == formats::Tokens::kWords) return true;
  const auto known = std::span(encoding.alphabet).first(encoding.known_symbols());
  return std::ranges::any_of(known, [&](const std::string& symbol) {
    return report::character_count(symbol) > static_cast<std::size_t>(encoding.kmer);
  });
}

std::string as_in_files(std::string_view text, const datasets::Encoding& encoding) {
  std::string letters = encoding.lower ? formats::lower_case(text) : std::string(text);
  const formats::Format format = encoding.schema.format;
  if (format == formats::Format::kFasta || format == formats::Format::kFastq) {
    for (char& c : letters) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return letters;
}

}  // namespace rwa::workflows
