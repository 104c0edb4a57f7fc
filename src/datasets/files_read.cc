#include "datasets/files_read.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "base/counted.h"
#include "base/nearest.h"
#include "base/repeated.h"
#include "datasets/continued.h"
#include "datasets/files_split.h"
#include "formats/lower_case.h"
#include "io/quote.h"
#include "io/sha256.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;
using formats::Target;

// Validation and test data is read in order, which needs little memory.
constexpr std::size_t kMemoryOfOthers = Store::kMemory / 4;

template <class Enum>
std::optional<Enum> parse_if_given(const std::string& name, Enum (*parse)(std::string_view)) {
  return name.empty() ? std::nullopt : std::optional(parse(name));
}

std::optional<char> decimal_of(const FilesTask& task) {
  if (task.decimal.empty()) return {};
  const std::vector<std::string> marks = formats::decimal_marks();
  if (std::ranges::find(marks, task.decimal) != marks.end()) return task.decimal.front();
  throw ConfigError(
      fmt::format("decimal is {}, expected {}", io::quote(task.decimal), fmt::join(marks, " or ")));
}

void require_once(std::string_view options, const std::vector<std::string>& names) {
  const auto twice = repeated(names);
  if (!twice) return;
  throw ConfigError(
      fmt::format("found {} twice among {}, expected it once", io::quote(*twice), options));
}

// What is forecast is a feature, too. Empty if no features are named.
std::vector<std::string> joined(std::vector<std::string> features,
                                const std::vector<std::string>& targets) {
  if (features.empty()) return features;
  for (const std::string& target : targets) {
    if (std::ranges::find(features, target) == features.end()) features.push_back(target);
  }
  return features;
}

// What is forecast is a feature, too; any other column has one role.
void check_columns(const FilesTask& task, bool is_forecast) {
  require_once("--features", task.features);
  require_once("--target", task.target);
  std::vector<std::string> all = is_forecast ? joined(task.features, task.target) : task.features;
  if (!is_forecast || all.empty()) all.insert(all.end(), task.target.begin(), task.target.end());
  all.insert(all.end(), {task.id, task.time});
  std::erase(all, "");
  require_once("--features, --target, --id and --time", all);
}

// Throws ConfigError for options that cannot both be meant.
void check_together(const FilesTask& task, bool is_forecast) {
  const bool is_wide = parse_if_given(task.layout, formats::parse_layout) == formats::Layout::kWide;
  if (is_wide && !task.time.empty()) {
    throw ConfigError(
        "found --time with --layout wide, whose rows are sequences: use --layout long, or leave "
        "out --time");
  }
  if (task.label_from.empty()) return;
  if (is_forecast) {
    throw ConfigError(
        "--label-from has no effect on this task, which has no labels: leave it out, or use "
        "--task class");
  }
  if (!task.target.empty()) {
    throw ConfigError(
        "found --target with --label-from, expected one of them: labels are in columns, or "
        "elsewhere");
  }
}

// Throws InputError if a word from `checked` on is not UTF-8, which model files require.
void check_text(const std::vector<std::string>& words, std::size_t& checked,
                const std::string& file, std::int64_t line) {
  for (; checked < words.size(); ++checked) {
    const std::string& word = words[checked];
    if (simdjson::validate_utf8(word.data(), word.size())) continue;
    throw InputError(
        fmt::format("{}:{}: found {}, expected text in UTF-8", file, line, io::quote(word)));
  }
}

// Replaces missing values by those of the step before. Must run before cutting: a window does not
// contain the step before it.
void carry_forward(std::vector<float>& x, std::size_t features) {
  for (std::size_t i = features; i < x.size(); ++i) {
    if (std::isnan(x[i])) x[i] = x[i - features];
  }
}

// Adds sequences to subsets and updates their sums.
class Collector {
 public:
  // Throws ConfigError for an invalid window.
  Collector(const FilesTask& task, formats::Schema schema, bool of_forecasts);

  // Throws InputError, with file and line, if values or targets are missing.
  void check(const formats::Sequence& sequence, const std::string& file) const;
  // Adds a checked sequence. May fill its missing values.
  void add(formats::Sequence& sequence, Subset& subset);
  // Returns the hash of all added sequences, in order, and of the vocabulary. Nothing may be added
  // afterwards.
  std::string sha256(const formats::Vocabulary& vocabulary);

 private:
  void add_sample(const formats::Sequence& sample, Subset& subset);
  void hash(const formats::Dictionary& words);

  formats::Schema schema_;
  bool of_forecasts_, predicts_next_, every_step_;
  std::size_t features_;  // per step
  Missing missing_;
  int window_, stride_;
  formats::Sequence piece_;
  std::vector<std::byte> record_;
  io::Sha256 hash_;
};

Collector::Collector(const FilesTask& task, formats::Schema schema, bool of_forecasts)
    : schema_(std::move(schema)),
      of_forecasts_(of_forecasts),
      predicts_next_(schema_.target == formats::Target::kNone && !of_forecasts),
      every_step_(Encoding{.schema = schema_}.answers_every_step()),
      features_(schema_.symbols ? 0 : schema_.features.size()),
      missing_(parse_missing(task.missing)),
      window_(task.window),
      stride_(stride_of(task)) {
  if (of_forecasts_) return;
  if (window_ > 0) check_range("stride", stride_, 1, window_);
  if (window_ == 0 && stride_ != 0) {
    throw ConfigError(fmt::format("stride is {} without a window, expected a window too", stride_));
  }
}

void Collector::check(const formats::Sequence& sequence, const std::string& file) const {
  if (missing_ == Missing::kRefuse) refuse_missing(schema_, sequence, file);
  const bool complete =
      std::ranges::none_of(sequence.values, [](float value) { return std::isnan(value); });
  if (complete && has_answer(schema_, sequence)) return;
  throw InputError(fmt::format("{}:{}: found a sequence without {}, expected one for the task {}",
                               file, sequence.line, complete ? "a target" : "a complete target",
                               to_string(schema_.target)));
}

void Collector::add(formats::Sequence& sequence, Subset& subset) {
  pack(sequence, record_);
  hash_.add(record_);
  if (features_ > 0) subset.sums.features.add(sequence.x, features_);
  if (of_forecasts_) {
    fill_gaps(missing_, features_, sequence);
    subset.series.push_back(std::move(sequence));
    return;
  }
  if (missing_ == Missing::kPrevious) carry_forward(sequence.x, features_);
  for (const std::int32_t symbol : sequence.symbols) subset.sums.seen.add(symbol);
  if (!sequence.values.empty()) subset.sums.targets.add(sequence.values, schema_.targets.size());
  const auto all = pieces(sequence.steps, window_, stride_, predicts_next_);
  if (all.size() == 1) {
    add_sample(sequence, subset);
    return;
  }
  for (const Piece piece : all) {
    cut(sequence, piece, every_step_, piece_);
    pack(piece_, record_);
    add_sample(piece_, subset);
  }
}

// record_ already has the packed sample. Skips samples without a per-step target to learn from.
void Collector::add_sample(const formats::Sequence& sample, Subset& subset) {
  const int steps = sample.steps - (predicts_next_ ? 1 : 0);
  if (every_step_ && steps <= 0) return;
  subset.store.append(record_);
  Sums& sums = subset.sums;
  ++sums.samples;
  sums.steps += steps;
  sums.longest = std::max(sums.longest, steps);
  if (features_ > 0 && !predicts_next_) sums.own.add(sample.x, features_);
  for (const std::int32_t label : sample.labels) sums.labels.add(label);
  if (!predicts_next_ || !schema_.symbols) return;
  for (const std::int32_t answer : std::span(sample.symbols).subspan(1)) sums.symbols.add(answer);
}

void Collector::hash(const formats::Dictionary& words) {
  for (const std::string& word : words.words()) {
    const std::string text = fmt::format("{} {}", word.size(), word);  // the size marks its end
    hash_.add(std::as_bytes(std::span(text)));
  }
}

std::string Collector::sha256(const formats::Vocabulary& vocabulary) {
  hash(vocabulary.symbols);
  hash(vocabulary.labels);
  return hash_.hex();
}

// Names labels that may be mistyped: those that differ in case only, and a label of one sequence
// that is much like a common one.
void warn_about_labels(LoadedData& data) {
  constexpr std::int64_t kCommon = 5;
  const std::vector<std::string>& labels = data.vocabulary->labels.words();
  const std::vector<std::int64_t>& counts = data.statistics.labels;
  std::map<std::string, std::string> by_letters;
  std::vector<std::string> common, rare;
  const std::size_t known = std::min(labels.size(), counts.size());
  for (std::size_t i = 0; i < known; ++i) {
    const auto [other, is_new] = by_letters.emplace(formats::lower_case(labels[i]), labels[i]);
    if (!is_new) {
      data.findings.warnings.push_back(fmt::format("the labels {} and {} differ only in case",
                                                   io::quote(other->second), io::quote(labels[i])));
    } else if (counts[i] >= kCommon) {
      common.push_back(labels[i]);
    } else if (counts[i] == 1 && labels[i].size() > 2) {
      rare.push_back(labels[i]);
    }
  }
  for (const std::string& label : rare) {
    const std::vector<std::string> like = nearest(label, common);
    if (like.empty()) continue;
    data.findings.warnings.push_back(fmt::format("the label {} occurs once: is it {}?",
                                                 io::quote(label), io::quote(like.front())));
  }
}

// Reports the number of sequences read, at intervals.
class Progress {
 public:
  explicit Progress(const Reading& reading) : reading_(reading) {}

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

class Loader {
 public:
  Loader(const FilesTask& task, fs::path folder, const Reading& reading, const Open& open,
         const Keeper& keeper)
      : task_(task), folder_(std::move(folder)), open_(open), keeper_(keeper), progress_(reading) {}

  LoadedData load(std::uint64_t seed) {
    auto reader = begin(task_.train, options_of(task_));
    out_.schema = reader->schema();
    out_.findings = reader->findings();
    check_schema(reader->file());
    check_scale();
    out_.forecasts = is_forecast(task_, out_.schema);
    check_forecast(reader->file());
    if (out_.forecasts && task_.task.empty() && task_.horizon > 0) out_.findings.task = "--horizon";
    auto split = split_of(seed);
    make_subsets(split ? split->subsets() : 1);
    Collector collector(task_, out_.schema, out_.forecasts);
    out_.statistics = no_statistics(out_.schema.symbols ? 0 : out_.schema.features.size());
    const bool by_class = out_.schema.target == Target::kClass;
    read(*reader, collector, [&](const formats::Sequence& sequence) -> Subset& {
      add(sequence, out_.statistics);
      if (!split) return *out_.subsets.front();
      return *out_.subsets[split->subset_of(by_class ? sequence.labels[0] : 0)];
    });
    reader.reset();
    out_.labels = out_.vocabulary->labels.words().size();
    for (auto& subset : out_.subsets) subset->store.close();
    if (out_.forecasts) find_season_of_series();
    warn_about_labels(out_);
    out_.valid = read_others(task_.valid, collector);
    out_.test = read_others(task_.test, collector);
    for (Subset* others : {out_.valid.get(), out_.test.get()}) {
      if (others == nullptr || !out_.forecasts) continue;
      others->first = continue_series(out_.subsets.front()->series, others->series);
    }
    progress_.tell();
    out_.sha256 = collector.sha256(*out_.vocabulary);
    return std::move(out_);
  }

 private:
  std::unique_ptr<formats::Reader> begin(const std::vector<std::string>& paths,
                                         const formats::Options& options) {
    return open_({paths.begin(), paths.end()}, options, out_.vocabulary);
  }
  // None of forecasts, which are split by time. Throws ConfigError for an invalid one.
  [[nodiscard]] std::optional<StratifiedSplit> split_of(std::uint64_t seed) const {
    check_split(task_, out_.forecasts ? 1 : 2);
    return out_.forecasts ? std::nullopt : std::optional(StratifiedSplit(task_, seed));
  }
  void find_season_of_series();
  void warn_about_times();
  void warn_about_missing_numbers();
  void check_schema(const std::string& file) const;
  void check_scale() const;
  void check_forecast(const std::string& file) const;
  [[nodiscard]] std::unique_ptr<Subset> new_subset(std::size_t memory) const {
    return std::make_unique<Subset>(folder_, memory, keeper_);
  }
  void make_subsets(std::size_t count);
  void refuse_new_labels(const formats::Sequence& sequence, const std::string& file) const;
  template <class Choose>
  void read(formats::Reader& reader, Collector& collector, Choose subset_of);
  std::unique_ptr<Subset> read_others(const std::vector<std::string>& paths, Collector& collector);

  const FilesTask& task_;
  fs::path folder_;
  const Open& open_;
  const Keeper& keeper_;
  Progress progress_;
  LoadedData out_{.schema = {},
                  .findings = {},
                  .vocabulary = std::make_shared<formats::Vocabulary>(),
                  .labels = 0,
                  .subsets = {},
                  .valid = {},
                  .test = {},
                  .statistics = {},
                  .sha256 = {}};
  std::size_t symbols_checked_ = 0, labels_checked_ = 0;
};

void Loader::check_schema(const std::string& file) const {
  const formats::Schema& schema = out_.schema;
  for (const auto& names :
       {schema.features, schema.targets, {schema.id, schema.time, schema.label_from}}) {
    std::size_t none = 0;
    check_text(names, none, file, 1);
  }
  if (task_.balance && schema.target != Target::kClass) {
    throw ConfigError(fmt::format("balance is only for the task {}, found the task {}",
                                  to_string(Target::kClass), to_string(schema.target)));
  }
}

void Loader::check_scale() const {
  if (task_.scale.empty() || parse_scale(task_.scale) != Scale::kSequence) return;
  const std::string why = why_no_own_scale(out_.schema);
  if (why.empty()) return;
  throw ConfigError(fmt::format("scale is {}, expected {} or {}: {}", to_string(Scale::kSequence),
                                to_string(Scale::kData), to_string(Scale::kNone), why));
}

// Throws ConfigError for options that contradict each other.
void Loader::check_forecast(const std::string& file) const {
  const std::vector<std::string>& features = out_.schema.features;
  if (!out_.forecasts) {
    if (task_.horizon > 0 || task_.season > 0) {
      throw ConfigError(fmt::format(
          "{}: --{} is for forecasts of numbers, found {}", file,
          task_.horizon > 0 ? "horizon" : "season",
          out_.schema.symbols
              ? "sequences of symbols"
              : fmt::format("the task {}",
                            task_.task.empty() ? to_string(out_.schema.target) : task_.task)));
    }
    if (out_.schema.target == Target::kNone && !task_.target.empty()) {
      throw ConfigError(fmt::format("{}: --task {} takes no --target", file, task_.task));
    }
    return;
  }
  check_range("window", task_.window, 0, Forecast::kMostSteps);
  if (task_.context > 1 || task_.positions > 0) {
    throw ConfigError(
        fmt::format("{}: --{} cannot be combined with a forecast, whose windows have "
                    "places already",
                    file, task_.context > 1 ? "context" : "positions"));
  }
  for (const std::string& target : task_.target) {
    if (std::ranges::find(features, target) != features.end()) continue;
    throw ConfigError(fmt::format("{}: found no feature {} to forecast{}", file, io::quote(target),
                                  suggestion(target, features)));
  }
}

// The times are those of the first series that has some.
void Loader::find_season_of_series() {
  const auto& all = out_.subsets.front()->series;
  for (const formats::Sequence& series : all) {
    if (out_.step || !out_.schema.time_form) break;
    out_.step = formats::find_time_step(series.times, *out_.schema.time_form);
  }
  out_.season = find_season(all, out_.schema.features.size(), out_.step);
  if (out_.step) warn_about_times();
  warn_about_missing_numbers();
}

void Loader::warn_about_missing_numbers() {
  const auto& missing = out_.statistics.missing;
  const auto count = std::accumulate(missing.begin(), missing.end(), std::int64_t{0});
  if (count == 0) return;
  out_.findings.warnings.push_back(fmt::format(
      "{} of {} missing: filled in for training, they count in no score", in_thousands(count),
      counted(out_.statistics.steps * std::ssize(missing), "number") +
          (count == 1 ? " is" : " are")));
}

// Forecasts count rows.
void Loader::warn_about_times() {
  using formats::Irregular;
  constexpr std::int64_t kUsualGaps = 10;
  Irregular repeats, gaps;
  std::int64_t steps = 0;
  const auto add = [](Irregular& sum, const Irregular& one) {
    if (sum.count == 0) sum.first = one.first;
    sum.count += one.count;
  };
  for (const formats::Sequence& series : out_.subsets.front()->series) {
    const auto found = formats::find_irregularities(series.times, *out_.step);
    add(repeats, found.repeats);
    add(gaps, found.gaps);
    steps += std::max(series.steps - 1, 0);
  }
  const auto warn = [&](const Irregular& found, std::string_view what, std::string_view advice) {
    if (found.count == 0) return;
    out_.findings.warnings.push_back(
        fmt::format("{} of {} in time {} {}, the first after {}: {}", in_thousands(found.count),
                    counted(steps, "step"), found.count == 1 ? "is" : "are", what,
                    formats::format_time(found.first, *out_.schema.time_form), advice));
  };
  warn(repeats, "0",
       "if there are several series, name the column that tells them apart with --id");
  const bool are_usual = gaps.count * kUsualGaps > steps;  // such as weekends
  warn(gaps, "longer than the others",
       are_usual
           ? "a forecast takes all as equal"
           : "a forecast takes all as equal, so add rows that are missing, with empty numbers "
             "and --missing previous");
}

void Loader::make_subsets(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    out_.subsets.push_back(new_subset(Store::kMemory / count));
  }
}

template <class Choose>
void Loader::read(formats::Reader& reader, Collector& collector, Choose subset_of) {
  formats::Sequence sequence;
  while (reader.next(sequence)) {
    check_text(out_.vocabulary->symbols.words(), symbols_checked_, reader.file(), sequence.line);
    check_text(out_.vocabulary->labels.words(), labels_checked_, reader.file(), sequence.line);
    collector.check(sequence, reader.file());
    collector.add(sequence, subset_of(sequence));
    progress_.count();
  }
}

std::unique_ptr<Subset> Loader::read_others(const std::vector<std::string>& paths,
                                            Collector& collector) {
  if (paths.empty()) return nullptr;
  auto subset = new_subset(kMemoryOfOthers);
  const auto reader = begin(paths, {.kmer = task_.kmer,
                                    .tokens = formats::parse_tokens(task_.tokens),
                                    .lower = task_.lower,
                                    .decimal = decimal_of(task_),
                                    .as = out_.schema});
  read(*reader, collector, [&](const formats::Sequence& sequence) -> Subset& {
    refuse_new_labels(sequence, reader->file());
    return *subset;
  });
  subset->store.close();
  return subset;
}

// A network has no output for a class that it was not trained on.
void Loader::refuse_new_labels(const formats::Sequence& sequence, const std::string& file) const {
  const auto found = std::ranges::find_if(sequence.labels, [&](std::int32_t label) {
    return static_cast<std::size_t>(label) >= out_.labels;
  });
  if (found == sequence.labels.end()) return;
  throw InputError(fmt::format(
      "{}:{}: found the {} {}, expected one of the training data: add sequences of it to the "
      "training data, or remove them here",
      file, sequence.line, out_.schema.target == Target::kLabels ? "label" : "class",
      io::quote(out_.vocabulary->labels.words()[static_cast<std::size_t>(*found)])));
}
}  // namespace

formats::Options options_of(const FilesTask& task) {
  const bool is_forecast = parse_task(task) == Target::kNone;
  check_columns(task, is_forecast);
  check_together(task, is_forecast);
  return {.format = parse_if_given(task.format, formats::parse_format),
          .layout = parse_if_given(task.layout, formats::parse_layout),
          .task = parse_task(task),
          .targets = is_forecast ? std::vector<std::string>() : task.target,
          .features = is_forecast ? joined(task.features, task.target) : task.features,
          .id = task.id,
          .time = task.time,
          .label_from = task.label_from,
          .kmer = task.kmer,
          .tokens = formats::parse_tokens(task.tokens),
          .lower = task.lower,
          .decimal = decimal_of(task),
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
  if (!sequence.x.empty()) statistics.own.add(sequence.x, features);
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

LoadedData load_files(const FilesTask& task, std::uint64_t seed, const fs::path& folder,
                      const Reading& reading, const Open& open, const Keeper& keeper) {
  if (task.train.empty()) throw ConfigError("no training files, expected at least one");
  return Loader(task, folder, reading, open, keeper).load(seed);
}

}  // namespace rwa::datasets
