// src/formats/labels_header.h: a label that stands in the header of a record.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rwa::formats {

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

}  // namespace rwa::formats
