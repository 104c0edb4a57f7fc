#include <fcntl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "input_file.h"
#include "rwa/errors.h"
#include "sealed.h"
#include "targets.h"
#include "workflows/stream.h"
#include "workflows/stream_state.h"
#include "workflows/untrained_models.h"

namespace rwa::fuzz {
namespace {
namespace fs = std::filesystem;
using TargetKind = formats::Target;
using workflows::letters_encoding;
using workflows::make_trained;
using workflows::numbers_encoding;
using workflows::StreamOptions;
using workflows::Streams;
using workflows::Trained;

struct Stream {
  Trained trained;
  StreamOptions options;
};

datasets::Encoding with_gaps() {
  datasets::Encoding encoding = numbers_encoding(TargetKind::kNumbersPerStep);
  encoding.missing = datasets::Missing::kPrevious;
  encoding.widening = {.context = 3, .positions = 2};
  return encoding;
}

datasets::Encoding of_kmers() {
  datasets::Encoding encoding = letters_encoding(TargetKind::kClass);
  encoding.kmer = 2;
  encoding.alphabet = {"ab", "ba", "bb"};
  encoding.unknown = true;
  return encoding;
}

datasets::Encoding of_words() {
  datasets::Encoding encoding = letters_encoding(TargetKind::kNone);
  encoding.tokens = formats::Tokens::kWords;
  encoding.lower = true;
  encoding.alphabet = {"the", "cat", "."};
  encoding.unknown = true;
  return encoding;
}

const Stream& stream_of(std::uint8_t option) {
  static const std::array streams = {
      Stream{make_trained(numbers_encoding(TargetKind::kClass)), {}},
      Stream{make_trained(numbers_encoding(TargetKind::kClass)), {.id = true}},
      Stream{make_trained(numbers_encoding(TargetKind::kLabels)), {.json = true}},
      Stream{make_trained(with_gaps()), {.id = true}},
      Stream{make_trained(with_gaps()), {.json = true}},
      Stream{make_trained(letters_encoding(TargetKind::kClass)), {}},
      Stream{make_trained(letters_encoding(TargetKind::kNone)), {.id = true}},
      Stream{make_trained(of_kmers()), {.id = true}},
      Stream{make_trained(of_kmers()), {.json = true}},
      Stream{make_trained(of_words()), {}},
      Stream{make_trained(of_words()), {.json = true}}};
  return streams[static_cast<std::uint8_t>(option - '0') % streams.size()];
}

// Serves the whole file; a line may be refused.
void serve(Streams& streams, const fs::path& file) {
  const io::Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const io::Descriptor out(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const std::atomic<bool> stop{false};
  try {
    require(workflows::serve(streams, in.get(), out.get(), stop));
  } catch (const Error&) {
  }
}

// Answers the first lines alone: a line that is refused must not have changed anything.
workflows::StreamsById answered(const Stream& stream, std::string_view text, std::int64_t lines) {
  Streams streams(stream.trained, stream.options);
  for (; lines > 0; --lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    streams.answer(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return streams.all();
}

void answer_lines(std::uint8_t option, Bytes content) {
  constexpr std::size_t kMost = std::size_t{1} << 17;  // each byte may be a step of the network
  content = content.first(std::min(content.size(), kMost));
  const Stream& stream = stream_of(option);
  const InputFile file(content);
  Streams streams(stream.trained, stream.options);
  serve(streams, file.path());
  require(streams.all() == answered(stream, as_text(content), streams.lines()));
}

// What is read can be written, and streams go on from it.
void read_state(std::uint8_t option, Bytes content) {
  const Stream& stream = stream_of(option);
  Streams streams(stream.trained, stream.options);
  const InputFile file(sealed(content, {{"model", streams.model().checksum}}));
  try {
    streams.set_all(workflows::read_stream_state(file.path(), streams.model()).streams);
    const io::TempFolder folder;
    const fs::path copy = folder.path() / "state";
    workflows::write_stream_state(copy, streams.model(), streams.all(), {});
    require(workflows::read_stream_state(copy, streams.model()).streams == streams.all());
    for (const auto& [id, state] : workflows::StreamsById(streams.all())) {
      streams.answer(stream.options.id ? id + ",0.5,1" : "ab");
    }
  } catch (const Error&) {
  }
}
}  // namespace

std::span<const Target> streams() {
  static constexpr std::array kStreams = {Target{"stream", answer_lines},
                                          Target{"stream_state", read_state}};
  return kStreams;
}

}  // namespace rwa::fuzz
