#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/reader.h"
#include "input_file.h"
#include "rwa/errors.h"
#include "targets.h"

namespace rwa::fuzz {
namespace {
using formats::Format;
using formats::Layout;
using formats::Options;
using formats::Schema;
using TargetKind = formats::Target;

constexpr std::string_view kItself = "itself";  // use the input file as label table or array

// Options that do not fit a format must be refused, which is tested as well.
Options options_of(std::uint8_t option, const std::string& file) {
  static const Schema of_numbers{
      .features = {"a", "b"}, .target = TargetKind::kClass, .targets = {"y"}};
  static const Schema of_symbols{.symbols = true, .target = TargetKind::kClass, .targets = {"y"}};
  static const Schema of_steps{
      .features = {"a"}, .target = TargetKind::kNumbersPerStep, .targets = {"y", "z"}};
  static const std::array choices = {
      Options{},
      Options{.layout = Layout::kNtc},
      Options{.layout = Layout::kNct},
      Options{.layout = Layout::kTnc},
      Options{.layout = Layout::kLong},
      Options{.layout = Layout::kWide},
      Options{.task = TargetKind::kNone},
      Options{.task = TargetKind::kClass},
      Options{.task = TargetKind::kNumbers},
      Options{.task = TargetKind::kClassPerStep},
      Options{.targets = {"y"}, .features = {"a", "b"}, .id = "id", .time = "time"},
      Options{.label_from = std::string(kItself)},
      Options{.label_from = "header"},
      Options{.label_from = "header:2"},
      Options{.label_from = "folder"},
      Options{.kmer = 3},
      Options{.as = of_numbers},
      Options{.as = of_symbols},
      Options{.as = of_steps},
      Options{.decimal = ','},
      Options{.tokens = formats::Tokens::kWords, .lower = true}};
  Options options = choices[static_cast<std::uint8_t>(option - '0') % choices.size()];
  if (options.label_from == kItself) options.label_from = file;
  return options;
}

void check_answers(const formats::Sequence& sequence, const Schema& schema,
                   const formats::Vocabulary& vocabulary) {
  const auto steps = static_cast<std::size_t>(sequence.steps);
  const std::size_t labels = sequence.labels.size(), values = sequence.values.size();
  for (const std::int32_t label : sequence.labels) {
    require(label >= 0 && static_cast<std::size_t>(label) < vocabulary.labels.words().size());
  }
  switch (schema.target) {
    case TargetKind::kNone:
      return require(labels == 0 && values == 0);
    case TargetKind::kClass:
      return require(labels <= 1 && values == 0);
    case TargetKind::kLabels:
      return require(values == 0);
    case TargetKind::kNumbers:
      return require(labels == 0 && (values == 0 || values == schema.targets.size()));
    case TargetKind::kClassPerStep:
      return require(values == 0 && (labels == 0 || labels == steps));
    case TargetKind::kNumbersPerStep:
      return require(labels == 0 && (values == 0 || values == steps * schema.targets.size()));
  }
}

void check(const formats::Sequence& sequence, const Schema& schema,
           const formats::Vocabulary& vocabulary) {
  require(sequence.steps >= 0 && sequence.line >= 1);
  const auto steps = static_cast<std::size_t>(sequence.steps);
  require(sequence.symbols.size() == (schema.symbols ? steps : 0));
  require(sequence.x.size() == (schema.symbols ? 0 : steps * schema.features.size()));
  for (const std::int32_t symbol : sequence.symbols) {
    require(symbol >= 0 && static_cast<std::size_t>(symbol) < vocabulary.symbols.words().size());
  }
  for (const float value : sequence.x) require(!std::isinf(value));
  check_answers(sequence, schema, vocabulary);
}

// Returns whether reading goes on after a sequence that was refused.
bool read_sequences(formats::Reader& reader, const formats::Vocabulary& vocabulary) {
  try {
    for (formats::Sequence sequence; reader.next(sequence);) {
      check(sequence, reader.schema(), vocabulary);
    }
  } catch (const InputError&) {
    return reader.skip();
  }
  return false;
}

// Whether it begins like gzip, zstd or zip.
bool may_be_packed(Bytes content) {
  return !content.empty() &&
         std::string_view("\x1F\x28P").find(content.front()) != std::string_view::npos;
}

void read_all(std::uint8_t option, Bytes content, const std::optional<Format>& format) {
  constexpr std::size_t kEnough = 10'000;
  const InputFile file(content);
  const std::array paths = {file.path()};
  Options options = options_of(option, file.path());
  options.format = format;
  try {
    const auto vocabulary = std::make_shared<formats::Vocabulary>();
    const auto reader = formats::open(paths, options, vocabulary);
    for (std::size_t refusals = 0; refusals < kEnough; ++refusals) {
      if (!read_sequences(*reader, *vocabulary)) break;
      // Each refusal is about a sequence, and each sequence takes a byte.
      require(refusals <= content.size() || may_be_packed(content));
    }
  } catch (const Error&) {  // the expected outcome for malformed input
  }
}

template <Format kFormat>
void read_as(std::uint8_t option, Bytes content) {
  read_all(option, content, kFormat);
}
}  // namespace

std::span<const Target> readers() {
  static constexpr std::array kReaders = {
      Target{"arff", read_as<Format::kArff>}, Target{"fasta", read_as<Format::kFasta>},
      Target{"fastq", read_as<Format::kFastq>}, Target{"idx", read_as<Format::kIdx>},
      Target{"jsonl", read_as<Format::kJsonl>}, Target{"npy", read_as<Format::kNpy>},
      Target{"npz", read_as<Format::kNpz>}, Target{"table", read_as<Format::kTable>},
      Target{"text", read_as<Format::kText>}, Target{"ts", read_as<Format::kTs>},
      Target{"tsf", read_as<Format::kTsf>},
      // Any format that is recognised.
      Target{"any", [](std::uint8_t option, Bytes content) { read_all(option, content, {}); }}};
  return kReaders;
}

}  // namespace rwa::fuzz
