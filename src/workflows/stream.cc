#include "workflows/stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "formats/text_symbols.h"
#include "io/descriptor.h"
#include "io/quote.h"
#include "io/sha256.h"
#include "io/write.h"
#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

// Removes the first letter.
void shorten(std::string& letters) {
  letters.erase(0, formats::character_at(letters, letters.data()).size());
}

timespec to_timespec(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = seconds.count(), .tv_nsec = (duration - seconds).count()};
}

// Waits for input, for a time or without end; returns whether there is some. Signals are blocked
// except during the wait, since one that arrives between the test of `stop` and the wait would be
// missed.
bool is_ready(int in, const std::atomic<bool>& stop,
              std::optional<std::chrono::nanoseconds> longest) {
  const timespec most = to_timespec(longest.value_or(std::chrono::nanoseconds(0)));
  pollfd input{.fd = in, .events = POLLIN, .revents = 0};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int ready = stop ? 0 : ::ppoll(&input, 1, longest ? &most : nullptr, &before);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (ready < 0 && error != EINTR) io::throw_refusal("wait for", "standard input", error);
  return ready > 0;
}

// Waits for input, and saves when it is time to; returns false if `stop` is set.
bool wait_for_input(int in, const std::atomic<bool>& stop, StreamKeeper* keeper) {
  while (!stop && !is_ready(in, stop, keeper == nullptr ? std::nullopt : keeper->due_in())) {
    if (keeper != nullptr) keeper->save_if_due();
  }
  return !stop;
}

[[noreturn]] void refuse_length(const LinePlace& place) {
  place.refuse(&place.text[kLongestLine],
               fmt::format("a line of more than {} MiB", kLongestLine >> 20),
               "fewer steps: the sequence goes on in the next line");
}

void check_text(const LinePlace& place) {
  if (place.text.size() > kLongestLine) refuse_length(place);
  if (const std::size_t zero = place.text.find('\0'); zero != place.text.npos) {
    place.refuse(&place.text[zero], "a zero byte (NUL)", "text");
  }
  if (const char* at = formats::not_utf8(place.text)) {
    place.refuse(at, formats::byte_in_words(*at), "UTF-8 text");
  }
}

}  // namespace

Streams::Streams(const Trained& trained, const StreamOptions& options)
    : trained_(trained),
      decoder_(trained.encoding),
      formatter_(decoder_, options.json ? RowFormat::kJson : RowFormat::kCsv),
      words_(has_words(trained.encoding)),
      reader_(options.json ? make_json_lines(trained.encoding)
                           : make_text_lines(trained.encoding, options.id)),
      checksum_(io::sha256(std::as_bytes(trained.model.weights()))),
      encoder_(trained.encoding, no_words_),
      stream_(trained),
      y_(decoder_.names().size()) {
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
  read_and_answer();
  lines_ = place_.number;
  return answer_;
}

void Streams::read_and_answer() {
  answer_.clear();
  check_text(place_);
  reader_->read(place_, line_);
  const std::string id = line_.id.value_or("");
  switch (line_.kind) {
    case StreamLine::Kind::kNothing:
      break;
    case StreamLine::Kind::kHeader:
      answer_ = formatter_.header({.id = line_.id});
      break;
    case StreamLine::Kind::kEnd:
      streams_.erase(id);
      break;
    case StreamLine::Kind::kSteps:
      advance(id);
      formatter_.append({.id = line_.id}, y_, answer_);
      break;
  }
}

void Streams::advance(const std::string& id) {
  OneStream stream;
  if (const auto known = streams_.find(id); known != streams_.end()) {
    stream = known->second;
    stream_.set_state(stream.state);
  } else {
    stream_.reset();
  }
  if (trained_.encoding.schema.symbols) {
    advance_symbols(stream);
  } else {
    advance_numbers(stream);
  }
  stream.state = stream_.state();
  if (!std::ranges::all_of(stream.state, [](float x) { return std::isfinite(x); })) {
    place_.refuse(nullptr, "steps after which the model's state is not finite", "smaller numbers");
  }
  streams_.insert_or_assign(id, std::move(stream));
}

void Streams::advance_numbers(OneStream& stream) {
  const std::size_t features = trained_.encoding.schema.features.size();
  formats::Sequence steps;
  steps.line = place_.number;
  steps.steps = static_cast<int>(line_.x.size() / features);
  steps.x = line_.x;
  encoder_.encode(steps, "stdin", false);
  if (trained_.encoding.missing == datasets::Missing::kPrevious) {
    for (std::size_t i = 0; i < steps.x.size(); ++i) {
      if (!std::isnan(line_.x[i])) continue;
      // The encoder does not know the step before this line.
      const float first = stream.last.empty() ? 0 : stream.last[i % features];
      steps.x[i] = i < features ? first : steps.x[i - features];
    }
  }
  for (std::size_t i = 0; i < steps.x.size(); i += features) {
    stream_.step(std::span(steps.x).subspan(i, features), y_);
  }
  stream.last.assign(steps.x.end() - static_cast<std::ptrdiff_t>(features), steps.x.end());
}

void Streams::advance_symbols(OneStream& stream) {
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
        nullptr, report::counted(static_cast<std::int64_t>(line_.letters.size()), "letter"),
        fmt::format("{} or more for the first prediction: the model reads {}-mers", kmer, kmer));
  }
  for (const std::int32_t symbol : symbols) stream_.step(symbol, y_);
}

std::int32_t Streams::symbol_of(std::string_view symbol, const Letter& letter) const {
  const auto found = symbols_.find(symbol);
  if (found != symbols_.end()) return found->second;
  if (trained_.encoding.unknown) {
    return static_cast<std::int32_t>(trained_.encoding.known_symbols());
  }
  place_.refuse(letter.at, fmt::format("the symbol {}", io::quote(symbol)),
                "one of the model's symbols: " + io::listed(trained_.encoding.alphabet, 20, " "));
}

StreamModel Streams::model() const {
  const auto& schema = trained_.encoding.schema;
  return {.checksum = checksum_,
          .state = stream_.state_size(),
          .last = schema.symbols ? 0 : schema.features.size()};
}

bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop, StreamKeeper* keeper) {
  const io::Descriptor output(::dup(out));
  if (!output.is_open()) io::throw_refusal("write to", "standard output", errno);
  const auto answer = [&](std::string_view line) {
    const std::string_view text = streams.answer(line);
    io::write_all(output, std::as_bytes(std::span(text)), "standard output");
    if (keeper == nullptr) return;
    keeper->see_answer();
    keeper->save_if_due();
  };
  std::array<char, 1 << 16> piece;
  std::string begun;  // an incomplete line
  while (wait_for_input(in, stop, keeper)) {
    const ssize_t count = ::read(in, piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    // A closed terminal is the end of the input.
    if (count < 0 && errno != EIO) io::throw_refusal("read", "standard input", errno);
    if (count <= 0) {
      if (!begun.empty()) answer(begun);
      return true;
    }
    std::string_view rest(piece.data(), static_cast<std::size_t>(count));
    for (auto end = rest.find('\n'); end != rest.npos && !stop; end = rest.find('\n')) {
      begun += rest.substr(0, end);
      rest.remove_prefix(end + 1);
      answer(begun);
      begun.clear();
    }
    begun += rest;
    if (begun.size() > kLongestLine) refuse_length({begun, streams.lines() + 1});
  }
  return false;
}

}  // namespace rwa::workflows
