// tests/formats/array_testing.h: writes .npy and IDX files byte by byte, and reads all sequences of
// a file.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/formats.h"
#include "io/io_testing.h"

namespace rwa::formats {

template <typename T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A magic number, the version, the header's length in 2 or 4 bytes, the header, and the elements.
inline std::string npy_with_header(std::string_view header, std::string_view content,
                                   int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  return text.append(header).append(content);
}

// As NumPy writes it; `shape` in its notation: "(2, 3)".
inline std::string npy(std::string_view dtype, std::string_view shape, std::string_view content) {
  std::string header = "{'descr': '" + std::string(dtype) +
                       "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  return npy_with_header(header + "\n", content);
}
inline std::string npy(std::string_view shape, const std::vector<float>& values) {
  return npy("<f4", shape, bytes_of_values(values));
}

// An IDX file: a header of these numbers, then the content.
inline std::string idx(std::initializer_list<std::uint32_t> header, std::string_view content) {
  std::string text;
  for (const std::uint32_t number : header) {
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(number >> shift & 0xFF);
  }
  return text.append(content);
}

inline constexpr std::uint32_t kImages = 0x803;  // magic numbers
inline constexpr std::uint32_t kLabels = 0x801;

struct Content {
  Schema schema;
  std::vector<Sequence> sequences;
  std::vector<std::string> labels;  // of the vocabulary

  // Labels of a sequence, as words.
  [[nodiscard]] std::vector<std::string> words(std::size_t sequence) const {
    std::vector<std::string> words;
    for (const std::int32_t label : sequences[sequence].labels) {
      words.push_back(labels[static_cast<std::size_t>(label)]);
    }
    return words;
  }
};

using Open = std::unique_ptr<Reader>(std::unique_ptr<Source>, const Options&, SharedVocabulary);

inline Content read_all(Open* open, const std::filesystem::path& file,
                        const Options& options = {}) {
  const auto vocabulary = std::make_shared<Vocabulary>();
  const auto reader = open(std::make_unique<Source>(file), options, vocabulary);
  Content content{.schema = reader->schema(), .sequences = {}, .labels = {}};
  for (Sequence sequence; reader->next(sequence);) {
    EXPECT_EQ(reader->file(), file.string());
    content.sequences.push_back(sequence);
  }
  content.labels = vocabulary->labels.words();
  return content;
}

}  // namespace rwa::formats
