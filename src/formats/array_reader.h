// src/formats/array_reader.h: sequences out of arrays, whatever files these lie in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "formats/array.h"
#include "formats/formats.h"

namespace rwa::formats {

struct Arrays {
  Format format;
  std::string file;  // for messages
  // Three dimensions, in the order of the layout, or two: one feature. With offsets: the steps of
  // all sequences one after the other, [sum of T,C] or [sum of T].
  Array x;
  std::optional<Array> y = {};        // as ArrayAnswers takes it
  std::optional<Array> lengths = {};  // [N], of sequences that are shorter than T
  std::optional<Array> offsets =
      {};  // [N+1], the first step of each sequence; at last the sum of T
  std::optional<Layout> layout = {};  // by default; none: it must be given
  float divisor = 1;                  // of x
  std::uint64_t stored = 0;           // bytes of the file, as it lies there
};

// How many bytes a file has, as it lies there; 0 where that cannot be known.
std::uint64_t stored_bytes(const std::filesystem::path& file);

// Reads one sequence at a time; of Layout::kTnc the whole array, which is refused where it is much
// larger than the file. Throws InputError for arrays that do not fit together or the options.
std::unique_ptr<Reader> read_arrays(Arrays arrays, const Options& options,
                                    SharedVocabulary vocabulary);

}  // namespace rwa::formats
