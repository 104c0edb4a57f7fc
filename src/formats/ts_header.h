// src/formats/ts_header.h: the header of a .ts file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "formats/headed_lines.h"
#include "formats/schema.h"

namespace rwa::formats {

struct TsHeader {
  template <typename T>
  struct Entry {
    T value = {};
    std::int64_t line = 0;  // 0: not in the header
  };

  Entry<bool> time_stamps = {}, missing = {}, univariate = {}, equal_length = {};
  Entry<bool> class_label = {}, target_label = {};
  Entry<std::size_t> dimensions = {}, series_length = {};
  std::set<std::string, std::less<>> classes = {};

  [[nodiscard]] Target target() const;
  // "line 3: @classLabel true"; empty if the header does not say.
  [[nodiscard]] std::string about_target() const;
  [[nodiscard]] std::string about_dimensions() const;
};

// Reads the lines up to @data. Throws InputError for an unknown key, a bad value, and lines that
// contradict each other.
TsHeader read_ts_header(HeadedLines& lines);

}  // namespace rwa::formats
