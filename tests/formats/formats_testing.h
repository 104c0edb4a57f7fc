// tests/formats/formats_testing.h: reads a data set as text, and checks refusals.
#pragma once

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "formats/reader.h"
#include "rwa/errors.h"

namespace rwa::formats {

using Lines = std::vector<std::string>;
using Paths = std::vector<std::filesystem::path>;

inline std::filesystem::path good(std::string_view name) {
  return std::filesystem::path(RWA_TEST_DATA) / "formats/good" / name;
}
inline std::filesystem::path bad(std::string_view name) {
  return std::filesystem::path(RWA_TEST_DATA) / "formats/bad" / name;
}

inline std::string number_text(float value) {
  return std::isnan(value) ? "?" : fmt::to_string(value);
}

// A sequence as "ID@LINE: STEP | STEP -> TARGET TARGET"; a step is a symbol or some numbers.
inline std::string to_text(const Sequence& sequence, const Vocabulary& vocabulary) {
  Lines steps, answers;
  const auto count = static_cast<std::size_t>(sequence.steps);
  for (const std::int32_t symbol : sequence.symbols) {
    steps.push_back(vocabulary.symbols.words().at(static_cast<std::size_t>(symbol)));
  }
  const std::size_t width = count == 0 ? 0 : sequence.x.size() / count;
  for (std::size_t begin = 0; begin < sequence.x.size(); begin += width) {
    Lines numbers;
    for (std::size_t i = 0; i < width; ++i) numbers.push_back(number_text(sequence.x[begin + i]));
    steps.push_back(fmt::to_string(fmt::join(numbers, " ")));
  }
  EXPECT_EQ(steps.size(), count);
  for (const std::int32_t label : sequence.labels) {
    answers.push_back(vocabulary.labels.words().at(static_cast<std::size_t>(label)));
  }
  for (const float value : sequence.values) answers.push_back(number_text(value));
  return fmt::format("{}@{}: {} -> {}", sequence.id, sequence.line, fmt::join(steps, " | "),
                     fmt::join(answers, " "));
}

struct DataSet {
  Schema schema;
  Lines sequences;
};

inline DataSet read_all(const Paths& paths, const Options& options = {}) {
  const auto vocabulary = std::make_shared<Vocabulary>();
  const auto reader = open(paths, options, vocabulary);
  DataSet found{reader->schema(), {}};
  Sequence sequence;
  sequence.steps = -1;  // previous content must not matter
  sequence.labels = {1, 2, 3};
  while (reader->next(sequence)) found.sequences.push_back(to_text(sequence, *vocabulary));
  EXPECT_FALSE(reader->next(sequence));
  return found;
}

inline Lines sequences(const Paths& paths, const Options& options = {}) {
  return read_all(paths, options).sequences;
}

// Returns the error message. Empty if there is no error, or one of another type.
template <typename Error = InputError>
std::string refusal(const Paths& paths, const Options& options = {}) {
  try {
    read_all(paths, options);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type of error: " << error.what();
  }
  return "";
}

// Reads on after sequences that are refused: "! LINE" or "! LINE:COLUMN" stands for one.
inline Lines read_on(const Paths& paths, const Options& options = {}) {
  const auto vocabulary = std::make_shared<Vocabulary>();
  const auto reader = open(paths, options, vocabulary);
  Lines lines;
  Sequence sequence;
  while (true) {
    try {
      if (!reader->next(sequence)) return lines;
      lines.push_back(to_text(sequence, *vocabulary));
    } catch (const InputError& error) {
      const std::string message = std::string(error.what()).substr(reader->file().size() + 1);
      lines.push_back("! " + message.substr(0, message.find(": ")));
      if (reader->skip()) continue;
      lines.emplace_back("cannot go on");
      return lines;
    }
  }
}

inline Findings findings_of(const Paths& paths, const Options& options = {}) {
  return open(paths, options, std::make_shared<Vocabulary>())->findings();
}

// "NAME: ROLE, WHY" for each column.
inline Lines columns_of(const Findings& findings) {
  Lines lines;
  for (const auto& [name, role, why] : findings.columns) {
    lines.push_back(fmt::format("{}: {}, {}", name, role, why));
  }
  return lines;
}

// "LINE:COLUMN" of the first missing value of each sequence, or nothing.
inline Lines missing_places(const Paths& paths) {
  const auto reader = open(paths, {}, std::make_shared<Vocabulary>());
  Lines places;
  for (Sequence sequence; reader->next(sequence);) {
    const auto [line, column] = sequence.missing;
    places.push_back(line == 0 ? "" : fmt::format("{}:{}", line, column));
  }
  return places;
}

struct BadFile {
  std::string_view name;
  std::string_view message;  // after the file name
};

// Checks the full message for each of these files in bad/.
inline void expect_refusals(std::initializer_list<BadFile> files, const Options& options = {}) {
  for (const BadFile& file : files) {
    EXPECT_EQ(refusal({bad(file.name)}, options),
              fmt::format("{}{}", bad(file.name).string(), file.message));
  }
}

}  // namespace rwa::formats
