#include "workflows/stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "formats/text_symbols.h"
#include "io/descriptor.h"
#include "io/quote.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "io/write.h"
#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

// Removes the first letter.
void shorten(std::string& letters) {
  letters.erase(0, formats::character_at(letters, letters.data()).size());
}

constexpr std::string_view kFormat = "rwa-stream";
// Prefixes of ids, so that no id collides with another key.
constexpr std::string_view kStream = "stream:";
constexpr std::string_view kTail = "tail:";

std::string checksum_of(const Model& model) { return io::sha256(std::as_bytes(model.weights())); }

void check_origin(const fs::path& file, const io::TensorFile& content, const Model& model) {
  const auto value = [&](const char* key) {
    const auto found = content.metadata.find(key);
    return found == content.metadata.end() ? std::string() : found->second;
  };
  if (value("format") != kFormat) {
    throw ModelFileError(
        fmt::format("{}: found the format {}, expected {}: a file saved by rwa stream",
                    file.string(), io::quote(value("format")), io::quote(kFormat)));
  }
  if (value("model") != checksum_of(model)) {
    throw ModelFileError(fmt::format(
        "{}: found the state of another model, expected that of the model with weights of SHA-256 "
        "{}",
        file.string(), checksum_of(model)));
  }
}

void write_streams(const fs::path& file, const Model& model, const StreamsById& streams) {
  io::TensorFile content;
  content.metadata = {{"format", std::string(kFormat)}, {"model", checksum_of(model)}};
  for (const auto& [id, stream] : streams) {
    io::Tensor& tensor = content.tensors.emplace_back();
    tensor.name = std::string(kStream) + id;
    tensor.values = stream.state;
    tensor.values.insert(tensor.values.end(), stream.last.begin(), stream.last.end());
    tensor.shape = {static_cast<std::int64_t>(tensor.values.size())};
    if (!stream.tail.empty()) content.metadata.emplace(std::string(kTail) + id, stream.tail);
  }
  io::write_safetensors(file, content);
}

// How many numbers a file has for each stream.
struct StreamSizes {
  std::size_t state = 0, last = 0;
};

StreamsById read_streams(const fs::path& file, const Model& model, const StreamSizes& sizes) {
  const io::TensorFile content = io::read_safetensors(file);
  check_origin(file, content, model);
  StreamsById streams;
  for (const io::Tensor& tensor : content.tensors) {
    if (!tensor.name.starts_with(kStream) || tensor.values.size() != sizes.state + sizes.last) {
      throw ModelFileError(
          fmt::format("{}: found {} in {}, expected {} of a stream", file.string(),
                      report::counted(static_cast<std::int64_t>(tensor.values.size()), "number"),
                      io::quote(tensor.name), sizes.state + sizes.last));
    }
    const auto values = std::span(tensor.values);
    const std::string id = tensor.name.substr(kStream.size());
    OneStream& stream = streams[id];
    stream.state.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(sizes.state));
    stream.last.assign(values.begin() + static_cast<std::ptrdiff_t>(sizes.state), values.end());
    const auto tail = content.metadata.find(std::string(kTail) + id);
    if (tail != content.metadata.end()) stream.tail = tail->second;
  }
  return streams;
}

constexpr std::size_t kLongestLine = std::size_t{1} << 26;

// Waits for input; returns false if `stop` is set. Signals are blocked except during the wait,
// since one that arrives between the test of `stop` and the wait would be missed.
bool wait_for_input(int in, const std::atomic<bool>& stop) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pollfd input{.fd = in, .events = POLLIN, .revents = 0};
  int ready = 0;
  while (!stop && ready == 0) {
    ready = ::ppoll(&input, 1, nullptr, &before);
    if (ready < 0 && errno == EINTR) ready = 0;
  }
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (ready < 0) io::throw_refusal("wait for", "standard input", error);
  return !stop;
}

}  // namespace

Streams::Streams(const Trained& trained, const StreamOptions& options)
    : trained_(trained),
      decoder_(trained.encoding),
      formatter_(decoder_, options.json ? RowFormat::kJson : RowFormat::kCsv),
      words_(has_words(trained.encoding)),
      reader_(options.json ? make_json_lines(trained.encoding)
                           : make_text_lines(trained.encoding, options.id)),
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
  answer_.clear();
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
  return answer_;
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

void Streams::save(const std::filesystem::path& file) const {
  write_streams(file, trained_.model, streams_);
}

void Streams::restore(const std::filesystem::path& file) {
  const auto& encoding = trained_.encoding;
  const std::size_t features = encoding.schema.symbols ? 0 : encoding.schema.features.size();
  streams_ = read_streams(file, trained_.model, {stream_.state_size(), features});
}

bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop) {
  const io::Descriptor output(::dup(out));
  if (!output.is_open()) io::throw_refusal("write to", "standard output", errno);
  const auto answer = [&](std::string_view line) {
    const std::string_view text = streams.answer(line);
    io::write_all(output, std::as_bytes(std::span(text)), "standard output");
  };
  std::array<char, 1 << 16> piece;
  std::string begun;  // an incomplete line
  while (wait_for_input(in, stop)) {
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
    if (begun.size() > kLongestLine) {
      throw InputError(fmt::format("stdin: found a line of more than {} MiB, expected steps",
                                   kLongestLine >> 20));
    }
  }
  return false;
}

}  // namespace rwa::workflows
