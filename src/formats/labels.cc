#include "formats/labels.h"

#include <fmt/format.h>

#include <utility>

#include "formats/fit.h"
#include "formats/guess.h"
#include "formats/number.h"
#include "formats/table_dialect.h"
#include "formats/table_row.h"
#include "formats/words.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
class Labelled : public Reader {
 public:
  Labelled(std::unique_ptr<Reader> reader, AddLabel add)
      : reader_(std::move(reader)), add_(std::move(add)) {
    schema_ = reader_->schema();
  }

  Schema& schema_to_change() { return schema_; }
  [[nodiscard]] const std::string& file() const override { return reader_->file(); }

  bool next(Sequence& sequence) override {
    if (!reader_->next(sequence)) return false;
    add_(sequence, file());
    return true;
  }

 private:
  std::unique_ptr<Reader> reader_;
  AddLabel add_;
};
}  // namespace

LabelTable::LabelTable(const std::filesystem::path& path, const Options& options) {
  Source source(path);
  name_ = source.name();
  Rows rows(source, guess_dialect(beginning(source)).separator, 2);
  TargetGuess guess;
  for (bool first = true; rows.next(); first = false) {
    const std::string_view label = trimmed(rows[1]);
    if (label.empty()) rows.refuse(1, "no label", "one for each id");
    const auto [known, added] =
        labels_.try_emplace(std::string(trimmed(rows[0])), Label{std::string(label), rows.line()});
    if (!added && known->second.text != label) {
      rows.refuse(
          1, io::quote(label),
          fmt::format("{}, as in line {}", io::quote(known->second.text), known->second.line));
    }
    // The names of the columns say nothing about the labels below.
    float value = 0;
    if (!first || parse_number(label, value) == Number::kRead) guess.see(label);
  }
  const std::optional<Target> asked = wanted(options);
  const bool fits = asked == Target::kClass || asked == Target::kNumbers;
  target_ = fit_target(fits ? *asked : guess.target(), options, name_);
}

void LabelTable::add_label(Sequence& sequence, std::string_view file,
                           Vocabulary& vocabulary) const {
  const auto known = labels_.find(sequence.id);
  if (known == labels_.end()) {
    throw InputError(fmt::format("{}:{}: found the id {}, expected one of the {} in {}", file,
                                 sequence.line, io::quote(sequence.id), labels_.size(), name_));
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
  if (options.as) return labelled;
  Schema& schema = labelled->schema_to_change();
  schema.target = target;
  schema.targets = {"label"};
  schema.label_from = from;
  return labelled;
}

}  // namespace rwa::formats
