#include "formats/arff_header.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "formats/parse.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {
using Type = ArffAttribute::Type;

constexpr char kComment = '%';

const std::vector<std::string>& keys() {
  static const std::vector<std::string> keys = {"@relation", "@attribute", "@end", "@data"};
  return keys;
}

void read_values(HeadedLines& lines, std::string_view& text, ArffAttribute& attribute) {
  const std::string_view whole = text;
  do {
    text.remove_prefix(1);  // { or a comma
    text = trimmed(text);
    const char* at = text.data();
    const ArffWord word = next_arff_word(lines, text, ",}");
    const std::string value = word.content();
    if (value.empty() && !word.quoted) lines.refuse(at, "no value", "a class between { and }");
    lines.count_listed("attributes and classes");
    if (!attribute.values.insert(value).second) {
      lines.refuse(at, io::quote(value) + " twice", "each class once");
    }
    text = trimmed(text);
  } while (text.starts_with(','));
  if (!text.starts_with('}')) {
    lines.refuse(whole.data(), io::quote(whole), "classes between { and }, separated by commas");
  }
  text.remove_prefix(1);
}

void read_type(HeadedLines& lines, std::string_view& text, ArffAttribute& attribute) {
  if (text.starts_with('{')) {
    attribute.type = Type::kNominal;
    return read_values(lines, text, attribute);
  }
  static constexpr std::array<std::pair<std::string_view, Type>, 5> kTypes{
      {{"numeric", Type::kNumber},
       {"real", Type::kNumber},
       {"integer", Type::kNumber},
       {"string", Type::kString},
       {"relational", Type::kRelation}}};
  const char* at = text.data();
  const std::string_view name = next_word(text);
  const auto* const found = std::ranges::find_if(
      kTypes, [&](const auto& type) { return same_letters(type.first, name); });
  if (found == kTypes.end()) {
    lines.refuse(at, name.empty() ? "no type" : io::quote(name),
                 "numeric, real, integer, string, relational or {classes}");
  }
  attribute.type = found->second;
}

ArffAttribute read_attribute(HeadedLines& lines) {
  ArffAttribute attribute;
  attribute.line = lines.number();
  std::string_view text = lines.value();
  attribute.name = next_arff_word(lines, text, " \t{").content();
  if (attribute.name.empty()) lines.refuse(lines.text().data(), "no name", "@attribute NAME TYPE");
  text = trimmed(text);
  read_type(lines, text, attribute);
  text = trimmed(text);
  if (!text.empty() && text.front() != kComment) {
    lines.refuse(text.data(), io::quote(text), "the end of the line after the type");
  }
  return attribute;
}

// Up to @end.
void read_relation(HeadedLines& lines, ArffAttribute& relation) {
  while (lines.next_key() && !lines.is("@end")) {
    if (!lines.is("@attribute")) lines.refuse_key(keys());
    const ArffAttribute inner = read_attribute(lines);
    if (inner.type != Type::kNumber) {
      lines.refuse(lines.text().data(), fmt::format("the attribute {}", io::quote(inner.name)),
                   fmt::format("a number: the attributes of {} are the steps of a dimension",
                               io::quote(relation.name)));
    }
    ++relation.width;
  }
  if (lines.is("@end") && relation.width > 0) return;
  lines.refuse(lines.text().data(), io::quote(lines.text()),
               fmt::format("attributes, then @end {}, for the relation on line {}",
                           io::escape(relation.name), relation.line));
}

void check_is_new(const HeadedLines& lines, const ArffAttribute& attribute,
                  std::set<std::string>& names) {
  if (names.insert(attribute.name).second) return;
  lines.refuse(lines.text().data(), fmt::format("a second attribute {}", io::quote(attribute.name)),
               "another name");
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}
}  // namespace

std::vector<ArffAttribute> read_arff_header(HeadedLines& lines) {
  std::vector<ArffAttribute> attributes;
  std::set<std::string> names;
  while (lines.next_key()) {
    if (lines.is("@relation")) continue;
    if (!lines.is("@attribute")) lines.refuse_key(keys());
    lines.count_listed("attributes and classes");
    attributes.push_back(read_attribute(lines));
    check_is_new(lines, attributes.back(), names);
    if (attributes.back().type == Type::kRelation) read_relation(lines, attributes.back());
  }
  if (attributes.empty()) lines.refuse(lines.text().data(), "@data", "@attribute lines before it");
  return attributes;
}

std::string ArffWord::content() const {
  if (!quoted) return std::string(text);
  std::string content;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    content += escape ? unescaped(text[++i]) : text[i];
  }
  return content;
}

ArffWord next_arff_word(const HeadedLines& lines, std::string_view& text, std::string_view ends) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) {
    const std::string_view word = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(word.size());
    return {without_blanks_at_end(word)};
  }
  std::size_t end = 1;
  while (end < text.size() && text[end] != text.front()) end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) {
    lines.refuse(text.data(), io::quote(text), fmt::format("a closing {}", text.front()));
  }
  const ArffWord word{text.substr(1, end - 1), true};
  text.remove_prefix(end + 1);
  return word;
}

}  // namespace rwa::formats
