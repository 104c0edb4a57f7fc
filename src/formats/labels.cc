#include "formats/labels.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/match.h"
#include "formats/parse.h"
#include "formats/table_rows.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
// Where the first word of a header ends: before a blank, "|" or "__".
std::size_t end_of_part(std::string_view header) {
  constexpr std::string_view kMarks = " \t|_";
  std::size_t end = header.find_first_of(kMarks);
  while (end < header.size() && header[end] == '_' && !header.substr(end).starts_with("__")) {
    end = header.find_first_of(kMarks, end + 1);
  }
  return std::min(end, header.size());
}

// Takes the first word off a header. Empty if there is none.
std::string_view next_part(std::string_view& header) {
  while (!header.empty()) {
    const std::size_t end = end_of_part(header);
    const std::string_view part = header.substr(0, end);
    header.remove_prefix(
        std::min(end + (header.substr(end).starts_with("__") ? 2 : 1), header.size()));
    if (!part.empty()) return part;
  }
  return {};
}

class Labelled : public Reader {
 public:
  Labelled(std::unique_ptr<Reader> reader, AddLabel add)
      : reader_(std::move(reader)), add_(std::move(add)) {
    schema_ = reader_->schema();
    findings_ = reader_->take_findings();
  }

  Schema& schema_to_change() { return schema_; }
  void set_reason(std::string why) { findings_.task = std::move(why); }
  [[nodiscard]] const std::string& file() const override { return reader_->file(); }

  bool next(Sequence& sequence) override {
    is_read_ = false;
    if (!reader_->next(sequence)) return false;
    is_read_ = true;
    add_(sequence, file());
    return true;
  }
  bool skip() override { return is_read_ || reader_->skip(); }

 private:
  std::unique_ptr<Reader> reader_;
  AddLabel add_;
  bool is_read_ = false;  // the current sequence; its label may be refused
};
}  // namespace

void check_label_source(const std::string& label_from) {
  if (label_from.empty() || is_of_paths(label_from) || HeaderLabel::parse(label_from)) return;
  std::error_code error;
  if (std::filesystem::exists(label_from, error) &&
      !std::filesystem::is_directory(label_from, error)) {
    return;
  }
  throw ConfigError(
      fmt::format("--label-from is '{}', expected file, folder, header, header:N or an existing "
                  "table",
                  io::escape(label_from)));
}

std::optional<HeaderLabel> HeaderLabel::parse(std::string_view label_from) {
  constexpr std::string_view kName = "header";
  if (!label_from.starts_with(kName)) return {};
  const std::string_view rest = label_from.substr(kName.size());
  if (rest.empty()) return HeaderLabel(0);
  if (rest.front() != ':') return {};
  const std::optional<int> word = parse_count(rest.substr(1));
  if (!word) {
    throw ConfigError(
        fmt::format("--label-from is '{}', expected header, or header:N for word N of the header",
                    io::escape(label_from)));
  }
  return HeaderLabel(*word);
}

std::string_view HeaderLabel::find(std::string_view header) const {
  int words = 0;
  std::string_view last;
  for (std::string_view part; !(part = next_part(header)).empty(); last = part) {
    if (++words == word_) return part;
  }
  return word_ == 0 && words > 1 ? last : std::string_view();
}

std::string HeaderLabel::expected() const {
  return word_ == 0 ? "a header of at least two words, the last one the label"
                    : fmt::format("a label as word {} of the header", word_);
}

LabelTable::LabelTable(const std::filesystem::path& path, const Options& options) {
  Source source(path);
  name_ = source.name();
  Dialect dialect = guess_dialect(beginning(source));
  dialect.fields = 2;
  Rows rows(source, dialect);
  TargetGuess guess;
  for (bool first = true; rows.next(); first = false) {
    const std::string_view id = rows.word(0), label = rows.word(1);
    if (label.empty()) rows.refuse(1, "no label", "a label for every id");
    const auto [known, added] =
        labels_.try_emplace(std::string(id), Label{std::string(label), rows.line()});
    if (!added && known->second.text != label) {
      rows.refuse(1, io::quote(label),
                  fmt::format("{}, as for the same id on line {}", io::quote(known->second.text),
                              known->second.line));
    }
    // A header says nothing about the kind of labels.
    float value = 0;
    if (!first || parse_number(label, value) == Number::kRead) guess.see(label);
  }
  const std::optional<Target> asked = requested_target(options);
  const bool fits = asked == Target::kClass || asked == Target::kNumbers;
  target_ = match_target(fits ? *asked : guess.target(), options, name_);
}

void LabelTable::add_label(Sequence& sequence, std::string_view file,
                           Vocabulary& vocabulary) const {
  const auto known = labels_.find(sequence.id);
  if (known == labels_.end()) {
    throw InputError(fmt::format("{}:{}: found the id {}, expected an id that {} lists", file,
                                 sequence.line, io::quote(sequence.id), name_));
  }
  const Label& label = known->second;
  if (target_ == Target::kClass) {
    sequence.labels.push_back(vocabulary.labels.number(label.text));
    return;
  }
  float value = 0;
  if (const Number number = parse_number(label.text, value); number != Number::kRead) {
    throw InputError(fmt::format("{}:{}: found {}, expected {}", name_, label.line,
                                 io::quote(label.text), expected_of(number)));
  }
  sequence.values.push_back(value);
}

std::unique_ptr<Reader> with_labels(std::unique_ptr<Reader> reader, Target target,
                                    const Options& options, std::string_view from, AddLabel add) {
  auto labelled = std::make_unique<Labelled>(std::move(reader), std::move(add));
  labelled->set_reason(task_reason(options, from == "file" || from == "folder"
                                                ? fmt::format("one class per {}", from)
                                            : target == Target::kNumbers ? "every label is a number"
                                                                         : "labels are words"));
  if (options.as) return labelled;
  Schema& schema = labelled->schema_to_change();
  schema.target = target;
  schema.targets = {"label"};
  schema.label_from = from;
  return labelled;
}

}  // namespace rwa::formats
