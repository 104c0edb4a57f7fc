#include "datasets/files_read.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "datasets/files_split.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;
using formats::Target;

// What is not trained on is gone through in order, for which little memory is enough.
constexpr std::size_t kMemoryOfOthers = Store::kMemory / 4;

template <class Enum>
std::optional<Enum> parse_if_given(const std::string& name, Enum (*parse)(std::string_view)) {
  return name.empty() ? std::nullopt : std::optional(parse(name));
}

// A model's file takes no text but UTF-8. Looks at the words from `checked` on.
void check_text(const std::vector<std::string>& words, std::size_t& checked,
                const std::string& file, std::int64_t line) {
  for (; checked < words.size(); ++checked) {
    const std::string& word = words[checked];
    if (simdjson::validate_utf8(word.data(), word.size())) continue;
    throw InputError(
        fmt::format("{}:{}: found {}, expected text in UTF-8", file, line, io::quote(word)));
  }
}

// Says how many sequences have been read, now and then.
class Teller {
 public:
  explicit Teller(const Reading& reading) : reading_(reading) {}

  void count() {
    ++sequences_;
    if (Clock::now() - told_ >= std::chrono::milliseconds(100)) tell();
  }
  void tell() {
    told_ = Clock::now();
    if (reading_) reading_(sequences_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Reading& reading_;
  std::int64_t sequences_ = 0;
  Clock::time_point told_ = Clock::now();
};

class Pass {
 public:
  Pass(const FilesTask& task, fs::path folder, const Reading& reading, const Open& open,
       const Keeper& keeper)
      : task_(task), folder_(std::move(folder)), open_(open), keeper_(keeper), teller_(reading) {}

  Collected go(std::uint64_t seed) {
    Division division(task_, seed);
    auto reader = begin(task_.train, options_of(task_));
    out_.schema = reader->schema();
    check_schema(reader->file());
    make_parts(division.parts());
    Collector collector(task_, out_.schema);
    out_.statistics = no_statistics(out_.schema.symbols ? 0 : out_.schema.features.size());
    const bool by_class = out_.schema.target == Target::kClass;
    read(*reader, collector, [&](const formats::Sequence& sequence) -> Part& {
      add(sequence, out_.statistics);
      return *out_.parts[division.part_of(by_class ? sequence.labels[0] : 0)];
    });
    reader.reset();
    for (auto& part : out_.parts) part->store.close();
    out_.valid = read_others(task_.valid, collector);
    out_.test = read_others(task_.test, collector);
    teller_.tell();
    out_.sha256 = collector.sha256(*out_.vocabulary);
    return std::move(out_);
  }

 private:
  std::unique_ptr<formats::Reader> begin(const std::vector<std::string>& paths,
                                         const formats::Options& options) {
    return open_({paths.begin(), paths.end()}, options, out_.vocabulary);
  }
  void check_schema(const std::string& file) const;
  [[nodiscard]] std::unique_ptr<Part> new_part(std::size_t memory) const {
    return std::make_unique<Part>(folder_, memory, keeper_);
  }
  void make_parts(std::size_t count);
  template <class Choose>
  void read(formats::Reader& reader, Collector& collector, Choose part_of);
  std::unique_ptr<Part> read_others(const std::vector<std::string>& paths, Collector& collector);

  const FilesTask& task_;
  fs::path folder_;
  const Open& open_;
  const Keeper& keeper_;
  Teller teller_;
  Collected out_{.schema = {},
                 .vocabulary = std::make_shared<formats::Vocabulary>(),
                 .parts = {},
                 .valid = {},
                 .test = {},
                 .statistics = {},
                 .sha256 = {}};
  std::size_t symbols_checked_ = 0, labels_checked_ = 0;
};

void Pass::check_schema(const std::string& file) const {
  const formats::Schema& schema = out_.schema;
  for (const auto& names :
       {schema.features, schema.targets, {schema.id, schema.time, schema.label_from}}) {
    std::size_t none = 0;
    check_text(names, none, file, 1);
  }
  if (task_.balance && schema.target != Target::kClass) {
    throw ConfigError(fmt::format("balance is for the task {}, found the task {}",
                                  to_string(Target::kClass), to_string(schema.target)));
  }
}

void Pass::make_parts(std::size_t count) {
  const bool split = count == 2 && task_.folds == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t memory = split && i == 0 ? kMemoryOfOthers : Store::kMemory;
    out_.parts.push_back(new_part(split ? memory : memory / count));
  }
}

template <class Choose>
void Pass::read(formats::Reader& reader, Collector& collector, Choose part_of) {
  formats::Sequence sequence;
  while (reader.next(sequence)) {
    check_text(out_.vocabulary->symbols.words(), symbols_checked_, reader.file(), sequence.line);
    check_text(out_.vocabulary->labels.words(), labels_checked_, reader.file(), sequence.line);
    collector.check(sequence, reader.file());
    collector.add(sequence, part_of(sequence));
    teller_.count();
  }
}

std::unique_ptr<Part> Pass::read_others(const std::vector<std::string>& paths,
                                        Collector& collector) {
  if (paths.empty()) return nullptr;
  auto part = new_part(kMemoryOfOthers);
  const auto reader = begin(paths, {.kmer = task_.kmer, .as = out_.schema});
  read(*reader, collector, [&](const formats::Sequence&) -> Part& { return *part; });
  part->store.close();
  return part;
}
}  // namespace

formats::Options options_of(const FilesTask& task) {
  check_range("kmer", task.kmer, 1, std::numeric_limits<int>::max());
  return {.format = parse_if_given(task.format, formats::parse_format),
          .layout = parse_if_given(task.layout, formats::parse_layout),
          .task = parse_if_given(task.task, formats::parse_target),
          .targets = task.target,
          .features = task.features,
          .id = task.id,
          .time = task.time,
          .label_from = task.label_from,
          .kmer = task.kmer,
          .as = {}};
}

Statistics no_statistics(std::size_t features) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Statistics none;
  none.missing.assign(features, 0);
  none.least.assign(features, kFar);
  none.most.assign(features, -kFar);
  return none;
}

void add(const formats::Sequence& sequence, Statistics& statistics) {
  ++statistics.sequences;
  statistics.steps += sequence.steps;
  ++statistics.lengths[sequence.steps];
  const std::size_t features = statistics.missing.size();
  for (std::size_t row = 0; row < sequence.x.size(); row += features) {
    for (std::size_t i = 0; i < features; ++i) {
      const double value = sequence.x[row + i];
      if (std::isnan(value)) {
        ++statistics.missing[i];
      } else {
        statistics.least[i] = std::min(statistics.least[i], value);
        statistics.most[i] = std::max(statistics.most[i], value);
      }
    }
  }
  for (const std::int32_t label : sequence.labels) {
    const auto place = static_cast<std::size_t>(label);
    if (place >= statistics.labels.size()) statistics.labels.resize(place + 1);
    ++statistics.labels[place];
  }
}

Collected collect(const FilesTask& task, std::uint64_t seed, const fs::path& folder,
                  const Reading& reading, const Open& open, const Keeper& keeper) {
  if (task.train.empty()) throw ConfigError("no files to train on, expected at least one");
  return Pass(task, folder, reading, open, keeper).go(seed);
}

}  // namespace rwa::datasets
