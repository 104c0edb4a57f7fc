#include "formats/ts_header.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/formats.h"
#include "formats/parse.h"
#include "io/quote.h"

namespace rwa::formats {
namespace {

std::string about(std::string_view key, const TsHeader::Entry<bool>& entry) {
  return fmt::format("line {}: {} {}", entry.line, key, entry.value);
}

void read_classes(HeadedLines& lines, TsHeader& header) {
  std::string_view rest = lines.value();
  const std::string_view first = next_word(rest);
  header.class_label = {same_letters(first, "true"), lines.number()};
  if (!header.class_label.value) {
    if (!same_letters(first, "false"))
      lines.refuse(first.data(), io::quote(first), "true or false");
    return;
  }
  while (!(rest = trimmed(rest)).empty()) {
    lines.count_listed("classes");
    header.classes.emplace(next_word(rest));
  }
  if (header.classes.empty()) {
    lines.refuse(lines.text().data() + lines.text().size(), "the end of the line", "class names");
  }
}

void read_entry(HeadedLines& lines, TsHeader& header) {
  const auto set_flag = [&](TsHeader::Entry<bool>& entry) {
    entry = {lines.yes(), lines.number()};
  };
  if (lines.is("@timeStamps")) return set_flag(header.time_stamps);
  if (lines.is("@missing")) return set_flag(header.missing);
  if (lines.is("@univariate")) return set_flag(header.univariate);
  if (lines.is("@equalLength")) return set_flag(header.equal_length);
  if (lines.is("@targetLabel")) return set_flag(header.target_label);
  if (lines.is("@classLabel")) return read_classes(lines, header);
  if (lines.is("@dimensions") || lines.is("@dimension")) {
    header.dimensions = {lines.count(), lines.number()};
    if (header.dimensions.value > kMostFeatures) {
      lines.refuse(lines.value().data(), counted(header.dimensions.value, "dimension"),
                   fmt::format("at most {}", in_thousands(kMostFeatures)));
    }
  } else if (lines.is("@seriesLength")) {
    header.series_length = {lines.count(), lines.number()};
  } else if (!lines.is("@problemName")) {
    lines.refuse_key({"@problemName", "@timeStamps", "@missing", "@univariate", "@dimensions",
                      "@equalLength", "@seriesLength", "@classLabel", "@targetLabel", "@data"});
  }
}

// Called after every line, so that the later one of two that contradict each other is refused.
void check_agreement(const HeadedLines& lines, const TsHeader& header) {
  if (header.class_label.value && header.target_label.value) {
    lines.refuse(lines.text().data(), "both @classLabel true and @targetLabel true", "one of them");
  }
  const bool both = header.univariate.line > 0 && header.dimensions.line > 0;
  if (both && header.univariate.value != (header.dimensions.value == 1)) {
    lines.refuse(lines.text().data(),
                 fmt::format("@univariate {} and @dimensions {}", header.univariate.value,
                             header.dimensions.value),
                 "lines that agree: correct one of them");
  }
}
}  // namespace

Target TsHeader::target() const {
  if (class_label.value) return Target::kClass;
  return target_label.value ? Target::kNumbers : Target::kNone;
}

std::string TsHeader::about_target() const {
  if (class_label.value) return about("@classLabel", class_label);
  if (target_label.line > 0) return about("@targetLabel", target_label);
  return class_label.line > 0 ? about("@classLabel", class_label) : "";
}

std::string TsHeader::about_dimensions() const {
  if (dimensions.line > 0) {
    return fmt::format("line {}: @dimensions {}", dimensions.line, dimensions.value);
  }
  return univariate.line > 0 ? about("@univariate", univariate) : "";
}

TsHeader read_ts_header(HeadedLines& lines) {
  TsHeader header;
  while (lines.next_key()) {
    read_entry(lines, header);
    check_agreement(lines, header);
  }
  return header;
}

}  // namespace rwa::formats
