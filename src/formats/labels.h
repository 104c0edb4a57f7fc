// src/formats/labels.h: labels stored apart from their sequences: in a table, in the name of a file
// or its folder, or in the header of a record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "formats/formats.h"

namespace rwa::formats {

// Whether labels are the names of files or folders: Options::label_from is "file" or "folder".
inline bool is_of_paths(std::string_view label_from) {
  return label_from == "file" || label_from == "folder";
}
// Throws ConfigError unless Options::label_from is empty, one of these, as HeaderLabel has it, or the
// path of something.
void check_label_source(const std::string& label_from);

// A label in the header of a record.
class HeaderLabel {
 public:
  // Parses Options::label_from. Empty if that is not "header" or "header:N". Throws ConfigError for
  // "header:0" and the like.
  static std::optional<HeaderLabel> parse(std::string_view label_from);

  // `header` comes without its first character. Empty if it has no such word.
  [[nodiscard]] std::string_view find(std::string_view header) const;
  [[nodiscard]] std::string expected() const;  // for error messages

 private:
  explicit HeaderLabel(int word) : word_(word) {}

  int word_;  // from 1; 0: the last of at least two
};

// A table of two columns, sequence id and label. A header row does no harm: no sequence has its id.
class LabelTable {
 public:
  // Throws InputError for a malformed table, and for an id with two different labels.
  LabelTable(const std::filesystem::path& path, const Options& options);

  [[nodiscard]] Target target() const { return target_; }  // kClass or kNumbers
  // Adds the label of the sequence. Throws InputError, naming `file`, if there is none.
  void add_label(Sequence& sequence, std::string_view file, Vocabulary& vocabulary) const;

 private:
  std::string name_;
  Target target_ = Target::kClass;
  struct Label {
    std::string text;
    std::int64_t line;
  };
  std::unordered_map<std::string, Label> labels_;
};

// Adds labels to a sequence without labels, which comes from `file`.
using AddLabel = std::function<void(Sequence& sequence, const std::string& file)>;

// Wraps a reader and adds labels. Sets the schema's target and label_from, unless the schema is a
// model's.
std::unique_ptr<Reader> with_labels(std::unique_ptr<Reader> reader, Target target,
                                    const Options& options, std::string_view from, AddLabel add);

}  // namespace rwa::formats
