// src/formats/open.cc: reads files and folders as one data set. Recognises each file, opens the
// reader of its format, adds labels, and goes on to the next file.
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/data_files.h"
#include "formats/formats.h"
#include "formats/labels.h"
#include "formats/match.h"
#include "formats/text_symbols.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
namespace fs = std::filesystem;

bool is_array(Format format) {
  return format == Format::kNpy || format == Format::kNpz || format == Format::kIdx;
}

bool is_fasta(Format format) { return format == Format::kFasta || format == Format::kFastq; }

// Whether a file may contain labels of its own.
bool may_have_labels(Format format, Source& source) {
  constexpr std::string_view kLabel = "\n__label__";
  if (format != Format::kText) return !is_fasta(format);
  const std::string_view text = beginning(source);
  return text.starts_with(kLabel.substr(1)) || text.find(kLabel) != text.npos;
}

std::unique_ptr<Reader> open_as(Format format, std::unique_ptr<Source> source,
                                const Options& options, SharedVocabulary vocabulary) {
  switch (format) {
    case Format::kTable:
      return open_table(std::move(source), options, std::move(vocabulary));
    case Format::kTs:
      return open_ts(std::move(source), options, std::move(vocabulary));
    case Format::kArff:
      return open_arff(std::move(source), options, std::move(vocabulary));
    case Format::kTsf:
      return open_tsf(std::move(source), options, std::move(vocabulary));
    case Format::kJsonl:
      return open_jsonl(std::move(source), options, std::move(vocabulary));
    case Format::kFasta:
    case Format::kFastq:
      return open_fasta(std::move(source), options, std::move(vocabulary));
    case Format::kText:
      return open_text(std::move(source), options, std::move(vocabulary));
    case Format::kNpy:
      return open_npy(std::move(source), options, std::move(vocabulary));
    case Format::kNpz:
      return open_npz(std::move(source), options, std::move(vocabulary));
    case Format::kIdx:
      return open_idx(std::move(source), options, std::move(vocabulary));
  }
  throw ConfigError("unknown format");
}

// Refuses options that the format has no use for.
void check_options(Format format, const Options& options, const std::string& file) {
  const bool single = format == Format::kJsonl || format == Format::kArff;
  const bool named = single || format == Format::kTable;
  const auto check = [&](std::string_view option, bool given, bool fits, std::string_view what) {
    if (!given || fits) return;
    throw ConfigError(fmt::format("{}: {} does not apply to the format {}, which {}", file, option,
                                  to_string(format), what));
  };
  check("--id", !options.id.empty(), named, "has no named ids");
  check("--time", !options.time.empty(), format == Format::kTable, "has no time column");
  check("--target", !options.targets.empty(), named || is_array(format), "has no named targets");
  check("--features", !options.features.empty(), named || is_array(format),
        "has no named features");
  check("--layout", options.layout.has_value(), format == Format::kTable || is_array(format),
        "has only one layout");
  check("--decimal", options.decimal && !options.as, format == Format::kTable,
        "has points in its numbers");
  check("more than one --target", options.targets.size() > 1, !single, "has one target");
  check("more than one name in --features", options.features.size() > 1, !single,
        "has one name for sequences");
  check("--tokens words", options.tokens == Tokens::kWords, !is_fasta(format), "has letters only");
  check("--label-from header", HeaderLabel::parse(options.label_from).has_value(), is_fasta(format),
        "has no headers");
}

// Refuses options about text if the sequences are none.
void check_is_text(const Reader& reader, const Options& options) {
  const std::string option = text_option(options);
  const Schema& schema = reader.schema();
  const bool has_cells = schema.layout == Layout::kLong || schema.features.size() > 1;
  if (option.empty() || (schema.symbols && !has_cells)) return;
  throw ConfigError(fmt::format("{}: found sequences of {}, expected text for {}", reader.file(),
                                schema.symbols ? "symbols, one per field" : "numbers", option));
}

// The name of the file or of its folder.
std::string label_in_path(const fs::path& file, const std::string& from) {
  std::string label = from == "file" ? name_without_endings(file) : name_of_folder(file);
  if (const char* at = not_utf8(label); at != nullptr) {
    throw InputError(
        fmt::format("{}: found {} in the name of the {}, which is its label, expected "
                    "UTF-8: rename it",
                    io::escape(file.string()), byte_in_words(*at), from));
  }
  return label;
}

// Opens a label table. Null for an array of labels, which the reader of arrays opens itself.
std::shared_ptr<const LabelTable> open_labels(const std::string& from, const Options& options) {
  check_label_source(from);
  Source source(from);
  if (is_array(recognise(source))) return nullptr;
  return std::make_shared<LabelTable>(from, options);
}

// Opens the files of a data set, with their labels from any source.
class FileOpener {
 public:
  // Throws as open() does.
  FileOpener(Options options, SharedVocabulary vocabulary, const DataFiles& files);

  std::unique_ptr<Reader> open(const std::filesystem::path& file) const;
  // Fixes the kind of targets once the first file has shown it; later files do not guess again.
  void expect(Target target);

 private:
  // The label source of this file: from_, "file" by default among several files, or empty.
  [[nodiscard]] std::string labels_of(Source& source, Format format) const;
  std::unique_ptr<Reader> add_labels(std::unique_ptr<Reader> reader,
                                     const std::filesystem::path& file,
                                     const std::string& from) const;

  Options options_;
  SharedVocabulary vocabulary_;
  bool several_;      // more than one file
  std::string from_;  // label source; empty: none given
  std::shared_ptr<const LabelTable> table_;
};

FileOpener::FileOpener(Options options, SharedVocabulary vocabulary, const DataFiles& files)
    : options_(std::move(options)),
      vocabulary_(std::move(vocabulary)),
      several_(files.files.size() > 1),
      from_(label_from(options_)) {
  const bool in_header = HeaderLabel::parse(from_).has_value();
  if (from_.empty()) {
    const bool wanted_here = !options_.as && options_.task != Target::kNone;
    if (files.in_folders && wanted_here) from_ = "folder";
  } else if (!is_of_paths(from_) && !in_header) {
    // The label table of a model's training data does not list other sequences.
    if (options_.label_from.empty()) {
      from_.clear();
    } else {
      table_ = open_labels(from_, options_);
    }
  }
}

void FileOpener::expect(Target target) {
  if (!options_.task && !options_.as && target != Target::kNone) options_.task = target;
}

std::string FileOpener::labels_of(Source& source, Format format) const {
  if (!from_.empty() || !several_ || options_.as || options_.task == Target::kNone) return from_;
  return may_have_labels(format, source) ? "" : "file";
}

std::unique_ptr<Reader> FileOpener::open(const fs::path& file) const try {
  auto source = std::make_unique<Source>(file);
  const Format format = options_.format ? *options_.format : recognise(*source);
  check_options(format, options_, source->name());
  const std::string from = labels_of(*source, format);
  const bool elsewhere = is_of_paths(from) || table_;
  Options options = options_;
  options.label_from = from;
  if (elsewhere) options.task = Target::kNone;
  auto reader = open_as(format, std::move(source), options, vocabulary_);
  check_is_text(*reader, options);
  return elsewhere ? add_labels(std::move(reader), file, from) : std::move(reader);
} catch (const FullDictionary& full) {
  throw InputError(fmt::format("{}: {}", file.string(), full.what()));
}

std::unique_ptr<Reader> FileOpener::add_labels(std::unique_ptr<Reader> reader, const fs::path& file,
                                               const std::string& from) const {
  if (table_) {
    return with_labels(
        std::move(reader), table_->target(), options_, from,
        [table = table_, vocabulary = vocabulary_](Sequence& sequence, const std::string& name) {
          table->add_label(sequence, name, *vocabulary);
        });
  }
  if (match_target(Target::kClass, options_, reader->file()) == Target::kNone) return reader;
  if (file == "-") {
    if (options_.as) return reader;
    throw ConfigError(fmt::format("--label-from {} needs a file, found standard input", from));
  }
  return with_labels(
      std::move(reader), Target::kClass, options_, from,
      [number = vocabulary_->labels.number(label_in_path(file, from))](
          Sequence& sequence, const std::string&) { sequence.labels.push_back(number); });
}

std::string list(const std::vector<std::string>& names) {
  return io::escape(fmt::to_string(fmt::join(names, ", ")));
}

void check_same(std::string_view what, const std::string& found, const std::string& expected,
                const std::string& file, const std::string& first) {
  if (found == expected) return;
  throw InputError(
      fmt::format("{}: has {} {}, expected {}, as in {}", file, what, found, expected, first));
}

// Chains the files; each is opened when its turn comes.
class Chain : public Reader {
 public:
  Chain(std::vector<fs::path> files, FileOpener opener)
      : files_(std::move(files)),
        names_(distinct_names(files_)),
        opener_(std::move(opener)),
        reader_(opener_.open(files_.front())) {
    schema_ = reader_->schema();
    findings_ = reader_->take_findings();
    first_ = reader_->file();
    opener_.expect(schema_.target);
  }

  [[nodiscard]] const std::string& file() const override { return reader_->file(); }

  bool next(Sequence& sequence) override {
    while (!next_of_file(sequence)) {
      if (next_ == files_.size()) return false;
      fits_ = false;
      reader_ = opener_.open(files_[next_++]);
      check_schema();
      fits_ = true;
    }
    if (files_.size() > 1) tell_apart(sequence);
    return true;
  }
  // A whole file is not skipped.
  bool skip() override { return fits_ && reader_->skip(); }

 private:
  bool next_of_file(Sequence& sequence) try {
    return reader_->next(sequence);
  } catch (const FullDictionary& full) {
    throw InputError(fmt::format("{}:{}: {}", file(), sequence.line, full.what()));
  }
  // Puts the name of the file before a number, and before an id that an earlier file has too.
  void tell_apart(Sequence& sequence) {
    if (sequence.numbered || is_known(sequence.id)) {
      sequence.id = fmt::format("{}:{}", names_[next_ - 1], sequence.id);
    }
  }
  // Whether an earlier file has this id.
  bool is_known(const std::string& id) {
    const std::size_t hash = std::hash<std::string>()(id);
    const auto known = ids_.find(hash);
    if (known != ids_.end()) return known->second != next_;
    if (ids_.size() < kMostRemembered) ids_.emplace(hash, next_);
    return false;
  }
  void check_schema() const {
    const Schema& schema = reader_->schema();
    const auto check = [&](std::string_view what, const std::string& found,
                           const std::string& expected) {
      check_same(what, found, expected, file(), first_);
    };
    const auto steps = [](const Schema& s) -> std::string {
      return s.symbols ? "symbols" : "numbers";
    };
    const auto task = [](const Schema& s) { return std::string(to_string(s.target)); };
    const auto labels = [](const Schema& s) -> std::string {
      if (s.label_from.empty()) return "the file itself";
      return is_of_paths(s.label_from) ? fmt::format("the {} name", s.label_from) : s.label_from;
    };
    check("sequences of", steps(schema), steps(schema_));
    check("the features", list(schema.features), list(schema_.features));
    check("targets for the task", task(schema), task(schema_));
    check("the targets", list(schema.targets), list(schema_.targets));
    check("labels from", labels(schema), labels(schema_));
  }

  std::vector<fs::path> files_;
  std::vector<std::string> names_;  // of the files, in ids
  std::size_t next_ = 1;
  bool fits_ = true;  // the current file, with the first one
  FileOpener opener_;
  std::unique_ptr<Reader> reader_;
  // The first file of each id, by its hash; limited in number to bound the memory.
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 20;
  std::unordered_map<std::size_t, std::size_t> ids_;
  std::string first_;  // the name of the first file
};
}  // namespace

std::unique_ptr<Reader> open(std::span<const fs::path> paths, const Options& options,
                             std::shared_ptr<Vocabulary> vocabulary) {
  DataFiles found = find_files(paths);
  FileOpener opener(options, std::move(vocabulary), found);
  return std::make_unique<Chain>(std::move(found.files), std::move(opener));
}

}  // namespace rwa::formats
