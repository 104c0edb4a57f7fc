// src/formats/labels.h: labels that do not stand beside their sequences: those of a table, of the
// name of a file or of its folder, and of the header of a record.
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

// A label that stands in the header of a record.
class HeaderLabel {
 public:
  // Of Options::label_from; nothing where that is not "header". Throws ConfigError for "header:0"
  // and the like.
  static std::optional<HeaderLabel> parse(std::string_view label_from);

  // Empty where the header, without the character it begins with, has no such word.
  [[nodiscard]] std::string_view find(std::string_view header) const;
  [[nodiscard]] std::string expected() const;  // for the message of an error

 private:
  explicit HeaderLabel(int word) : word_(word) {}

  int word_;  // from 1; 0: the last of several
};

// A table with two columns, the id of a sequence and its label. A first row with their names is one
// whose id no sequence has.
class LabelTable {
 public:
  // Throws InputError for what is no such table, and for an id with two different labels.
  LabelTable(const std::filesystem::path& path, const Options& options);

  [[nodiscard]] Target target() const { return target_; }  // kClass or kNumbers
  // Puts its label into the sequence. Throws InputError where there is none, naming `file`.
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

// Puts its labels into a sequence, which has none; `file` is where that comes from.
using AddLabel = std::function<void(Sequence& sequence, const std::string& file)>;

// The sequences of a reader, with labels. Its schema becomes that of the target, and
// Schema::label_from what labels come from; that of a model stays as it is.
std::unique_ptr<Reader> with_labels(std::unique_ptr<Reader> reader, Target target,
                                    const Options& options, std::string_view from, AddLabel add);

}  // namespace rwa::formats
